/**
 * What it costs to read a reply on a replica that does not write it. 200 replies of 20 deltas a
 * second are written on one replica, and all have a reader on the other. The control: a tenth of the
 * replies also have a reader on the replica that writes them. Also measured: the WAL, compared with one
 * row for each delta.
 */
import { get } from 'node:http';
import { Client } from 'pg';
import { openBenchDatabase } from './lib/database';
import { lateMs, momentText } from './lib/moments';
import { startServer } from './lib/processes';
import { report } from './lib/report';
import { sendMessage } from './lib/send';
import { median, percentile } from './lib/stats';

const STREAMS = 200;
const BLOCKS = 2;
const DELTAS = 700;
const EVERY_MS = 50;
/** The window that is measured: all replies are being written in it. */
const WINDOW_FROM_MS = 24_000;
const WINDOW_TO_MS = 30_000;
/** Replies begin one after another, because the load of many starts at once is not measured. */
const START_EVERY_MS = 100;
const ROWS = 2000;

interface Ready {
  readonly url: string;
  readonly tokens: readonly string[];
}

/** Passes on how late each delta arrives; returns a function that closes the stream. */
function watch(url: string, token: string, late: (ms: number) => void): Promise<() => void> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const path = '/api/v1/conversation/events';
    const stream = get(`${url}${path}`, { headers, agent: false }, (response) => {
      response.on('data', (data) => {
        for (const ms of lateMs(data as Buffer)) late(ms);
      });
      response.once('data', () => {
        resolve(() => stream.destroy());
      });
    });
    stream.once('error', reject);
  });
}

async function send(url: string, token: string): Promise<void> {
  if (!(await sendMessage(url, token))) throw new Error('a message was refused');
}

async function wal(client: Client): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`,
  );
  return Number(rows[0]?.bytes);
}

/** Bytes of WAL for a delta that is stored as its own row in its own commit. */
async function walOfRow(client: Client): Promise<number> {
  await client.query(
    `create table delta (turn_id bigint, epoch int, start_at int, text text,
       primary key (turn_id, epoch, start_at))`,
  );
  const before = await wal(client);
  for (let n = 0; n < ROWS; n += 1) {
    await client.query('insert into delta values ($1, 1, $2, $3)', [n % STREAMS, n, momentText(n)]);
  }
  return ((await wal(client)) - before) / ROWS;
}

interface Block {
  readonly own: number[];
  readonly wrong: number[];
  readonly walPerSecond: number;
  readonly deltasPerSecond: number;
  readonly connections: number;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const env = {
    DATABASE_URL: database.url,
    OPENAI_API_KEY: 'bench',
    BENCH_DELTAS: String(DELTAS),
    INTERVIEW_BUFFER_ENABLED: 'false',
  };
  const sessions = { BENCH_SESSIONS: String(STREAMS) };
  const writing = await startServer<Ready>('application.ts', { ...env, ...sessions });
  const other = await startServer<Ready>('application.ts', { ...env, BENCH_CLAIMS: 'none' });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { tokens } = writing.ready;
  const late: Record<'own' | 'wrong', number[]> = { own: [], wrong: [] };
  const readers = [];
  for (const [n, token] of tokens.entries()) {
    if (n % 10 === 0) {
      readers.push(await watch(writing.ready.url, token, (ms) => late.own.push(ms)));
    }
    readers.push(await watch(other.ready.url, token, (ms) => late.wrong.push(ms)));
  }

  const run = async (): Promise<Block> => {
    const startedMs = performance.now();
    const at = (ms: number): Promise<void> => sleep(startedMs + ms - performance.now());
    for (let from = 0; from < STREAMS; from += 10) {
      await at(from * START_EVERY_MS);
      await Promise.all(
        tokens.slice(from, from + 10).map((token) => send(writing.ready.url, token)),
      );
    }
    await at(WINDOW_FROM_MS);
    late.own = [];
    late.wrong = [];
    const before = await wal(client);
    await at(WINDOW_TO_MS);
    const bytes = (await wal(client)) - before;
    const { own, wrong } = late;
    const { rows } = await client.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where application_name like 'colloquy%'`,
    );
    await at(STREAMS * START_EVERY_MS + DELTAS * EVERY_MS + 4000);
    const seconds = (WINDOW_TO_MS - WINDOW_FROM_MS) / 1000;
    return {
      own,
      wrong,
      walPerSecond: bytes / seconds,
      deltasPerSecond: wrong.length / seconds,
      connections: rows[0]?.n ?? NaN,
    };
  };

  const blocks: Block[] = [];
  for (let n = 0; n < BLOCKS; n += 1) blocks.push(await run());
  const rowBytes = await walOfRow(client);
  const of = (value: (block: Block) => number): number => median(blocks.map(value));
  report(
    'wrong-replica',
    [
      {
        name: 'delta to its reader on the same replica, p99',
        value: of((b) => percentile(b.own, 0.99)),
        unit: 'ms',
      },
      {
        name: 'delta to its reader on the other replica, p50',
        value: of((b) => median(b.wrong)),
        unit: 'ms',
      },
      {
        name: 'delta to its reader on the other replica, p99',
        value: of((b) => percentile(b.wrong, 0.99)),
        unit: 'ms',
      },
      {
        name: 'lag of the other replica, p99',
        value: of((b) => percentile(b.wrong, 0.99) - percentile(b.own, 0.99)),
        unit: 'ms',
        bound: { atMost: 100 },
        isNoisy: of((b) => percentile(b.own, 0.99)) > 50,
      },
      {
        name: 'frames per second on the other replica',
        value: of((b) => b.deltasPerSecond),
        unit: '/s',
      },
      { name: 'WAL of the replies', value: of((b) => b.walPerSecond) / 1000, unit: 'kB/s' },
      { name: 'WAL of a row for each delta', value: (rowBytes * STREAMS) / EVERY_MS, unit: 'kB/s' },
      {
        name: 'WAL against a row for each delta',
        value: of((b) => b.walPerSecond) / ((rowBytes * STREAMS * 1000) / EVERY_MS),
        unit: '×',
        bound: { atMost: 0.1 },
      },
      {
        name: 'database connections of a replica',
        value: of((b) => b.connections / 2),
        unit: '',
        bound: { atMost: 10 },
      },
    ],
    [`${STREAMS} replies of ${1000 / EVERY_MS} deltas per second, 2 replicas, ${BLOCKS} blocks`],
  );
  for (const leave of readers) leave();
  await client.end();
  await writing.stop();
  await other.stop();
  await database.close();
}

void main();
