/**
 * `colloquy scenarios`: plays the scenario bank against the real application on an embedded PostgreSQL of its
 * own, which is removed afterwards, and prints the transcripts and a table. Time is faked, except with a real
 * model.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import path from 'node:path';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApplication } from '../../src/bootstrap/application';
import { SystemClock } from '../../src/common/clock';
import { Settings } from '../../src/common/config';
import { UnitOfWorkFactory, type Tx } from '../../src/common/uow';
import { JobWorker } from '../../src/jobs';
import { HeldJobs } from '../../src/jobs/held-jobs';
import { migrate } from '../../src/persistence';
import { startEmbeddedPostgres } from '../../src/persistence/embedded';
import { VacancyRepository, type Vacancy } from '../../src/vacancies';
import { FakeClock } from '../support/fake-clock';
import { SCENARIOS } from './bank';
import { BEHAVIOURS, BehavedModel } from './behaved-model';
import { changedResults, readResults, resultsOf, writeResults } from './stored-results';
import {
  type Interviewer,
  type Played,
  type Stage,
  play,
  storeDocuments,
  vacancyFor,
} from './play';

declare module '../../src/common/uow' {
  interface LabelAreas {
    scenarios: 'scenarios';
  }
}

const WINDOW_MS = 200;
const LOOK_EVERY_MS = 20;
const HOUR_MS = 3_600_000;
const INTERVIEWERS: readonly Interviewer[] = ['scripted', ...BEHAVIOURS, 'real'];
const SILENT = { log() {}, warn() {}, error: console.error, debug() {}, verbose() {} };

interface Options {
  readonly interviewers: readonly Interviewer[];
  readonly isJson: boolean;
  /** The results become the stored ones. */
  readonly isStored: boolean;
}

async function run({ interviewers, isJson, isStored }: Options): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'colloquy-scenarios-'));
  progress('starting PostgreSQL');
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log() {}, disposable: true });
  const model = await BehavedModel.start(SCENARIOS);
  try {
    await migrate(postgres.url);
    const played: Played[] = [];
    for (const interviewer of interviewers) {
      played.push(...(await playWith(postgres.url, model, interviewer, isJson)));
    }
    if (isJson) process.stdout.write(`${JSON.stringify({ played: played.map(short) }, null, 2)}\n`);
    else print(played);
    if (played.some(({ problems }) => problems.length > 0)) process.exitCode = 1;
    else if (isStored) store(played);
  } finally {
    progress('');
    await model.close();
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function playWith(
  databaseUrl: string,
  model: BehavedModel,
  interviewer: Interviewer,
  isJson: boolean,
): Promise<Played[]> {
  const clock = interviewer === 'real' ? new SystemClock() : new FakeClock();
  const { OPENAI_API_KEY = '', OPENAI_BASE_URL, OPENAI_MODEL } = process.env;
  const real = {
    OPENAI_API_KEY,
    ...(OPENAI_BASE_URL === undefined ? {} : { OPENAI_BASE_URL }),
    ...(OPENAI_MODEL === undefined ? {} : { OPENAI_MODEL }),
  };
  const own = interviewer === 'scripted' ? {} : interviewer === 'real' ? real : model.env;
  if (interviewer !== 'scripted' && interviewer !== 'real') model.behaviour = interviewer;
  progress(`${interviewer}: starting Colloquy`);
  const settings = Settings.fromEnvironment({
    HOST: '127.0.0.1',
    INTERVIEW_SCRIPTED_PACE: '0',
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: String(WINDOW_MS / 1000),
    SHUTDOWN_DEADLINE: '5',
    // All candidates answer at the same moment, which a small pool does not keep up with.
    JOB_FLUSH_CONCURRENCY: '8',
    ...own,
  });
  const app = await createApplication({ settings, clock, databaseUrl, logger: SILENT });
  const schedules = app.get(SchedulerRegistry, { strict: false });
  for (const name of schedules.getIntervals()) schedules.deleteInterval(name);
  for (const job of schedules.getCronJobs().values()) await job.stop();
  const stage = stageOf(app, clock);
  const startedAt = performance.now();
  try {
    const vacancies = { en: await vacancyOf(app, 'en'), ru: await vacancyOf(app, 'ru') };
    await storeDocuments(stage, vacancies);
    const played = await play(stage, vacancies, SCENARIOS, interviewer);
    progress('');
    if (!isJson) await printCost(stage, interviewer, performance.now() - startedAt);
    return played;
  } finally {
    const closed = { isOver: false };
    const closing = app.close().finally(() => (closed.isOver = true));
    while (!closed.isOver) await wait(clock, 50);
    await closing;
  }
}

function stageOf(app: NestFastifyApplication, clock: FakeClock | SystemClock): Stage {
  const units = app.get(UnitOfWorkFactory, { strict: false });
  const worker = app.get(JobWorker, { strict: false });
  const held = app.get(HeldJobs, { strict: false });
  const commit = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    units.run('scenarios', (uow) => uow.commit('scenarios', work));
  const sql = <Row>(statement: string, values: readonly unknown[]): Promise<Row[]> =>
    commit((tx) => tx.query<Row>(statement, [...values]));
  const waiting = `select 1 from job where queue = 'flush' and state not in ('done', 'dead')`;
  return {
    get: (token) => app.get(token as never, { strict: false }),
    commit,
    sql,
    progress,
    settle: async () => {
      await wait(clock, WINDOW_MS);
      while ((await sql(waiting, [])).length > 0) {
        await worker.tick();
        while (held.all().length > 0) await pause(LOOK_EVERY_MS / 10);
        await wait(clock, LOOK_EVERY_MS);
      }
      await wait(clock, WINDOW_MS);
    },
    passDays: async (days) => {
      for (let hours = 0; hours < days * 24; hours += 3) {
        await wait(clock, 3 * HOUR_MS);
        while ((await worker.tick()) > 0) {
          while (held.all().length > 0) await pause(LOOK_EVERY_MS / 10);
        }
      }
    },
  };
}

/** Replaces the last line of a terminal; an empty text only removes it. */
function progress(text: string): void {
  const { stderr } = process;
  if (!stderr.isTTY || process.env.TERM === 'dumb') return;
  stderr.write(`\r\u001b[2K${text === '' ? '' : `${text}…`}`);
}

/** Moves fake time, or lets real time pass. */
async function wait(clock: FakeClock | SystemClock, ms: number): Promise<void> {
  if (clock instanceof FakeClock) clock.advance(ms);
  await pause(clock instanceof FakeClock ? 1 : ms);
}

async function vacancyOf(app: NestFastifyApplication, language: 'en' | 'ru'): Promise<Vacancy> {
  const vacancies = app.get(VacancyRepository, { strict: false });
  const { vacancy } = await app
    .get(UnitOfWorkFactory, { strict: false })
    .run('scenarios', (uow) =>
      uow.commit('scenarios', (tx) => vacancies.upsert(tx, vacancyFor(language))),
    );
  return vacancy;
}

async function printCost(stage: Stage, interviewer: Interviewer, ms: number): Promise<void> {
  const [row] = await stage.sql<{ requests: number; input: number; output: number }>(
    `select count(*)::int as requests, coalesce(sum(input_tokens), 0)::int as input,
       coalesce(sum(output_tokens), 0)::int as output from llm_attempt`,
    [],
  );
  const { requests = 0, input = 0, output = 0 } = row ?? {};
  const tokens = `${String(requests)} requests so far, ${String(input)} tokens in, ${String(output)} out`;
  process.stdout.write(`${interviewer}: ${(ms / 1000).toFixed(1)} s, ${tokens}\n`);
}

function short({ scenario, transcript, ...rest }: Played): object {
  return { id: scenario.id, row: scenario.row, ...rest, transcript };
}

function print(played: readonly Played[]): void {
  for (const { scenario, interviewer, transcript } of played) {
    process.stdout.write(`\n${scenario.id} (${scenario.row}, ${interviewer})\n`);
    for (const { role, text } of transcript) {
      process.stdout.write(
        `  ${role === 'user' ? '>' : ' '} ${text.replace(/\n+/g, ' / ').slice(0, 300)}\n`,
      );
    }
  }
  process.stdout.write('\ncandidate                  interviewer  status       verdicts\n');
  for (const { scenario, interviewer, ending, problems } of played) {
    const { status, verdicts } = ending;
    const start = `${scenario.id.padEnd(37)}${interviewer.padEnd(13)}${status.padEnd(13)}`;
    process.stdout.write(`${start}${verdicts.join(' ')}\n`);
    for (const problem of problems) process.stdout.write(`  wrong: ${problem}\n`);
  }
  const wrong = played.filter(({ problems }) => problems.length > 0).length;
  process.stdout.write(`\n${String(played.length)} interviews, ${String(wrong)} with a problem\n`);
}

/** Says on stderr what changed, because stdout may be JSON. */
function store(played: readonly Played[]): void {
  const changed = changedResults(readResults(), resultsOf(played));
  writeResults(played);
  for (const change of changed) process.stderr.write(`changed: ${change}\n`);
  process.stderr.write(`stored ${played.length} results, ${changed.length} of them changed\n`);
}

function optionsOf(argv: readonly string[]): Options {
  const named = INTERVIEWERS.filter((one) => argv.includes(one));
  const byDefault = INTERVIEWERS.filter((one) => one !== 'real');
  return {
    interviewers: named.length === 0 ? byDefault : named,
    isJson: argv.includes('--json'),
    isStored: argv.includes('--store'),
  };
}

void run(optionsOf(process.argv.slice(2)));
