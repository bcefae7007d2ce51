import type { Settings } from '../../../../src/common/config';
import type { Metrics } from '../../../../src/common/metrics';
import type { Clock } from '../../../../src/common/clock';
import type { Tx } from '../../../../src/common/uow';
import type { BoardFlow, BoardRun, RunEnd } from '../../../../src/notion-sync/sync/board-runner';
import { BoardQueueRepository } from '../../../../src/notion-sync/sync/board-queue.repository';
import { BoardLog } from '../../../../src/notion-sync/sync/board-log';
import { BoardSchedule, type MarkCause } from '../../../../src/notion-sync/sync/board-schedule';
import { BoardWorker } from '../../../../src/notion-sync/sync/board.worker';
import { ScheduleMetrics } from '../../../../src/notion-sync/sync/schedule.metrics';
import { ScheduleRepository } from '../../../../src/notion-sync/sync/schedule.repository';
import { type JobRig, type JobRow, type ProcessConnections, jobRig } from '../../../support/jobs';
import { type DatabasePool, TestDatabase, openPool } from '../../../support/app-database';
import { settingsForTests } from '../../../support/settings';
import { gate } from '../../../../tools/http-fake/gate';
import { untilInProcess } from '../../../support/until';

export const QUIET_MS = 10_000;
export const LEASE_MS = 6000;

export interface HeldRun {
  readonly flow: BoardFlow;
  end(): Promise<void>;
}

/** A user id that is made from a number, in the form of a Notion id. */
export function userId(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
}

export const [ADA, BOB, EVE] = [userId(1), userId(2), userId(3)] as const;

/** Processes on one database and fake time; a stand-in runs their boards. */
export class BoardQueue extends TestDatabase {
  readonly boards = new StandInRun();
  private current: ScheduleProcess;
  private gone: ScheduleProcess[] = [];

  private constructor(
    pool: DatabasePool,
    private readonly settings: Settings,
  ) {
    super(pool);
    this.current = scheduleProcess(this, this.boards, { settings });
  }

  static async open(env: Record<string, string> = {}): Promise<BoardQueue> {
    return new BoardQueue(await openPool(), settingsForTests(env));
  }

  override get registry(): Metrics {
    return this.current.rig.metrics;
  }

  get process(): ScheduleProcess {
    return this.current;
  }

  /** Another process with its own control connection. */
  another(boards: StandInRun = this.boards): ScheduleProcess {
    const { settings } = this;
    return scheduleProcess(this, boards, { settings, control: this.anotherControl() });
  }

  /** Replaces the process. Its claims stay until their leases end. */
  crash(): void {
    this.gone.push(this.current);
    this.current = scheduleProcess(this, this.boards, { settings: this.settings });
  }

  mark(cause: MarkCause, ...users: string[]): Promise<void> {
    return this.commit((tx) => this.current.schedule.mark(tx, users, cause));
  }

  /** One pass; resolves when its runs have ended. Returns how many boards were claimed. */
  async work(process = this.current): Promise<number> {
    const claimed = await process.rig.worker.tick();
    await this.settled(process);
    return claimed;
  }

  /** Starts a run of that board which continues until `end` is called. */
  async hold(user: string): Promise<HeldRun> {
    const [began, held] = [gate<BoardFlow>(), gate()];
    this.boards.behave = async (flow) => {
      if (flow.userId !== user) return RANKED;
      began.open(flow);
      await held.opened;
      return RANKED;
    };
    await this.mark('rest', user);
    if ((await this.current.rig.worker.tick()) === 0) throw new Error('no board was ready');
    const flow = await began.opened;
    const end = async (): Promise<void> => {
      this.boards.behave = () => RANKED;
      held.open();
      await this.settled();
    };
    return { flow, end };
  }

  async settled(process = this.current): Promise<void> {
    await untilInProcess('no job runs', () => process.rig.held.all().length === 0);
  }

  async workAll(): Promise<void> {
    while ((await this.work()) > 0);
  }

  pass(ms: number): void {
    this.clock.advance(ms);
  }

  /** Unfinished jobs in the order of their ids. */
  live(user?: string): Promise<JobRow[]> {
    return this.sql<JobRow>(
      `select * from job where queue = 'notion-sync' and state in ('open', 'running', 'retry')
         and ($1::text is null or key = $1) order by id`,
      [user ?? null],
    );
  }

  /** The time until the user's only unfinished job is due; negative if it is already due. */
  async dueInMs(user: string): Promise<number> {
    const [row, ...others] = await this.live(user);
    if (row?.due_at == null || others.length > 0)
      throw new Error('expected one job with a due time');
    return row.due_at.getTime() - this.clock.now().getTime();
  }

  /** The status of a user as the view shows it at the fake time. */
  async status(user: string): Promise<Record<string, unknown> | undefined> {
    const [row] = await this.sql<Record<string, unknown>>(
      `select * from notion_user_status_at($1) where user_id = $2`,
      [this.clock.now(), user],
    );
    return row;
  }

  async reset(): Promise<void> {
    for (const process of [this.current, ...this.gone.splice(0)]) await this.settled(process);
    await this.sql(`delete from job where queue in ('notion-sync', 'notion-scan')`);
    await this.sql('delete from notion_user');
    await this.sql('delete from notion_page');
    await this.sql(
      `update notion_sweep set paid_until = null, scan_cursor = null,
         scan_began_at = null, scan_ended_at = null, scan_is_whole = true`,
    );
    await this.sql(
      `update notion_limiter set grants = '{}', paused_until = null, rate = 1,
         recovers_from = null, limited_at = null`,
    );
    this.boards.forget();
    this.log.clear();
    this.current = scheduleProcess(this, this.boards, { settings: this.settings });
  }
}

/** One process's share of src/notion-sync/sync, wired as its modules do it. */
export interface ScheduleProcess {
  readonly rig: JobRig;
  readonly schedule: BoardSchedule;
}

export function scheduleProcess(
  db: TestDatabase<Clock>,
  boards: BoardRun,
  { settings = settingsForTests(), ...own }: { settings?: Settings } & ProcessConnections = {},
): ScheduleProcess {
  const { clock } = db;
  const { units = db.units } = own;
  const rig = jobRig(db, { ...own, settings });
  const log = new BoardLog(settings);
  const boardQueue = new BoardQueueRepository(settings, rig.replica, clock);
  const metrics = new ScheduleMetrics(rig.metrics, units, boardQueue);
  const schedule = new BoardSchedule(boardQueue, rig.jobs, log, metrics);
  const users = new ScheduleRepository(clock);
  const queue = new BoardWorker(units, rig.jobs, schedule, users, log, metrics, clock, boards);
  rig.registry.register(queue);
  return { rig, schedule };
}

export const NO_COUNTS = { loaded: 0, processed: 0, updated: 0, dropped: 0, apiCalls: 1 };
export const RANKED: RunEnd = { kind: 'ranked', counts: NO_COUNTS };

/** Replaces the pipeline: records the user of each run, and ends as the test says. */
export class StandInRun implements BoardRun {
  /** Users in the order of their runs. */
  readonly began: string[] = [];
  /** Users whose boards are no longer tried. */
  readonly givenUpOn: string[] = [];
  behave: (flow: BoardFlow) => RunEnd | Promise<RunEnd> = () => RANKED;

  async run(flow: BoardFlow): Promise<RunEnd> {
    this.began.push(flow.userId);
    return this.behave(flow);
  }

  givenUp(_tx: Tx, userId: string): Promise<void> {
    this.givenUpOn.push(userId);
    return Promise.resolve();
  }

  forget(): void {
    this.givenUpOn.length = 0;
    this.began.length = 0;
    this.behave = () => RANKED;
  }
}
