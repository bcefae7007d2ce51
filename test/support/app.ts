import type { DynamicModule, LoggerService } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApplication } from '../../src/bootstrap/application';
import { type Clock, SystemClock } from '../../src/common/clock';
import { UnitOfWorkFactory, type Tx } from '../../src/common/uow';
import { VacancyRepository, type Vacancy, type VacancyDraft } from '../../src/vacancies';
import { JobWorker } from '../../src/jobs';
import { HeldJobs } from '../../src/jobs/held-jobs';
import { FakeClock } from './clock';
import { createTestDatabase } from './postgres';
import { settingsForTests } from './settings';
import { vacancyDraft } from './vacancies';

/** The whole application on a database of its own, listening on a free port of 127.0.0.1. */
export interface TestApp {
  readonly url: string;
  readonly databaseUrl: string;
  readonly nest: NestFastifyApplication;
  readonly worker: JobWorker;
  readonly vacancy: Vacancy;
  /** One commit on the application's own pool. */
  commit<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** The rows of one statement. */
  read<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Whether no job runs in this process, but for those of the queue `except`. */
  isIdle(except?: string): boolean;
  close(): Promise<void>;
}

export interface TestAppOptions {
  /** Settings; the defaults here are short windows and replies written at once. */
  readonly env?: Record<string, string>;
  readonly clock?: Clock;
  readonly vacancy?: VacancyDraft;
  /** False: claims happen only by `worker.tick()`. */
  readonly isWorking?: boolean;
  /** Where its log lines go; nowhere by default. */
  readonly logger?: LoggerService;
  /** Folder of the built page; none by default. */
  readonly pageDirectory?: string;
  /** The way to the database that notices take. */
  readonly noticesUrl?: (databaseUrl: string) => Promise<string>;
  /** Modules of further channels. */
  readonly channels?: readonly DynamicModule[];
}

const FAST = {
  HOST: '127.0.0.1',
  METRICS_MAX_AGE: '0',
  INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.2',
  INTERVIEW_SCRIPTED_PACE: '0',
  TASK_POLL: '0.5',
  RATE_LIMIT_PER_MINUTE: '100000',
  SHUTDOWN_DEADLINE: '5',
};

/** Another replica on the database of the first; closed before it. */
export function startReplica(of: TestApp, options: TestAppOptions = {}): Promise<TestApp> {
  return startOn({ url: of.databaseUrl, drop: () => Promise.resolve() }, options);
}

export async function startTestApp(options: TestAppOptions = {}): Promise<TestApp> {
  const database = await createTestDatabase();
  try {
    return await startOn(database, options);
  } catch (error) {
    await database.drop().catch(() => undefined);
    throw error;
  }
}

async function startOn(
  database: { readonly url: string; drop(): Promise<void> },
  options: TestAppOptions,
): Promise<TestApp> {
  const noticesUrl = await options.noticesUrl?.(database.url);
  const nest = await createApplication({
    settings: settingsForTests({ ...FAST, ...options.env }),
    clock: options.clock ?? new SystemClock(),
    databaseUrl: database.url,
    logger: options.logger ?? SILENT,
    pageDirectory: options.pageDirectory ?? 'no page here',
    channels: options.channels ?? [],
    ...(noticesUrl === undefined ? {} : { noticesUrl }),
  });
  const units = nest.get(UnitOfWorkFactory);
  const commit = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    units.run('test', (uow) => uow.commit('test', work));
  const vacancies = nest.get(VacancyRepository, { strict: false });
  const { vacancy } = await commit((tx) => vacancies.upsert(tx, options.vacancy ?? vacancyDraft()));
  await nest.listen(0, '127.0.0.1');
  const worker = nest.get(JobWorker, { strict: false });
  const held = nest.get(HeldJobs, { strict: false });
  if (options.isWorking !== false) worker.start();
  return {
    url: (await nest.getUrl()).replace('[::1]', '127.0.0.1'),
    databaseUrl: database.url,
    nest,
    worker,
    vacancy,
    commit,
    read: (sql, values = []) =>
      units.run('test', (uow) => uow.commitOne('test', (tx) => tx.query(sql, values))),
    isIdle: (except) => held.all().every(({ claim }) => claim.queue === except),
    async close() {
      await (options.clock instanceof FakeClock
        ? movingOn(options.clock, nest.close())
        : nest.close());
      await database.drop();
    },
  };
}

/** Time passes while `work` waits for it. */
async function movingOn(clock: FakeClock, work: Promise<void>): Promise<void> {
  const settled = new AbortController();
  const settle = (): void => {
    settled.abort();
  };
  void work.then(settle, settle);
  while (!settled.signal.aborted) {
    clock.advance(50);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await work;
}

const quiet = (): void => undefined;
const SILENT = {
  log: quiet,
  warn: quiet,
  error: quiet,
  debug: quiet,
  verbose: quiet,
  fatal: quiet,
};
