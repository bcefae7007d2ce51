import { PeerHealth } from '../../../../src/common/lifecycle';
import { BoardHealth } from '../../../../src/notion-sync/sync/board-health';
import { Drain } from '../../../../src/common/lifecycle';
import type { Metrics } from '../../../../src/common/metrics';
import { PageRepository } from '../../../../src/notion-sync/sync/page.repository';
import { BoardSweep } from '../../../../src/notion-sync/sync/board-sweep';
import { ScanReports } from '../../../../src/notion-sync/sync/scan-reports';
import { BoardScanWorker } from '../../../../src/notion-sync/sync/board-scan.worker';
import { SweepRepository } from '../../../../src/notion-sync/sync/sweep.repository';
import { type DatabasePool, openPool } from '../../../support/app-database';
import { type Board, NotionServer } from '../../../../tools/fake-notion';
import { type ScheduleProcess, StandInRun, scheduleProcess } from '../schedule/board-queue';
import { attentionRig } from '../../../support/attention';
import { settingsForTests } from '../../../support/settings';
import { SharedTime } from '../../api/limiter/shared-time';
import { untilInProcess } from '../../../support/until';

export const HOUR_MS = 3_600_000;
/** The interval of the timer of the sweep. */
export const LOOK_MS = 5000;

/** A process with its sweep and a fake Notion over real HTTP. Only `live` moves the fake time. */
export class BoardSweeps extends SharedTime {
  readonly board: Board;
  readonly boards = new StandInRun();
  readonly process: ScheduleProcess;
  readonly sweep: BoardSweep;
  readonly drain = new Drain(this.clock, 1000);

  private constructor(
    pool: DatabasePool,
    readonly notion: NotionServer,
    env: Record<string, string>,
  ) {
    super(pool);
    const { clock, units } = this;
    this.board = notion.workspace.board();
    const settings = settingsForTests({
      NOTION_TOKEN: notion.token,
      NOTION_API_URL: notion.url,
      NOTION_DATA_SOURCE_ID: this.board.id,
      ...env,
    });
    this.process = scheduleProcess(this, this.boards, { settings });
    const { schedule, rig } = this.process;
    const { api, retries } = this.replica(settings);
    const sweeps = new SweepRepository(clock, settings);
    const pages = new PageRepository(clock);
    const health = new BoardHealth(new PeerHealth());
    const reports = new ScanReports(attentionRig(clock).events, health, rig.metrics);
    rig.registry.register(
      new BoardScanWorker(settings, rig.jobs, api, retries, sweeps, pages, schedule, reports),
    );
    this.sweep = new BoardSweep(settings, units, sweeps, schedule, rig.jobs, this.drain);
  }

  static override async open(env: Record<string, string> = {}): Promise<BoardSweeps> {
    const pool = await openPool();
    return new BoardSweeps(pool, await NotionServer.start(pool), env);
  }

  override get registry(): Metrics {
    return this.process.rig.metrics;
  }

  /** Moves the time in steps. At each step it runs the sweep and then all jobs that are due. */
  async live(ms: number, stepMs = LOOK_MS): Promise<void> {
    const untilMs = this.nowMs + ms;
    while (this.nowMs < untilMs) {
      await this.sweep.runOnSchedule();
      await this.workAll();
      const nextMs = Math.min(untilMs, Math.ceil((this.nowMs + 1) / stepMs) * stepMs);
      this.clock.advance(nextMs - this.nowMs);
    }
    await this.workAll();
  }

  async workAll(): Promise<void> {
    while ((await this.work()) > 0);
  }

  /** One pass of the worker; resolves when the jobs that it began have ended. */
  async work(): Promise<number> {
    const { worker, held } = this.process.rig;
    const working = this.flow(async () => {
      const claimed = await worker.tick();
      await untilInProcess('no job runs', () => held.all().length === 0);
      return claimed;
    });
    await this.drive();
    return working;
  }

  /** The stored assignees of each page, by page id. */
  async pages(): Promise<Record<string, string[]>> {
    const rows = await this.sql<{ id: string; people: string[] }>(
      'select page_id as id, assignee_ids as people from notion_page',
    );
    return Object.fromEntries(rows.map(({ id, people }) => [id, people]));
  }

  override async reset(): Promise<void> {
    for (const table of ['job', 'notion_user', 'notion_page', 'attention']) {
      await this.sql(`delete from ${table}`);
    }
    await this.sql(
      `update notion_sweep set paid_until = null, scan_cursor = null, scan_began_at = null,
         scan_ended_at = null, scan_is_whole = true, scan_from = null, scan_reached = null,
         scan_is_capped = false, scan_closed = null, scan_source = null`,
    );
    await super.reset();
    this.boards.forget();
    this.notion.journal.clear();
    this.notion.faults.clear();
    this.notion.queryLimit = 10_000;
    this.log.clear();
    for (const task of this.board.tasks) task.delete();
    this.clock.advance(HOUR_MS);
  }

  override async close(): Promise<void> {
    await this.notion.close();
    await super.close();
  }
}
