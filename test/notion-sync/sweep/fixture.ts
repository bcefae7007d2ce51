import { Logger } from '@nestjs/common';
import type { Settings } from '../../../src/common/config';
import { Drain, PeerHealth } from '../../../src/common/lifecycle';
import { NotionApi } from '../../../src/notion-sync/api/notion-api';
import { NotionClient } from '../../../src/notion-sync/api/notion-client';
import { NotionHealth, NotionMetrics } from '../../../src/notion-sync/api/notion-health';
import { NotionRetries } from '../../../src/notion-sync/api/notion-calls';
import { PageRepository } from '../../../src/notion-sync/sync/page.repository';
import { BoardSweep } from '../../../src/notion-sync/sync/board-sweep';
import { WalkReports, BoardWalkWorker } from '../../../src/notion-sync/sync/board-walk.worker';
import { SweepRepository } from '../../../src/notion-sync/sync/sweep.repository';
import type { TestDatabase } from '../../support/app-database';
import { turnOfLoop } from '../../support/model-calls';
import { type Board, NotionServer } from '../../../tools/fake-notion';
import { type ScheduleProcess, StandInRun, scheduleProcess } from '../../support/notion-schedule';
import { attentionRig } from '../../support/attention';
import { settingsForTests } from '../../support/settings';
import { LimiterWorld } from '../limiter/world';

export const HOUR_MS = 3_600_000;
/** The interval of the timer of the sweep. */
export const LOOK_MS = 5000;

/** A process with its sweep and a fake Notion over real HTTP. Only `live` moves the fake time. */
export class SweepFixture {
  readonly logged: string[] = [];

  private constructor(
    private readonly world: LimiterWorld,
    readonly notion: NotionServer,
    readonly board: Board,
    readonly boards: StandInRun,
    readonly process: ScheduleProcess,
    readonly sweep: BoardSweep,
    readonly drain: Drain,
  ) {
    const keep = (...words: unknown[]): void => void this.logged.push(words.join(' '));
    Logger.overrideLogger({ log: () => undefined, warn: keep, error: keep });
  }

  static async open(env: Record<string, string> = {}): Promise<SweepFixture> {
    const world = await LimiterWorld.open();
    const notion = await NotionServer.start({ clock: world.clock });
    const board = notion.workspace.board();
    const settings = settingsForTests({
      NOTION_TOKEN: notion.token,
      NOTION_API_URL: notion.url,
      NOTION_DATA_SOURCE_ID: board.id,
      ...env,
    });
    const boards = new StandInRun();
    const process = scheduleProcess(world.db, boards, { settings });
    const { units } = world.db;
    const { jobs, registry } = process.rig;
    const table = new SweepRepository(world.clock, settings);
    const { api, retries } = notionApiOf(world, settings);
    const pages = new PageRepository(world.clock);
    const { schedule } = process;
    const { metrics } = process.rig;
    const { events } = attentionRig(world.clock);
    registry.register(
      new BoardWalkWorker(
        settings,
        jobs,
        api,
        retries,
        table,
        pages,
        schedule,
        new WalkReports(events, metrics),
      ),
    );
    const drain = new Drain(world.clock, 1000);
    const sweep = new BoardSweep(settings, units, table, process.schedule, jobs, drain);
    return new SweepFixture(world, notion, board, boards, process, sweep, drain);
  }

  get db(): TestDatabase {
    return this.world.db;
  }

  async metric(line: string): Promise<number> {
    const { body } = await this.process.rig.metrics.exposition();
    const found = body.split('\n').find((candidate) => candidate.startsWith(`${line} `));
    return Number(found?.split(' ').at(-1) ?? 0);
  }

  /** Moves the time in steps. At each step it runs the sweep and then all jobs that are due. */
  async live(ms: number, stepMs = LOOK_MS): Promise<void> {
    const untilMs = this.world.nowMs + ms;
    while (this.world.nowMs < untilMs) {
      await this.sweep.runOnSchedule();
      await this.workAll();
      const nextMs = Math.min(untilMs, Math.ceil((this.world.nowMs + 1) / stepMs) * stepMs);
      this.world.clock.advance(nextMs - this.world.nowMs);
    }
    await this.workAll();
  }

  async workAll(): Promise<void> {
    while ((await this.work()) > 0);
  }

  /** One pass of the worker; resolves when the jobs that it began have ended. */
  async work(): Promise<number> {
    const { worker, held } = this.process.rig;
    const working = this.world.flow(async () => {
      const claimed = await worker.tick();
      while (held.all().length > 0) await turnOfLoop();
      return claimed;
    });
    await this.world.drive();
    return working;
  }

  sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.db.dataSource.query<Row[]>(text, values);
  }

  /** The reasons of the open attention items about the walk. */
  async walkAttention(): Promise<string[]> {
    const rows = await this.sql<{ reason: string }>(
      `select reason from attention where subject = 'notion:walk' and closed_at is null`,
    );
    return rows.map(({ reason }) => reason);
  }

  async people(): Promise<string[]> {
    const rows = await this.sql<{ id: string }>('select user_id as id from notion_user order by 1');
    return rows.map(({ id }) => id);
  }

  /** The stored assignees of each page, by page id. */
  async pages(): Promise<Record<string, string[]>> {
    const rows = await this.sql<{ id: string; people: string[] }>(
      'select page_id as id, assignee_ids as people from notion_page',
    );
    return Object.fromEntries(rows.map(({ id, people }) => [id, people]));
  }

  async reset(): Promise<void> {
    await this.sql('delete from job');
    await this.sql('delete from notion_user');
    await this.sql('delete from notion_page');
    await this.sql('delete from attention');
    await this.sql(
      `update notion_sweep set paid_until = null, walk_cursor = null, walk_began_at = null,
         walk_ended_at = null, walk_is_whole = true, walk_from = null, walk_reached = null,
         walk_is_capped = false, walk_closed = null`,
    );
    await this.world.reset();
    this.boards.forget();
    this.notion.journal.clear();
    this.notion.faults.clear();
    this.notion.queryLimit = 10_000;
    this.logged.length = 0;
    for (const task of this.board.tasks) task.delete();
    this.db.clock.advance(HOUR_MS);
  }

  async close(): Promise<void> {
    await this.notion.close();
    await this.world.close();
  }
}

function notionApiOf(world: LimiterWorld, settings: Settings) {
  const { limiter, clock, metrics } = world.replica(settings);
  const condition = new NotionHealth(new PeerHealth());
  // The client sleeps only for the timeout of a call; `drive` must not end that sleep.
  const call = new NotionClient(
    settings,
    limiter,
    condition,
    new NotionMetrics(metrics),
    world.clock,
  );
  return { api: new NotionApi(call), retries: new NotionRetries(settings, clock) };
}
