import { Logger } from '@nestjs/common';
import { Clock } from '../../../src/common/clock';
import type { Settings } from '../../../src/common/config';
import { PeerHealth } from '../../../src/common/lifecycle';
import type { Tx, UnitOfWork } from '../../../src/common/uow';
import { NotionApi } from '../../../src/notion-sync/api/notion-api';
import { NotionClient } from '../../../src/notion-sync/api/notion-client';
import { NotionHealth, NotionMetrics } from '../../../src/notion-sync/api/notion-health';
import { NotionRetries } from '../../../src/notion-sync/api/notion-calls';
import { PageRepository, PageReadRepository } from '../../../src/notion-sync/sync/page.repository';
import { BoardGate, BoardRunner } from '../../../src/notion-sync/sync/board-runner';
import { BoardPasses, ScheduleRepository } from '../../../src/notion-sync/sync/schedule.repository';
import { BoardReader, BoardSchemas } from '../../../src/notion-sync/sync/board-reader';
import type { BoardFlow, RunEnd } from '../../../src/notion-sync/sync/board-run';
import { ReadAhead } from '../../../src/notion-sync/sync/read-ahead';
import { BoardWriter } from '../../../src/notion-sync/sync/board-writer';
import type { BoardSchedule } from '../../../src/notion-sync/sync/board-schedule';
import { type Claim, LeaseLostError } from '../../../src/jobs';
import { turnOfLoop } from '../../support/model-calls';
import { type Board, NotionServer, type NotionUser } from '../../../tools/fake-notion';
import { attentionRig } from '../../support/attention';
import { settingsForTests } from '../../support/settings';
import { jobRig } from '../../support/jobs';
import { LimiterWorld, NO_STALLS, type Network } from '../limiter/world';

/** Runs of boards against a fake Notion over real HTTP, all on one fake clock. */
export class RunFixture {
  readonly logged: string[] = [];

  private constructor(
    readonly world: LimiterWorld,
    readonly notion: NotionServer,
  ) {
    const log = (...words: unknown[]): void => void this.logged.push(words.join(' '));
    Logger.overrideLogger({ log, warn: log, error: log });
  }

  static async open(): Promise<RunFixture> {
    const world = await LimiterWorld.open();
    const notion = await NotionServer.start({ clock: new WorldClock(world) });
    return new RunFixture(world, notion);
  }

  async reset(): Promise<void> {
    const { notion, world } = this;
    notion.faults.clear();
    notion.faults.release();
    notion.latencyMs = 0;
    notion.journal.clear();
    notion.limits.allowed = { perSecond: 3, perWindow: null };
    this.logged.length = 0;
    await world.reset();
    // Past all rate windows and pauses of the fake server.
    world.clock.advance(120_000);
    await world.db.dataSource.query(
      'truncate notion_page, notion_read, notion_board_pass, attention',
    );
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

  async commit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.world.db.units.run('test', (uow) => uow.commit('test', work));
  }

  /** Lets time pass until `isSo`, but only while all flows sleep; a hanging call stops the time. */
  async drive(isSo: () => boolean, hanging = (): number => 0): Promise<void> {
    while (!isSo()) {
      await turnOfLoop();
      if (!isSo()) this.world.pass(hanging());
    }
  }

  /** The names of the calls that reached Notion, such as `updatePage`. */
  get operations(): string[] {
    return this.notion.journal.all.map(({ operation }) => operation);
  }

  async close(): Promise<void> {
    await this.notion.close();
    await this.world.close();
  }
}

/** A clock whose sleeps take part in the fake time of the world. */
class WorldClock extends Clock {
  constructor(private readonly world: LimiterWorld) {
    super();
  }

  override now(): Date {
    return this.world.clock.now();
  }

  override monotonicMs(): number {
    return this.world.nowMs;
  }

  override databaseNow(): Date {
    return this.world.clock.databaseNow();
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.world.sleep(ms, signal);
  }
}

/** While a call or one of its retries is busy, fake time stands still. */
class CountedRetries extends NotionRetries {
  constructor(
    private readonly world: LimiterWorld,
    settings: Settings,
    clock: Clock,
  ) {
    super(settings, clock);
  }

  override withRetries<T>(...args: Parameters<NotionRetries['withRetries']>): Promise<T> {
    return this.world.flow(() => super.withRetries(...args)) as Promise<T>;
  }
}

/** While a commit is busy, fake time stands still. */
function countedUnit(uow: UnitOfWork, world: LimiterWorld): UnitOfWork {
  const commit: UnitOfWork['commit'] = (...given) => world.flow(() => uow.commit(...given));
  const commitOne: UnitOfWork['commitOne'] = (...given) =>
    world.flow(() => uow.commitOne(...given));
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
  readonly passes: BoardPasses;
  /** The ids of the users whose boards the runs have marked. */
  readonly marked: string[] = [];
  readonly runner: BoardRunner;
  private readonly users: ScheduleRepository;

  constructor(
    private readonly fixture: RunFixture,
    settings: Settings,
    network: Network | null,
  ) {
    const { world } = fixture;
    const { limiter, metrics } = world.replica(settings, NO_STALLS, network);
    const clock = new WorldClock(world);
    const call = new NotionClient(
      settings,
      limiter,
      new NotionHealth(new PeerHealth()),
      new NotionMetrics(metrics),
      // The client sleeps only for the timeout of a call.
      world.clock,
    );
    const api = new NotionApi(call);
    const schemas = new BoardSchemas(api, clock, settings);
    this.passes = new BoardPasses(world.clock);
    this.users = new ScheduleRepository(world.clock);
    const mark = (_tx: Tx, userIds: readonly string[]): Promise<void> => {
      this.marked.push(...userIds);
      return Promise.resolve();
    };
    const boards = { mark } as unknown as BoardSchedule;
    const { jobs } = jobRig(world.db);
    const reads = new PageReadRepository(jobs, world.clock);
    const { events } = attentionRig(world.clock);
    const retries = new CountedRetries(world, settings, clock);
    const reader = new BoardReader(api, schemas, settings, clock);
    this.runner = new BoardRunner(
      settings,
      clock,
      retries,
      reader,
      new ReadAhead(reader, retries, clock),
      new BoardGate(new PageRepository(world.clock), reads, boards, this.passes, events, clock),
      new BoardWriter(api, schemas, settings),
    );
  }

  /** Begins a run and lets time pass until it has ended. */
  run(user: NotionUser, flow: Partial<BoardFlow> = {}): Promise<RunEnd> {
    return this.end(this.begin(user, flow));
  }

  async end(run: BegunRun): Promise<RunEnd> {
    await this.fixture.drive(() => run.isOver);
    return run.ended;
  }

  /** Ends a run as the queue does, which also updates the approval (pass) of the board. */
  private async endAsQueue({ id: key }: NotionUser, end: RunEnd): Promise<RunEnd> {
    if (end.pass === undefined) return end;
    await this.fixture.commit(async (tx) => {
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
    const uow = this.fixture.world.db.units.open('test-run');
    const counted = countedUnit(uow, this.fixture.world);
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
