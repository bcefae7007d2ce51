/**
 * One replica under many streams: 5,000 idle ones and 500 replies of 20 deltas a second, then more
 * replies until their deltas are late. Node's bare HTTP server gets the same load. Server and load
 * each have their own processor; PostgreSQL uses what is left of both.
 */
import { Client } from 'pg';
import {
  DELTAS_PER_SECOND,
  LATE_MS,
  type Ramp,
  SETTLE_MS,
  type Subject,
  WINDOW_MS,
  capacity,
  costMicros,
  measure,
  sleep,
} from './lib/capacity';
import { openBenchDatabase } from './lib/database';
import { EventReaders } from './lib/event-readers';
import {
  cpuSecondsOfFamily,
  pinTo,
  residentBytes,
  type Server,
  startServer,
} from './lib/processes';
import { report } from './lib/report';
import { sendMessage } from './lib/send';
import { type Stored, storedBy } from './lib/stored';

const IDLE = 5000;
const ACTIVE = 500;
const MOST_ACTIVE = 4000;
const DELTAS = 1800;
const START_PER_SECOND = 20;
const TRIES = 5;
const STEP = 1.1;
/** Until the first reply ends. */
const RAMP_MS = 82_000;
const [SERVER_CPU, LOAD_CPU] = [0, 1];

interface Ready {
  readonly url: string;
  readonly tokens: readonly string[];
}

interface IdleSubject extends Subject {
  openIdle(): Promise<void>;
}

function rampUntil(endMs: number): Ramp {
  return { from: ACTIVE, most: MOST_ACTIVE, step: STEP, endMs };
}

async function sendSurely(url: string, token: string): Promise<boolean> {
  for (let n = 0; n < TRIES; n += 1) {
    if (await sendMessage(url, token)) return true;
    await sleep(1000);
  }
  return false;
}

async function settledBytes({ pid }: Server<Ready>): Promise<number> {
  process.kill(pid, 'SIGUSR2');
  await sleep(2 * SETTLE_MS);
  return residentBytes(pid);
}

async function bareSubject(): Promise<IdleSubject> {
  const server = await startServer<Ready>('bare-deltas.ts', {}, SERVER_CPU);
  const readers = new EventReaders(new URL(server.ready.url));
  const open = (path: string, count: number): Promise<void> =>
    readers.open(
      path,
      Array.from({ length: count }, () => null),
    );
  return {
    server,
    readers,
    openIdle: () => open('/', IDLE),
    async addActive(count) {
      await open('/active', count);
      return true;
    },
  };
}

async function ourSubject(databaseUrl: string): Promise<IdleSubject & { server: Server<Ready> }> {
  const env = {
    DATABASE_URL: databaseUrl,
    BENCH_SESSIONS: String(IDLE + MOST_ACTIVE),
    BENCH_DELTAS: String(DELTAS),
    OPENAI_API_KEY: 'bench',
    INTERVIEW_BUFFER_ENABLED: 'false',
    JOB_FLUSH_CONCURRENCY: '2000',
  };
  const server = await startServer<Ready>('application.ts', env, SERVER_CPU);
  const { url, tokens } = server.ready;
  const path = '/api/v1/conversation/events';
  const readers = new EventReaders(new URL(url));
  let next = IDLE;
  return {
    server,
    readers,
    openIdle: () => readers.open(path, tokens.slice(0, IDLE)),
    async addActive(count) {
      const some = tokens.slice(next, next + count);
      next += count;
      await readers.open(path, some);
      const startedMs = performance.now();
      const sent = some.map(async (token, n) => {
        await sleep(startedMs + (n * 1000) / START_PER_SECOND - performance.now());
        return sendSurely(url, token);
      });
      return (await Promise.all(sent)).every(Boolean);
    },
  };
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  pinTo(LOAD_CPU);

  const bare = await bareSubject();
  await bare.openIdle();
  await bare.addActive(ACTIVE);
  const bareFirst = await measure(bare);
  const { most: bareMost, ...bareEnd } = await capacity(bare, bareFirst, rampUntil(Infinity));
  bare.readers.close();
  await bare.server.stop();

  const ours = await ourSubject(database.url);
  const client = new Client({ connectionString: database.url, application_name: 'bench' });
  await client.connect();
  const bytesEmpty = await settledBytes(ours.server);
  await ours.openIdle();
  const bytesIdle = await settledBytes(ours.server);
  const startedMs = performance.now();
  if (!(await ours.addActive(ACTIVE))) throw new Error('the server refused the first replies');
  const { rows } = await client.query<{ pid: number; name: string }>(
    `select pid, application_name as name from pg_stat_activity`,
  );
  const backend = rows.find(({ name }) => name === 'bench')?.pid ?? NaN;
  const databaseBefore = cpuSecondsOfFamily(backend);
  const storedBefore = await storedBy(client);
  const storedSinceMs = performance.now();
  let first = await measure(ours);
  if (first.p99 > LATE_MS) first = await measure(ours);
  const stored = await storedBy(client);
  const deltas = (first.streams * DELTAS_PER_SECOND * (performance.now() - storedSinceMs)) / 1000;
  const perDelta = (what: keyof Stored): number => (stored[what] - storedBefore[what]) / deltas;
  const databaseCpu =
    (cpuSecondsOfFamily(backend) - databaseBefore) / ((SETTLE_MS + WINDOW_MS) / 1000);
  const shares = await ours.server.ask<string[]>('profile');
  const bytesActive = residentBytes(ours.server.pid);
  const { most, endedBy } = await capacity(ours, first, rampUntil(startedMs + RAMP_MS));
  ours.readers.close();
  await client.end();

  const isNoisy = bareFirst.p99 > LATE_MS / 2;
  const ratio = most.streams / bareMost.streams;
  report(
    'scale',
    [
      { name: 'idle stream', value: (bytesIdle - bytesEmpty) / IDLE / 1000, unit: 'kB' },
      {
        name: 'reply that is being written, and its stream',
        value: (bytesActive - bytesIdle) / first.streams / 1000,
        unit: 'kB',
      },
      { name: 'replies that are being written', value: first.streams, unit: '' },
      { name: 'the soonest delta to its reader', value: first.soonest, unit: 'ms' },
      { name: `delta to its reader at ${ACTIVE}, p50`, value: first.p50, unit: 'ms', isNoisy },
      { name: `delta to its reader at ${ACTIVE}, p99`, value: first.p99, unit: 'ms', isNoisy },
      { name: 'the same of bare Node, p99', value: bareFirst.p99, unit: 'ms' },
      { name: `processor of the server at ${ACTIVE}`, value: 100 * first.serverCpu, unit: '%' },
      { name: 'the same of bare Node', value: 100 * bareFirst.serverCpu, unit: '%' },
      { name: `processor of PostgreSQL at ${ACTIVE}`, value: 100 * databaseCpu, unit: '%' },
      {
        name: 'database connections',
        value: rows.filter(({ name }) => name.startsWith('colloquy')).length,
        unit: '',
        bound: { atMost: 10 },
      },
      { name: 'processor for each delta', value: costMicros(first), unit: 'µs' },
      { name: 'the same of bare Node', value: costMicros(bareFirst), unit: 'µs' },
      {
        name: 'rows written for each delta',
        value: perDelta('rows'),
        unit: '',
        bound: { atMost: 0.1 },
      },
      { name: 'of them pieces of text', value: perDelta('pieces'), unit: '' },
      { name: 'of them heartbeats', value: perDelta('heartbeats'), unit: '' },
      { name: 'WAL records for each delta', value: perDelta('walRecords'), unit: '' },
      { name: `replies at p99 within ${LATE_MS} ms`, value: most.streams, unit: '' },
      { name: 'processor of the server then', value: 100 * most.serverCpu, unit: '%' },
      { name: 'the same of bare Node', value: bareMost.streams, unit: '' },
      { name: 'processor of the load then', value: 100 * bareMost.loadCpu, unit: '%' },
      { name: 'ours over bare', value: ratio, unit: '×', bound: { atLeast: 0.7 }, isNoisy },
    ],
    [
      `${IDLE} idle streams beside them; deltas of 10 characters, 20 a second; how late against when a delta was due`,
      `replies added in steps of ${Math.round(100 * (STEP - 1))} %; ended by ${endedBy}, of bare Node by ${bareEnd.endedBy}`,
      ...shares.slice(0, 15).map((share) => `the server's busy time: ${share}`),
    ],
  );
  await ours.server.stop();
  await database.close();
}

void main();
