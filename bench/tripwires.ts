/**
 * Whether commits stay short under load: 200 conversations on a pool of 5, each with a reader and
 * nearly always with a reply of 20 deltas a second. Measured: how long commits take, how long they wait
 * for a connection, whether they wait for locks, and whether a connection is idle inside a transaction.
 */
import { Client } from 'pg';
import type { Commits } from './lib/commit-log';
import { openBenchDatabase } from './lib/database';
import { EventReaders } from './lib/event-readers';
import { startServer } from './lib/processes';
import { report } from './lib/report';
import { sendMessage } from './lib/send';
import { median, percentile } from './lib/stats';

const STREAMS = 200;
const POOL = 5;
const DELTAS = 160;
/** A reply takes 8 s; the next answer is sent a little later. */
const TURN_MS = 10_000;
const WARM_UP_MS = 12_000;
const MEASURED_MS = 30_000;
const SAMPLE_MS = 20;
/** A connection that is idle inside a transaction for longer than this counts: its flow waits for something. */
const IDLE_MS = 50;

/** Commits that belong to one turn, without those that all turns of a replica share. */
const OF_A_TURN = ['buffer.append', 'flush.admit', 'turn.open', 'turn.close'];
const SESSION_AND_LEDGER = ['session.resolve', 'llm.open', 'llm.settle'];

interface Ready {
  readonly url: string;
  readonly tokens: readonly string[];
}

interface Samples {
  taken: number;
  idleInTransaction: number;
  lockWaits: number;
  longestIdleMs: number;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Samples the application's connections until `until` returns true. */
async function sample(client: Client, until: () => boolean): Promise<Samples> {
  const samples: Samples = { taken: 0, idleInTransaction: 0, lockWaits: 0, longestIdleMs: 0 };
  while (!until()) {
    const { rows } = await client.query<{ idleMs: number; isLocked: boolean }>(
      `select case when state like 'idle in transaction%'
           then extract(epoch from clock_timestamp() - state_change)::float8 * 1000
           else 0 end as "idleMs",
         coalesce(wait_event_type = 'Lock', false) as "isLocked"
       from pg_stat_activity where application_name = 'colloquy'`,
    );
    const idleMs = Math.max(0, ...rows.map((row) => row.idleMs));
    samples.taken += 1;
    if (idleMs > IDLE_MS) samples.idleInTransaction += 1;
    if (rows.some(({ isLocked }) => isLocked)) samples.lockWaits += 1;
    samples.longestIdleMs = Math.max(samples.longestIdleMs, idleMs);
    await sleep(SAMPLE_MS);
  }
  return samples;
}

/** Sends a message every TURN_MS; returns how many were refused. */
async function converse(url: string, token: string, from: number, until: number): Promise<number> {
  let refused = 0;
  for (let nextMs = from; nextMs < until; nextMs += TURN_MS) {
    await sleep(nextMs - performance.now());
    if (!(await sendMessage(url, token))) refused += 1;
  }
  return refused;
}

function perTurn({ durations }: Commits, labels: readonly string[]): number {
  const count = (label: string): number => durations[label]?.length ?? 0;
  return labels.reduce((sum, label) => sum + count(label), 0) / count('turn.close');
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const server = await startServer<Ready>('application.ts', {
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: String(POOL),
    BENCH_SESSIONS: String(STREAMS),
    BENCH_DELTAS: String(DELTAS),
    OPENAI_API_KEY: 'bench',
    INTERVIEW_BUFFER_ENABLED: 'false',
  });
  const client = new Client({ connectionString: database.url, application_name: 'bench' });
  await client.connect();
  const { url, tokens } = server.ready;
  const readers = new EventReaders(new URL(url));
  await readers.open('/api/v1/conversation/events', tokens);

  const startedMs = performance.now();
  const endMs = startedMs + WARM_UP_MS + MEASURED_MS;
  const conversations = tokens.map((token, n) =>
    converse(url, token, startedMs + (n * TURN_MS) / STREAMS, endMs),
  );
  await sleep(WARM_UP_MS);
  await server.ask<Commits>('commits');
  readers.forget();
  const samples = await sample(client, () => performance.now() >= endMs);
  const commits = await server.ask<Commits>('commits');
  const refused = (await Promise.all(conversations)).reduce((sum, each) => sum + each, 0);

  const all = Object.values(commits.durations).flat();
  const slowest = Object.entries(commits.durations)
    .map(([label, times]) => ({ label, times, p99: percentile(times, 0.99) }))
    .toSorted((a, b) => b.p99 - a.p99);
  const turns = commits.durations['turn.close']?.length ?? 0;
  const ofTurn = perTurn(commits, OF_A_TURN);
  report(
    'tripwires',
    [
      { name: 'turns', value: turns / (MEASURED_MS / 1000), unit: '/s' },
      { name: 'commit, p50', value: median(all), unit: 'ms' },
      { name: 'commit, p99', value: percentile(all, 0.99), unit: 'ms', bound: { atMost: 100 } },
      {
        name: 'wait for a connection, p99',
        value: percentile(commits.poolWaits, 0.99),
        unit: 'ms',
      },
      {
        name: 'wait for a connection, longest',
        value: Math.max(...commits.poolWaits),
        unit: 'ms',
        bound: { atMost: 50 },
      },
      { name: 'lock waits given up', value: commits.lockWaitsGivenUp, unit: '' },
      { name: 'samples with a lock wait', value: samples.lockWaits, unit: `of ${samples.taken}` },
      { name: 'commits rolled back', value: commits.rolledBack, unit: '' },
      { name: 'messages refused', value: refused, unit: '', bound: { atMost: 0 } },
      {
        name: 'commits of a turn, at least',
        value: ofTurn,
        unit: '',
        bound: { atLeast: 3 },
      },
      { name: 'commits of a turn, at most', value: ofTurn, unit: '', bound: { atMost: 5 } },
      {
        name: 'with those of the session and the ledger',
        value: perTurn(commits, [...OF_A_TURN, ...SESSION_AND_LEDGER]),
        unit: '',
      },
      {
        name: `samples with a connection idle in a transaction > ${IDLE_MS} ms`,
        value: samples.idleInTransaction,
        unit: `of ${samples.taken}`,
        bound: { atMost: 0 },
      },
      { name: 'longest seen idle in a transaction', value: samples.longestIdleMs, unit: 'ms' },
      { name: 'delta to its reader, p99', value: percentile(readers.late, 0.99), unit: 'ms' },
    ],
    [
      `${STREAMS} conversations, a reply of ${(DELTAS * 50) / 1000} s every ${TURN_MS / 1000} s each, pool of ${POOL}, ${MEASURED_MS / 1000} s`,
      `commits of a turn: ${OF_A_TURN.join(', ')}; beside it: ${SESSION_AND_LEDGER.join(', ')}`,
      `slowest at p99: ${slowest
        .slice(0, 5)
        .map(({ label, times, p99 }) => `${label} ${p99.toFixed(1)} ms of ${times.length}`)
        .join(', ')}`,
    ],
  );
  readers.close();
  await client.end();
  await server.stop();
  await database.close();
}

void main();
