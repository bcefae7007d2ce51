import { Clock } from '../../../../src/common/clock';
import { PeerHealth } from '../../../../src/common/lifecycle';
import { BoardHealth } from '../../../../src/notion-sync/sync/board-health';
import type { Settings } from '../../../../src/common/config';
import type { Tx, UnitOfWork } from '../../../../src/common/uow';
import { NotionRetries } from '../../../../src/notion-sync/api/notion-calls';
import {
  PageRepository,
  PageReadRepository,
} from '../../../../src/notion-sync/sync/page.repository';
import { BoardGate } from '../../../../src/notion-sync/sync/board-gate';
import {
  BoardRunner,
  type BoardFlow,
  type RunEnd,
} from '../../../../src/notion-sync/sync/board-runner';
import {
  BoardApprovals,
  ScheduleRepository,
} from '../../../../src/notion-sync/sync/schedule.repository';
import { BoardReader } from '../../../../src/notion-sync/sync/board-reader';
import { BoardSchemas } from '../../../../src/notion-sync/sync/board-schemas';
import { ReadAhead } from '../../../../src/notion-sync/sync/read-ahead';
import { BoardWriter } from '../../../../src/notion-sync/sync/board-writer';
import type { BoardSchedule } from '../../../../src/notion-sync/sync/board-schedule';
import { type Claim, LeaseLostError } from '../../../../src/jobs';
import { openPool } from '../../../support/app-database';
import { type Board, NotionServer, type NotionUser } from '../../../../tools/fake-notion';
import { attentionRig } from '../../../support/attention';
import { settingsForTests } from '../../../support/settings';
import { jobRig } from '../../../support/jobs';
import { SharedTime, NO_STALLS, type Network } from '../../api/limiter/shared-time';
import { turnOfLoop } from '../../../support/until';

/** Runs of boards against a fake Notion over real HTTP, all on one fake clock. */
export class BoardRuns extends SharedTime {
  notion!: NotionServer;

  static override async open(): Promise<BoardRuns> {
    const runs = new BoardRuns(await openPool());
    runs.notion = await NotionServer.start({ clock: new SharedClock(runs) });
    return runs;
  }

  override async reset(): Promise<void> {
    const { notion } = this;
    notion.faults.clear();
    notion.faults.release();
    notion.latencyMs = 0;
    notion.journal.clear();
    notion.limits.allowed = { perSecond: 3, perWindow: null };
    this.log.clear();
    await super.reset();
    // Past all rate windows and pauses of the fake server.
    this.clock.advance(120_000);
    await this.sql('truncate notion_page, notion_read, notion_board_approval, attention cascade');
  }

  /** A process with its own settings and the boards of one data source. */
  process(board: Board, env: Record<string, string> = {}, network?: Network): RunProcess {
    const settings = settingsForTests({
      NOTION_TOKEN: this.notion.token,
      NOTION_API_URL: this.notion.url,
      NOTION_DATA_SOURCE_ID: board.id,
      NOTION_BUDGET_PER_MINUTE: '1000',
      ...env,
    });
    return new RunProcess(this, settings, network ?? null);
  }

  /** Lets time pass until `isSo`, but only while all flows sleep; a hanging call stops the time. */
  async driveUntil(isSo: () => boolean, hanging = (): number => 0): Promise<void> {
    while (!isSo()) {
      await turnOfLoop();
      if (!isSo()) this.pass(hanging());
    }
  }

  /** The names of the calls that reached Notion, such as `updatePage`. */
  get operations(): string[] {
    return this.notion.journal.all.map(({ operation }) => operation);
  }

  override async close(): Promise<void> {
    await this.notion.close();
    await super.close();
  }
}

/** A clock whose sleeps end when the shared fake time reaches them. */
class SharedClock extends Clock {
  constructor(private readonly time: SharedTime) {
    super();
  }

  override now(): Date {
    return this.time.clock.now();
  }

  override monotonicMs(): number {
    return this.time.nowMs;
  }

  override databaseNow(): Date {
    return this.time.clock.databaseNow();
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.time.sleep(ms, signal);
  }
}

/** While a call or one of its retries is busy, fake time stands still. */
class CountedRetries extends NotionRetries {
  constructor(
    private readonly time: SharedTime,
    settings: Settings,
    clock: Clock,
  ) {
    super(settings, clock);
  }

  override withRetries<T>(...args: Parameters<NotionRetries['withRetries']>): Promise<T> {
    return this.time.flow(() => super.withRetries(...args)) as Promise<T>;
  }
}

/** While a commit is busy, fake time stands still. */
function countedUnit(uow: UnitOfWork, time: SharedTime): UnitOfWork {
  const commit: UnitOfWork['commit'] = (...given) => time.flow(() => uow.commit(...given));
  const commitOne: UnitOfWork['commitOne'] = (...given) => time.flow(() => uow.commitOne(...given));
  return { commit, commitOne } as UnitOfWork;
}

/** A run as the queue would begin it, with a lease that a test can take away. */
export interface BegunRun {
  readonly ended: Promise<RunEnd>;
  readonly isOver: boolean;
  /** How often the queue was told that Notion has responded. */
  readonly answers: number;
  /** Gives the job to another worker; this run notices it at its next fence. */
  loseLease(): void;
  /** Aborts the run, which notices it at once. */
  abort(): void;
}

export class RunProcess {
  readonly passes: BoardApprovals;
  /** The ids of the users whose boards the runs have marked. */
  readonly marked: string[] = [];
  readonly runner: BoardRunner;
  private readonly users: ScheduleRepository;

  constructor(
    private readonly runs: BoardRuns,
    settings: Settings,
    network: Network | null,
  ) {
    const { clock: fakeClock } = runs;
    const { api } = runs.replica(settings, NO_STALLS, network);
    const clock = new SharedClock(runs);
    const schemas = new BoardSchemas(api, clock, settings, new BoardHealth(new PeerHealth()));
    this.passes = new BoardApprovals(fakeClock);
    this.users = new ScheduleRepository(fakeClock);
    const mark = (_tx: Tx, userIds: readonly string[]): Promise<void> => {
      this.marked.push(...userIds);
      return Promise.resolve();
    };
    const boards = { mark } as unknown as BoardSchedule;
    const { jobs } = jobRig(runs);
    const reads = new PageReadRepository(jobs, fakeClock);
    const { events } = attentionRig(fakeClock);
    const retries = new CountedRetries(runs, settings, clock);
    const reader = new BoardReader(api, schemas, settings, clock);
    this.runner = new BoardRunner(
      settings,
      clock,
      retries,
      reader,
      new ReadAhead(reader, retries, clock),
      new BoardGate(
        new PageRepository(fakeClock),
        reads,
        boards,
        this.users,
        this.passes,
        events,
        clock,
      ),
      new BoardWriter(api, schemas),
    );
  }

  /** Begins a run and lets time pass until it has ended. */
  run(user: NotionUser, flow: Partial<BoardFlow> = {}): Promise<RunEnd> {
    return this.end(this.begin(user, flow));
  }

  async end(run: BegunRun): Promise<RunEnd> {
    await this.runs.driveUntil(() => run.isOver);
    return run.ended;
  }

  /** Ends a run as the queue does, which also updates the approval (pass) of the board. */
  private async endAsQueue({ id: key }: NotionUser, end: RunEnd): Promise<RunEnd> {
    if (end.approval === undefined) return end;
    await this.runs.commit(async (tx) => {
      const [row] = await tx.query<{ jobId: string }>(
        `insert into job (queue, key, state, claim_no, first_at)
         values ('notion-sync', $1, 'running', 1, now()) returning id as "jobId"`,
        [key],
      );
      const claim = { ...row, claimNo: 1, key } as Claim;
      const times = { timeToReadyMs: 0, queueWaitMs: 0, runMs: 0 };
      expect(await this.users.end(tx, claim, { end, ...times })).toHaveLength(1);
      await tx.query(`delete from job where key = $1`, [key]);
    });
    return end;
  }

  begin(user: NotionUser, options: Partial<BoardFlow> = {}): BegunRun {
    const lost = LeaseLostError.of({ jobId: '1', queue: 'notion-sync', claimNo: 1 } as Claim);
    const aborting = new AbortController();
    const state = { isOver: false, isLost: false, answers: 0 };
    const uow = this.runs.units.open('test.run');
    const counted = countedUnit(uow, this.runs);
    const ended = this.runner
      .run({
        userId: user.id,
        uow: counted,
        holder: {
          signal: aborting.signal,
          lease: () => {
            // A job that is done has no lease either.
            if (state.isLost || state.isOver) throw lost;
            return null;
          },
        },
        fence: () => (state.isLost ? Promise.reject(lost) : Promise.resolve()),
        isTakenOver: false,
        isAskedAgain: false,
        request: null,
        nextReady: () => Promise.resolve([]),
        assertLease: () => {
          if (aborting.signal.aborted) throw lost;
        },
        peerResponded: () => void (state.answers += 1),
        isAnotherReady: () => Promise.resolve(false),
        ...options,
      })
      .then((end) => this.endAsQueue(user, end))
      .finally(() => {
        state.isOver = true;
        uow.close();
      });
    ended.catch(() => undefined);
    return {
      ended,
      get isOver() {
        return state.isOver;
      },
      get answers() {
        return state.answers;
      },
      loseLease: () => {
        state.isLost = true;
      },
      abort: () => {
        aborting.abort(lost);
      },
    };
  }
}
