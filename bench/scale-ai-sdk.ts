/**
 * A comparison with what a user would take instead: the AI SDK's `streamText` on Node's HTTP server
 * with resumable streams on Redis. Each server has its own processor; the model server, which is the
 * same for both, Redis or PostgreSQL, and the readers share the other. Replies are added until one
 * delta in a hundred is late. The processor time of the server and of its store (Redis, PostgreSQL)
 * are measured apart; both are divided by the number of deltas that readers got.
 *
 * Not comparable: theirs keeps a reply in the memory of one process until it ends, has no
 * authentication and no database; ours stores every message, stores the growing reply each second, and
 * streams to any replica. Readers of ours use `/events`, readers of theirs the response to the chat
 * request.
 *
 * It needs redis-server and packages that are no dependencies of the project; without them it prints
 * what is missing and ends.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { Client } from 'pg';
import {
  type Capacity,
  LATE_MS,
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
import { cpuSeconds, cpuSecondsOfFamily, pinTo, startServer } from './lib/processes';
import { type Figure, report } from './lib/report';
import { sendMessage } from './lib/send';

const FIRST = 20;
const MOST = 1200;
const STEP = 1.25;
const START_PER_SECOND = 25;
const DELTAS = 1800;
/** For each of the two servers; shorter than a reply takes. */
const LONGEST_MS = 80_000;
/** Unmeasured windows of the first replies, so that the code of both servers is compiled. */
const WARM_UPS = 3;
const [SERVER_CPU, LOAD_CPU] = [0, 1];

interface Ready {
  readonly url: string;
  readonly tokens: readonly string[];
}

interface Measured extends Capacity {
  readonly shares: readonly string[];
  /** Microseconds of the store's processor for each delta, over the whole ramp. */
  readonly storeMicros: number;
}

/** Calls `begin` for each at a steady rate; false when one of them was refused. */
async function startEach<T>(
  all: readonly T[],
  begin: (one: T) => Promise<boolean>,
): Promise<boolean> {
  const startedMs = performance.now();
  const begun = all.map(async (one, n) => {
    await sleep(startedMs + (n * 1000) / START_PER_SECOND - performance.now());
    return begin(one);
  });
  return (await Promise.all(begun)).every(Boolean);
}

async function theirSubject(modelUrl: string, redisUrl: string): Promise<Subject> {
  const env = { OPENAI_BASE_URL: modelUrl, REDIS_URL: redisUrl, NODE_ENV: 'production' };
  const server = await startServer<Ready>('ai-sdk.mjs', env, SERVER_CPU);
  const readers = new EventReaders(new URL(server.ready.url));
  const body = (): object => ({
    id: randomUUID(),
    message: { id: randomUUID(), role: 'user', parts: [{ type: 'text', text: 'Rye.' }] },
  });
  return {
    server,
    readers,
    addActive: (count) =>
      startEach(Array.from({ length: count }, body), async (one) => {
        await readers.post('/api/chat', [one]);
        return true;
      }),
  };
}

async function ourSubject(modelUrl: string, databaseUrl: string): Promise<Subject> {
  const env = {
    DATABASE_URL: databaseUrl,
    BENCH_SESSIONS: String(MOST),
    OPENAI_API_KEY: 'bench',
    OPENAI_BASE_URL: modelUrl,
    INTERVIEW_BUFFER_ENABLED: 'false',
    JOB_FLUSH_CONCURRENCY: '2000',
    OPENAI_MAX_OUTPUT_TOKENS: '16000',
  };
  const server = await startServer<Ready>('application.ts', env, SERVER_CPU);
  const { url, tokens } = server.ready;
  const readers = new EventReaders(new URL(url));
  let next = 0;
  return {
    server,
    readers,
    async addActive(count) {
      const some = tokens.slice(next, next + count);
      next += count;
      await readers.open('/api/v1/conversation/events', some);
      return startEach(some, (token) => sendMessage(url, token));
    },
  };
}

/** `storeSeconds` returns the processor time that Redis or PostgreSQL has used so far. */
async function measured(subject: Subject, storeSeconds: () => number): Promise<Measured> {
  const endMs = performance.now() + LONGEST_MS;
  if (!(await subject.addActive(FIRST))) throw new Error('the server refused the first replies');
  for (let n = 0; n < WARM_UPS; n += 1) await measure(subject);
  const storeBefore = storeSeconds();
  const first = await measure(subject);
  const storeUsed = storeSeconds() - storeBefore;
  if (first.p99 > LATE_MS) {
    throw new Error(`p99 is ${first.p99.toFixed(0)} ms at ${FIRST} replies: a busy machine`);
  }
  const deltas = (first.deltasPerSecond * (SETTLE_MS + WINDOW_MS)) / 1000;
  const most = await capacity(subject, first, { from: FIRST, most: MOST, step: STEP, endMs });
  // Profiled under the largest load that was reached, or just above it.
  const shares = await subject.server.ask<string[]>('profile');
  subject.readers.close();
  await subject.server.stop();
  return { ...most, shares, storeMicros: (1e6 * storeUsed) / deltas };
}

/** A Redis that writes nothing to disk, and ends with the bench. */
async function startRedis(): Promise<{ url: string; pid: number; stop(): Promise<void> }> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  const options = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', ['--port', String(port), ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  for await (const text of child.stdout) if (/ready to accept/i.test(String(text))) break;
  child.stdout.resume();
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid ?? NaN,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** What is missing, and how to get it. */
function missing(): string | null {
  if (spawnSync('redis-server', ['--version']).error !== undefined) {
    return 'no redis-server: apt-get install -y --no-install-recommends redis-server';
  }
  const isInstalled = existsSync(path.join(__dirname, 'node_modules', 'resumable-stream'));
  return isInstalled ? null : 'npm ci --prefix bench installs its packages';
}

async function main(): Promise<void> {
  const lack = missing();
  if (lack !== null) {
    process.stdout.write(`scale-ai-sdk: SKIPPED, nothing was compared; ${lack}\n`);
    return;
  }
  const database = await openBenchDatabase();
  pinTo(LOAD_CPU);
  const model = await startServer<{ url: string }>(
    'timed-model.ts',
    { BENCH_DELTAS: String(DELTAS) },
    LOAD_CPU,
  );
  const redis = await startRedis();
  const theirs = await measured(await theirSubject(model.ready.url, redis.url), () =>
    cpuSeconds(redis.pid),
  );
  await redis.stop();
  const client = new Client({ connectionString: database.url, application_name: 'bench' });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const ours = await measured(await ourSubject(model.ready.url, database.url), () =>
    cpuSecondsOfFamily(rows[0]?.pid ?? NaN),
  );
  await client.end();
  await model.stop();
  await database.close();

  const figuresOf = (whose: string, { most, storeMicros }: Measured): Figure[] => [
    { name: `${whose}: replies at p99 within ${LATE_MS} ms`, value: most.streams, unit: '' },
    { name: `${whose}: delta to its reader then, p50`, value: most.p50, unit: 'ms' },
    { name: `${whose}: delta to its reader then, p99`, value: most.p99, unit: 'ms' },
    { name: `${whose}: processor of the server then`, value: 100 * most.serverCpu, unit: '%' },
    {
      name: `${whose}: processor of the readers then`,
      value: 100 * most.loadCpu,
      unit: '%',
    },
    {
      name: `${whose}: processor of the server for each delta`,
      value: costMicros(most),
      unit: 'µs',
    },
    { name: `${whose}: processor of its store for each delta`, value: storeMicros, unit: 'µs' },
  ];
  report(
    'scale-ai-sdk',
    [
      ...figuresOf('AI SDK', theirs),
      ...figuresOf('ours', ours),
      {
        name: 'processor for each delta, theirs over ours',
        value: costMicros(theirs.most) / costMicros(ours.most),
        unit: '×',
        bound: { atLeast: 1.5 },
      },
      {
        name: 'replies, ours over theirs',
        value: ours.most.streams / theirs.most.streams,
        unit: '×',
        bound: { atLeast: 1.5 },
      },
    ],
    [
      `deltas of 10 characters, 20 a second, from the same model server; replies added in steps of ${Math.round(100 * (STEP - 1))} %`,
      `ended by ${ours.endedBy}, theirs by ${theirs.endedBy}`,
      ...theirs.shares.slice(0, 8).map((share) => `AI SDK's busy time: ${share}`),
      ...ours.shares.slice(0, 12).map((share) => `our busy time: ${share}`),
    ],
  );
}

void main();
