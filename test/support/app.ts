import type { DynamicModule, Type } from '@nestjs/common';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApplication } from '../../src/bootstrap/application';
import { type Clock, SystemClock } from '../../src/common/clock';
import { Metrics } from '../../src/common/metrics';
import { UnitOfWorkFactory } from '../../src/common/uow';
import { VacancyRepository, type Vacancy, type VacancyDraft } from '../../src/vacancies';
import { JobWorker, type QueueName } from '../../src/jobs';
import { HeldJobs } from '../../src/jobs/held-jobs';
import { ModelServer } from '../../tools/fake-model/model-server';
import { type Board, NotionServer } from '../../tools/fake-notion';
import type { NewBoard } from '../../tools/fake-notion/people/workspace';
import { TelegramServer } from '../../tools/fake-telegram';
import { FakeClock } from '../../tools/support/fake-clock';
import { KeptLog } from './kept-log';
import { createTestDatabase } from './postgres';
import { settingsForTests } from './settings';
import { TestBase } from './test-base';
import { vacancyDraft } from './vacancies';

export interface TestAppOptions {
  /** Settings; the defaults here are short windows and replies written at once. */
  readonly env?: Record<string, string>;
  /** `real` by default. `fake` time moves only when a test moves it. */
  readonly clock?: 'fake' | 'real' | Clock;
  /** A function is given Notion, where the vacancy's owner may be a user. */
  readonly vacancy?: VacancyDraft | ((notion: NotionServer) => VacancyDraft);
  /** False: jobs are claimed only by `worker.tick()`. */
  readonly isWorking?: boolean;
  /** Folder of the built page; none by default. */
  readonly pageDirectory?: string;
  /** The address of the database that LISTEN and NOTIFY use; the application's by default. */
  readonly signalsUrl?: (databaseUrl: string) => Promise<string>;
  /** Modules of further channels. */
  readonly channels?: readonly DynamicModule[];
  /** Starts a model server and lets the application use it. */
  readonly model?: boolean;
  /** Starts a Bot API and lets the application use it; its delays are measured by `clock`. */
  readonly telegram?: boolean | { readonly clock?: Clock };
  /** Starts a Notion with one board and lets the application rank it, without rate limits. */
  readonly notion?: boolean | NewNotion;
}

export interface NewNotion {
  readonly clock?: Clock;
  readonly board?: NewBoard;
  /** True: the limits of the real Notion hold. */
  readonly isLimited?: boolean;
  /** False: the API is down when the application starts. */
  readonly isUp?: boolean;
  /** True: the application knows the token with which Notion signs its events. */
  readonly sendsEvents?: boolean;
}

/** The remote servers of one test; all of its replicas use the same ones. */
interface Fakes {
  readonly model: ModelServer | null;
  readonly telegram: TelegramServer | null;
  readonly notion: NotionServer | null;
  readonly board: Board | null;
  readonly sendsEvents: boolean;
}

const FAST = {
  HOST: '127.0.0.1',
  INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.2',
  // Tests wait for the set quiet time; test/buffer/learned-quiet-time.spec.ts tests the learned one.
  INTERVIEW_BUFFER_LEARNING: 'false',
  INTERVIEW_SCRIPTED_PACE: '0',
  // One request after the other, in the order in which a test scripts the model's replies.
  SCORING_REQUESTS_AT_ONCE: '1',
  SCORING_ADDITIONS_QUIET_TIME: '1',
  JOB_POLL: '0.5',
  RATE_LIMIT_PER_MINUTE: '100000',
  RATE_LIMIT_OF_KEY_PER_MINUTE: '100000',
  SHUTDOWN_DEADLINE: '5',
};

/**
 * Fake time that passes with each check of `until` and `settle`, and real time beside it. A wait that
 * has lasted for FIRST_CHECKS is one for a due time, so that fake time may pass faster.
 */
const STEP_MS = 5;
const FIRST_CHECKS = 300;
const LONG_STEP_MS = 20;
const REAL_STEP_MS = 2;
const CHECKS = 10_000;

/** Starts the application; `close` ends it together with its database and its fake servers. */
export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = await createTestDatabase();
  const fakes = await startFakes(options);
  const clock = clockOf(options);
  const end = async (): Promise<void> => {
    await closeFakes(fakes);
    await database.drop();
  };
  try {
    return await TestApp.start(
      { databaseUrl: database.url, fakes, clock, log: new KeptLog(), end },
      options,
    );
  } catch (error) {
    await end().catch(() => undefined);
    throw error;
  }
}

/**
 * Starts another replica on the database and the fake servers of the first one. It uses the first
 * replica's options where `options` has none; a given `env` replaces the whole `env` of the first one.
 * `close` of the first replica closes it too.
 */
export async function startReplica(
  of: TestApp,
  options: TestAppOptions & { readonly databaseUrl?: string } = {},
): Promise<TestApp> {
  const { databaseUrl = of.databaseUrl } = options;
  const clock = options.clock === undefined ? of.realOrFakeClock : clockOf(options);
  const env = options.env ?? of.options.env ?? {};
  const end = (): Promise<void> => Promise.resolve();
  const given = { ...of.options, ...options, env };
  const replica = await TestApp.start(
    { databaseUrl, fakes: of.fakes, clock, log: of.log, end },
    given,
  );
  of.replicas.push(replica);
  return replica;
}

interface TestEnvironment {
  readonly databaseUrl: string;
  readonly fakes: Fakes;
  readonly clock: Clock;
  /** Lines of all replicas. */
  readonly log: KeptLog;
  readonly end: () => Promise<void>;
}

/** The whole application on a database of its own, listening on a free port of 127.0.0.1. */
export class TestApp extends TestBase {
  readonly url: string;
  readonly databaseUrl: string;
  readonly replicas: TestApp[] = [];
  readonly worker: JobWorker;
  readonly fakes: Fakes;
  readonly realOrFakeClock: Clock;
  /** Lines of all replicas. */
  readonly log: KeptLog;
  readonly units: UnitOfWorkFactory;
  private readonly held: HeldJobs;
  private readonly end: () => Promise<void>;
  private isClosed = false;

  private constructor(
    { databaseUrl, fakes, clock, log, end }: TestEnvironment,
    readonly options: TestAppOptions,
    readonly nest: NestFastifyApplication,
    readonly vacancy: Vacancy,
    url: string,
  ) {
    super();
    this.url = url;
    this.databaseUrl = databaseUrl;
    this.fakes = fakes;
    this.realOrFakeClock = clock;
    this.log = log;
    this.end = end;
    this.units = this.get(UnitOfWorkFactory);
    this.worker = this.get(JobWorker);
    this.held = this.get(HeldJobs);
  }

  static async start(around: TestEnvironment, options: TestAppOptions): Promise<TestApp> {
    const { databaseUrl, clock, fakes, log } = around;
    const signalsUrl = await options.signalsUrl?.(databaseUrl);
    const nest = await createApplication({
      settings: settingsForTests({ ...FAST, ...environmentOf(fakes), ...options.env }),
      clock,
      databaseUrl,
      logger: log,
      pageDirectory: options.pageDirectory ?? 'no page here',
      channels: options.channels ?? [],
      ...(signalsUrl === undefined ? {} : { signalsUrl }),
    });
    const vacancies = nest.get(VacancyRepository, { strict: false });
    const { vacancy: wanted = vacancyDraft() } = options;
    const draft = typeof wanted === 'function' ? wanted(given(fakes.notion, 'notion')) : wanted;
    const { vacancy } = await nest
      .get(UnitOfWorkFactory)
      .run('test', (uow) => uow.commit('test', (tx) => vacancies.upsert(tx, draft)));
    await nest.listen(0, '127.0.0.1');
    const url = (await nest.getUrl()).replace('[::1]', '127.0.0.1');
    const app = new TestApp(around, options, nest, vacancy, url);
    if (options.isWorking !== false) app.worker.start();
    return app;
  }

  /** Throws for an application on real time. */
  get clock(): FakeClock {
    if (this.realOrFakeClock instanceof FakeClock) return this.realOrFakeClock;
    throw new Error("Start the test application with clock: 'fake' to move its time.");
  }

  get model(): ModelServer {
    return given(this.fakes.model, 'model');
  }

  get telegram(): TelegramServer {
    return given(this.fakes.telegram, 'telegram');
  }

  get notion(): NotionServer {
    return given(this.fakes.notion, 'notion');
  }

  /** The board in Notion that the application ranks. */
  get board(): Board {
    return given(this.fakes.board, 'notion');
  }

  /** A provider of the application. */
  get<T>(token: Type<T> | (abstract new (...parameters: never[]) => T)): T {
    return this.nest.get<T>(token, { strict: false });
  }

  /** Ends the sweeps, which run by the real clock beside whatever a test does. */
  async stopSweeps(): Promise<void> {
    const schedules = this.get(SchedulerRegistry);
    for (const name of schedules.getIntervals()) schedules.deleteInterval(name);
    for (const job of schedules.getCronJobs().values()) await job.stop();
  }

  get registry(): Metrics {
    return this.get(Metrics);
  }

  /** Adds another vacancy, which is open to everybody with its link. */
  async addVacancy(changes: Partial<VacancyDraft>): Promise<Vacancy> {
    const vacancies = this.get(VacancyRepository);
    return (await this.commit((tx) => vacancies.upsert(tx, vacancyDraft(changes)))).vacancy;
  }

  async until(claim: string, check: () => boolean | Promise<boolean>): Promise<void> {
    for (let checks = 0; checks < CHECKS; checks += 1) {
      if (await check()) return;
      await this.step(checks);
    }
    throw new Error(`never true: ${claim}`);
  }

  /** Whether no job runs in this process, except those of the queue `except`. */
  isIdle(except?: string): boolean {
    return this.held.all().every(({ claim }) => claim.queue === except);
  }

  /**
   * Waits until no replica runs a job, no job is due and Telegram has no pending update. Jobs of the
   * queue `except`, which a test delays, do not count. Fake time moves by milliseconds only.
   */
  async settle(except = 'none'): Promise<void> {
    let last = '';
    for (let checks = 0; checks < CHECKS; checks += 1) {
      await this.step(checks);
      if ((this.fakes.telegram?.pendingUpdates.length ?? 0) > 0) continue;
      if (![this, ...this.replicas].every((app) => app.isIdle(except))) continue;
      const due = await this.sql<{ queue: QueueName; state: string }>(
        `select queue, state from job
         where queue <> $2 and (state = 'running' or state in ('open', 'retry') and due_at <= $1)`,
        [this.realOrFakeClock.now(), except],
      );
      const [first] = due;
      if (first === undefined) return;
      this.worker.wake(first.queue);
      last = JSON.stringify(due);
    }
    throw new Error(`never settled: ${last}`);
  }

  /** Moves fake time on and waits until everything that was due by then is done. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.settle();
  }

  /** Closes the replicas, the application, its database and its fake servers. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.fakes.telegram?.faults.release();
    this.fakes.notion?.faults.release();
    this.fakes.notion?.webhooks.sendTo(null);
    this.fakes.model?.release();
    for (const replica of this.replicas.toReversed()) await replica.close();
    const { realOrFakeClock: clock } = this;
    await (clock instanceof FakeClock
      ? advanceDuring(clock, this.nest.close())
      : this.nest.close());
    await this.end();
  }

  /** Between two checks: real time passes, and fake time. `checks`: how many there were so far. */
  private async step(checks: number): Promise<void> {
    if (this.realOrFakeClock instanceof FakeClock) {
      this.realOrFakeClock.advance(checks < FIRST_CHECKS ? STEP_MS : LONG_STEP_MS);
    }
    await new Promise((resolve) => setTimeout(resolve, REAL_STEP_MS));
  }
}

async function startFakes({ model, telegram, notion }: TestAppOptions): Promise<Fakes> {
  const fakes = {
    model: model === true ? await ModelServer.start() : null,
    telegram: null as TelegramServer | null,
    notion: null as NotionServer | null,
    board: null as Board | null,
    sendsEvents: false,
  };
  if (telegram !== undefined && telegram !== false) {
    fakes.telegram = await TelegramServer.start(telegram === true ? {} : telegram);
  }
  if (notion !== undefined && notion !== false) {
    const {
      board,
      isLimited = false,
      isUp = true,
      sendsEvents = false,
      clock,
    } = notion === true ? {} : notion;
    fakes.notion = await NotionServer.start(clock === undefined ? {} : { clock });
    fakes.sendsEvents = sendsEvents;
    fakes.board = fakes.notion.workspace.board(board);
    if (!isLimited) fakes.notion.limits.lift();
    if (!isUp) await fakes.notion.goDown();
  }
  return fakes;
}

/** The settings that point the application to its fake servers. */
function environmentOf({
  model,
  telegram,
  notion,
  board,
  sendsEvents,
}: Fakes): Record<string, string> {
  return {
    ...(model === null ? {} : { OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.baseUrl }),
    ...(telegram === null
      ? {}
      : {
          TELEGRAM_BOT_TOKEN: telegram.token,
          TELEGRAM_API_ROOT: telegram.apiRoot,
          TELEGRAM_BOT_NAME: 'colloquy_test_bot',
        }),
    ...(notion === null || board === null
      ? {}
      : {
          NOTION_TOKEN: notion.token,
          NOTION_API_URL: notion.url,
          NOTION_DATA_SOURCE_ID: board.id,
          NOTION_MAX_RPS: '100',
          NOTION_TOKEN_CAPACITY: '100',
          NOTION_BUDGET_PER_MINUTE: '1000',
          NOTION_SWEEP_SHARE: '0',
          ...(sendsEvents ? { NOTION_WEBHOOK_TOKEN: notion.webhooks.token } : {}),
        }),
  };
}

async function closeFakes({ model, telegram, notion }: Fakes): Promise<void> {
  await telegram?.close();
  await notion?.close();
  await model?.close();
}

function clockOf({ clock = 'real' }: TestAppOptions): Clock {
  if (clock === 'real') return new SystemClock();
  return clock === 'fake' ? new FakeClock() : clock;
}

function given<T>(fake: T | null, option: string): T {
  if (fake === null) throw new Error(`Start the test application with ${option}: true.`);
  return fake;
}

/**
 * Advances fake time until `work` has ended: at twice the speed of real time, because closing a connection
 * takes real time, and a drain gives it 3 s.
 */
async function advanceDuring(clock: FakeClock, work: Promise<void>): Promise<void> {
  const settled = new AbortController();
  const settle = (): void => {
    settled.abort();
  };
  void work.then(settle, settle);
  while (!settled.signal.aborted) {
    clock.advance(10);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await work;
}
