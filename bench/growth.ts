/**
 * What the application's own calls cost in databases of growing size: a message received, a claim, what
 * the team and the candidate read, the sweeps, and the erasure of a person. Each size is a database of
 * its own on one server (bench/lib/growth-data.ts says what is in it), and the sizes take turns.
 *
 *   --sizes 10000,1000000    numbers of messages; 10 thousand to 10 million by default
 *   --data FOLDER            keep the databases there, for the next run
 *   --fill SECONDS           only generate, for at most so long; the next run goes on
 */
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Client, Pool } from 'pg';
import { AttentionService } from '../src/attention';
import { ExpirySweep } from '../src/buffer/flush';
import { UnitOfWorkFactory } from '../src/common/uow';
import { BufferService } from '../src/buffer';
import { ConversationViews, TranscriptService } from '../src/interview';
import { DoneJobSweep } from '../src/jobs';
import { ClaimRepository } from '../src/jobs/claim.repository';
import { migrate } from '../src/persistence';
import { PersonalDataService, RetentionService } from '../src/privacy';
import { commit, makeConversations, openApplication } from './lib/application';
import { writeBenchDocuments } from './lib/bench-documents';
import { openBenchDatabase } from './lib/database';
import { growTo, interviewsFor, settle } from './lib/growth-data';
import { type Figure, report } from './lib/report';
import { median, percentile } from './lib/stats';

const SIZES = [10_000, 100_000, 1_000_000, 10_000_000];
const ROUNDS = 10;
const BATCH = 16;
/** Jobs that a sweep finds to delete. */
const DONE = 200;
const OPEN_ITEMS = 20;
/** Interviews that get messages, so that a timer is moved as often as it is opened. */
const WRITERS = 100;
const ERASED = 40;
/** At the largest size, over the smallest. */
const MOST_RATIO = 1.5;

/** The server's memory for pages, as on a small machine of a database of this size. */
const SERVER = {
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '30min',
  maintenance_work_mem: '512MB',
};

interface Operation {
  readonly name: string;
  /** Of each size in each round. */
  readonly samples: number;
  /** Not timed. */
  prepare?(): Promise<unknown>;
  run(): Promise<unknown>;
}

interface Subject {
  readonly messages: number;
  readonly bytesPerMessage: number;
  readonly operations: readonly Operation[];
  readonly times: Map<string, number[]>;
  close(): Promise<void>;
}

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: SIZES.join(',') },
    data: { type: 'string' },
    fill: { type: 'string' },
  },
});

async function databaseOf(serverUrl: string, messages: number): Promise<string> {
  const name = `growth_${messages}`;
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
  if (rowCount === 0) await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await migrate(url.href);
  return url.href;
}

function openAt(url: string): Promise<NestFastifyApplication> {
  return openApplication(url, {
    // Older data than this is not there: a sweep finds out that nothing is due.
    RETENTION_PRESET: 'de-agg',
    INTERVIEW_MAX_MESSAGES: '100000',
  });
}

function poolOf(url: string): Pool {
  const pool = new Pool({ connectionString: url, max: 1 });
  // After a failure the server stops first; without this its disconnect error would hide the failure.
  pool.on('error', () => undefined);
  return pool;
}

/** Fills the database; false when the time was over before. */
async function fill(url: string, messages: number, endMs: number): Promise<boolean> {
  const pool = poolOf(url);
  const { rowCount } = await pool.query('select 1 from conversation limit 1');
  if (rowCount === 0) {
    const app = await openAt(url);
    await makeConversations(app, 1);
    await app.close();
  }
  const isDone = await growTo(pool, interviewsFor(messages), endMs);
  if (isDone) await settle(pool);
  await pool.end();
  return isDone;
}

async function open(url: string, messages: number): Promise<Subject> {
  const pool = poolOf(url);
  const { rows: size } = await pool.query<{ bytes: string; messages: string }>(
    `select pg_database_size(current_database()) as bytes,
       (select count(*) from message) as messages`,
  );
  const { rows } = await pool.query<{ id: string; candidateId: string }>(
    `select id, candidate_id as "candidateId" from conversation where status = 'completed'
     order by random() limit ${WRITERS + ERASED + 50}`,
  );
  const written = rows.slice(0, WRITERS).map(({ id }) => id);
  const erased = rows.slice(WRITERS, WRITERS + ERASED).map(({ candidateId }) => candidateId);
  const read = rows.slice(WRITERS + ERASED).map(({ id }) => id);
  await pool.query(
    `update conversation set status = 'active', channel = 'web' where id = any($1::uuid[])`,
    [written],
  );
  await pool.query(
    `insert into attention (kind, subject, conversation_id, reason, alerted_at)
     select 'human', 'bench:' || n, $1, 'The candidate asks for a person.', now()
     from generate_series(1, ${OPEN_ITEMS}) n on conflict do nothing`,
    [read[0]],
  );
  await pool.query('analyze conversation, attention');
  const app = await openAt(url);
  return {
    messages,
    bytesPerMessage: Number(size[0]?.bytes) / Number(size[0]?.messages),
    operations: operationsOf(app, pool, { written, erased, read }),
    times: new Map(),
    async close() {
      await app.close();
      await pool.end();
    },
  };
}

interface Chosen {
  readonly written: readonly string[];
  readonly erased: string[];
  readonly read: readonly string[];
}

function operationsOf(
  app: NestFastifyApplication,
  pool: Pool,
  { written, erased, read }: Chosen,
): Operation[] {
  const find = <T>(type: abstract new (...args: never[]) => T): T =>
    app.get<T>(type, { strict: false });
  const units = find(UnitOfWorkFactory);
  const [buffer, claims] = [find(BufferService), find(ClaimRepository)];
  const [transcripts, views, attention] = [
    find(TranscriptService),
    find(ConversationViews),
    find(AttentionService),
  ];
  const [doneJobs, expiry, retention] = [
    find(DoneJobSweep),
    find(ExpirySweep),
    find(RetentionService),
  ];
  const personal = find(PersonalDataService);
  let turn = 0;
  const next = (ids: readonly string[]): string => ids[turn++ % ids.length] ?? '';
  const addJobs = (count: number, columns: string, values: string): Promise<unknown> =>
    pool.query(
      `insert into job (queue, key, first_at, ${columns})
       select 'flush', gen_random_uuid(), now(), ${values} from generate_series(1, ${count}) n`,
    );
  return [
    {
      name: 'append',
      samples: 40,
      run: () =>
        units.run('bench', (uow) =>
          uow.commitOne('bench.append', (tx) =>
            buffer.append(tx, {
              conversationId: next(written),
              channel: 'web',
              externalId: randomUUID(),
              text: 'I kept the old ledger running beside the new one until both agreed.',
            }),
          ),
        ),
    },
    {
      name: `claim of ${BATCH}`,
      samples: 20,
      prepare: () =>
        addJobs(BATCH, 'state, due_at, quiet_at', `'open', now() - interval '1 hour', now()`),
      run: () => claims.claimReady({ queue: 'flush', single: false }, BATCH),
    },
    {
      name: 'view: a transcript for the team',
      samples: 20,
      run: () => commit(app, (tx) => transcripts.read(tx, next(read), null)),
    },
    {
      name: 'view: the page of a candidate',
      samples: 20,
      run: () =>
        commit(app, async (tx) => {
          const id = next(read);
          await views.view(tx, id);
          return views.page(tx, id);
        }),
    },
    {
      name: 'view: the attention list',
      samples: 20,
      run: () => commit(app, (tx) => attention.list(tx)),
    },
    {
      name: `sweep: ${DONE} done jobs deleted`,
      samples: 2,
      prepare: () => addJobs(DONE, 'state, ended_at', `'done', now() - interval '25 hours'`),
      run: () => doneJobs.run(),
    },
    { name: 'sweep: expired answers, none', samples: 5, run: () => expiry.run() },
    { name: 'sweep: retention, nothing due', samples: 1, run: () => retention.run() },
    {
      name: 'sweep: figures for /metrics',
      samples: 2,
      run: () => app.inject({ method: 'GET', url: '/metrics' }),
    },
    {
      name: 'erasure of a person',
      samples: ERASED / ROUNDS,
      run: () => commit(app, (tx) => personal.erase(tx, erased.pop() ?? '', 'bench')),
    },
  ];
}

/** Runs one operation as often as it is sampled; a failure is a figure too, as of a timeout. */
async function sample({ times }: Subject, operation: Operation): Promise<void> {
  const taken = times.get(operation.name) ?? [];
  times.set(operation.name, taken);
  for (let n = 0; n < operation.samples; n += 1) {
    await operation.prepare?.();
    const startedMs = performance.now();
    try {
      await operation.run();
      taken.push(performance.now() - startedMs);
    } catch (error) {
      process.stderr.write(`${operation.name}: ${String(error)}\n`);
      taken.push(Number.POSITIVE_INFINITY);
    }
  }
}

const inWords = (messages: number): string =>
  messages >= 1e6 ? `${messages / 1e6} M` : `${messages / 1e3} k`;

function figuresOf(subjects: readonly Subject[]): Figure[] {
  const [smallest] = subjects;
  const largest = subjects.at(-1);
  if (smallest === undefined || largest === undefined) return [];
  const at = (name: string, { messages }: Subject): string => `${name}, ${inWords(messages)}`;
  return [
    ...subjects.map((subject) => ({
      name: at('database for each message', subject),
      value: subject.bytesPerMessage,
      unit: 'B',
    })),
    ...smallest.operations.flatMap(({ name }) => {
      const timesOf = ({ times }: Subject): number[] => times.get(name) ?? [];
      const ratioOf = (subject: Subject): number =>
        median(timesOf(subject)) / median(timesOf(smallest));
      return [
        ...subjects.flatMap((subject): Figure[] => [
          { name: at(`${name}, median`, subject), value: median(timesOf(subject)), unit: 'ms' },
          {
            name: at(`${name}, p95`, subject),
            value: percentile(timesOf(subject), 0.95),
            unit: 'ms',
          },
        ]),
        ...subjects.slice(1).map((subject): Figure => ({
          name: at(`${name}, over ${inWords(smallest.messages)}`, subject),
          value: ratioOf(subject),
          unit: '×',
          ...(subject === largest ? { bound: { atMost: MOST_RATIO } } : {}),
        })),
      ];
    }),
  ];
}

async function main(): Promise<void> {
  const sizes = options.sizes.split(',').map(Number);
  const endMs = performance.now() + Number(options.fill ?? Infinity) * 1000;
  const server = await openBenchDatabase({
    parameters: SERVER,
    ...(options.data === undefined ? {} : { folder: options.data }),
  });
  try {
    const urls: string[] = [];
    for (const messages of sizes) {
      const url = await databaseOf(server.url, messages);
      if (!(await fill(url, messages, endMs))) {
        process.stdout.write(`${inWords(messages)}: not filled yet\n`);
        return;
      }
      urls.push(url);
    }
    process.stdout.write('all sizes are filled\n');
    if (options.fill !== undefined) return;
    const subjects: Subject[] = [];
    for (const [n, url] of urls.entries()) subjects.push(await open(url, sizes[n] ?? 0));
    // The first round is a warm-up.
    for (let round = 0; round <= ROUNDS; round += 1) {
      if (round === 1) for (const { times } of subjects) times.clear();
      const order = round % 2 === 0 ? subjects : [...subjects].reverse();
      for (const [n] of (subjects[0]?.operations ?? []).entries()) {
        for (const subject of order) {
          const operation = subject.operations[n];
          if (operation !== undefined) await sample(subject, operation);
        }
      }
    }
    report('growth', figuresOf(subjects), [
      `${ROUNDS} rounds in which the sizes take turns; the smallest is what the ratios refer to`,
      `data and indexes fit into the machine's memory; shared_buffers ${SERVER.shared_buffers}`,
    ]);
    for (const subject of subjects) await subject.close();
    // The chart of these figures, among others.
    writeBenchDocuments();
  } finally {
    await server.close();
  }
}

void main();
