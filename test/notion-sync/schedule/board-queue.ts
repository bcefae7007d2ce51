import type { Settings } from '../../../src/common/config';
import type { Metrics } from '../../../src/common/metrics';
import type { BoardFlow } from '../../../src/notion-sync/sync/board-run';
import type { MarkCause } from '../../../src/notion-sync/sync/board-schedule';
import { type DatabasePool, TestDatabase, openPool } from '../../support/app-database';
import { turnOfLoop } from '../../support/model-calls';
import {
  RANKED,
  type ScheduleProcess,
  StandInRun,
  scheduleProcess,
} from '../../support/notion-schedule';
import { settingsForTests } from '../../support/settings';
import { gate } from '../../../tools/http-fake/gate';

export const QUIET_MS = 10_000;
export const LEASE_MS = 6000;

export interface HeldRun {
  readonly flow: BoardFlow;
  end(): Promise<void>;
}

export interface BoardRow {
  readonly id: string;
  readonly key: string;
  readonly state: string;
  readonly due_at: Date | null;
  /** The end of a lease that was renewed. */
  readonly leased_until: Date | null;
  readonly count: number;
  readonly payload: unknown;
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
    while (process.rig.held.all().length > 0) await turnOfLoop();
  }

  async workAll(): Promise<void> {
    while ((await this.work()) > 0);
  }

  pass(ms: number): void {
    this.clock.advance(ms);
  }

  /** Unfinished jobs in the order of their ids. */
  live(user?: string): Promise<BoardRow[]> {
    return this.sql<BoardRow>(
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
    await this.sql(`delete from job where queue in ('notion-sync', 'notion-walk')`);
    await this.sql('delete from notion_user');
    await this.sql('delete from notion_page');
    await this.sql(
      `update notion_sweep set paid_until = null, walk_cursor = null,
         walk_began_at = null, walk_ended_at = null, walk_is_whole = true`,
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
