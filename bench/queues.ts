/**
 * The jobs of Colloquy beside the queues that a project on Node would otherwise take: pg-boss and
 * Graphile Worker on the same PostgreSQL, BullMQ on Redis. Each runs in a process of its own with the
 * settings that its documentation gives for throughput, and they take turns. A job is stored by a
 * commit of its own, as when it belongs to the change that it follows from. The effect of a job is one row
 * in PostgreSQL.
 *
 * Not comparable: a job of ours is completed in the commit of its own effect, which it shares with others,
 * fenced by its claim, so a crash never leaves an effect without its completion; one key has at most one
 * running job, in order. The others complete a job after its handler has committed the effect, Graphile Worker
 * and pg-boss many at once here: after a crash all that were taken and not completed run again, and write
 * their rows again. pg-boss and Graphile Worker store jobs in the
 * caller's transaction, as ours do; BullMQ cannot. All three have what ours has not: priorities, cron
 * schedules, rate limits or flows of jobs, and a history or a dashboard. Redis is measured with a
 * sync for each write (`appendfsync always`) and with its default of one a second, which may lose a second of
 * jobs.
 *
 * Their packages are no dependencies of the project: run `npm ci --prefix bench` first. Without them,
 * or without redis-server, this bench says what is left out.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { openBenchDatabase } from './lib/database';
import { cpuSeconds, cpuSecondsOfFamily, startServer } from './lib/processes';
import { CONCURRENCY, CONNECTIONS, JOBS, type QueueFigures } from './lib/queue-load';
import { type Figure, report } from './lib/report';
import { median } from './lib/stats';

const BLOCKS = 5;

interface Contestant {
  readonly name: string;
  readonly file: string;
  readonly env: Record<string, string>;
  /** Processor time of its store so far. */
  readonly storeSeconds: () => number;
}

interface Measured extends QueueFigures {
  /** Processor time for each job of a block, in µs. */
  readonly nodeMicros: number;
  readonly storeMicros: number;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
  });
}

/** A Redis with an append-only file, as for jobs that must not be lost. */
async function startRedis(fsync: string): Promise<{ url: string; pid: number; stop(): void }> {
  const [port, folder] = [await freePort(), mkdtempSync(path.join(tmpdir(), 'colloquy-redis-'))];
  const options = ['--appendonly', 'yes', '--appendfsync', fsync, '--save', '', '--dir', folder];
  const place = ['--port', String(port), '--bind', '127.0.0.1'];
  const child = spawn('redis-server', [...place, ...options, '--maxmemory-policy', 'noeviction'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const text of child.stdout) {
    if (String(text).includes('Ready to accept connections')) break;
  }
  child.stdout.resume();
  process.once('exit', () => child.kill('SIGKILL'));
  return {
    url: `redis://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    stop() {
      child.once('exit', () => {
        rmSync(folder, { recursive: true, force: true });
      });
      child.kill('SIGTERM');
    },
  };
}

/** In a new process: what a block leaves behind is no load for the next one. */
async function block({ file, env, storeSeconds }: Contestant): Promise<Measured> {
  const server = await startServer<object>(file, { ...env, NODE_ENV: 'production' });
  const before = [cpuSeconds(server.pid), storeSeconds()] as const;
  const figures = await server.ask<QueueFigures>('measure');
  const each = (now: number, from: number): number => ((now - from) * 1e6) / JOBS;
  const measured = {
    ...figures,
    nodeMicros: each(cpuSeconds(server.pid), before[0]),
    storeMicros: each(storeSeconds(), before[1]),
  };
  await server.kill();
  return measured;
}

function figuresOf(name: string, blocks: readonly Measured[]): Figure[] {
  const of = (figure: keyof Measured): number => median(blocks.map((one) => one[figure]));
  return [
    { name: `${name}: enqueued`, value: of('enqueuedPerSecond'), unit: '/s' },
    { name: `${name}: claimed and completed`, value: of('completedPerSecond'), unit: '/s' },
    { name: `${name}: stored to started, p50`, value: of('p50Ms'), unit: 'ms' },
    { name: `${name}: stored to started, p99`, value: of('p99Ms'), unit: 'ms' },
    {
      name: `${name}: processor of Node to complete each`,
      value: of('completedMicros'),
      unit: 'µs',
    },
    { name: `${name}: processor of Node for each`, value: of('nodeMicros'), unit: 'µs' },
    { name: `${name}: processor of its store for each`, value: of('storeMicros'), unit: 'µs' },
  ];
}

async function main(): Promise<void> {
  process.once('SIGTERM', () => process.exit(1));
  const hasPackage = (name: string): boolean =>
    existsSync(path.join(__dirname, 'node_modules', name));
  if (!hasPackage('pg-boss') || !hasPackage('graphile-worker') || !hasPackage('bullmq')) {
    process.stdout.write('queues: not measured, run `npm ci --prefix bench` first\n');
    return;
  }
  const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
  const database = await openBenchDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const env = { DATABASE_URL: database.url };
  const onPostgres = { env, storeSeconds: () => cpuSecondsOfFamily(rows[0]?.pid ?? 0) };
  const redis = hasRedis ? [await startRedis('always'), await startRedis('everysec')] : [];
  const contestants: Contestant[] = [
    { name: 'ours', file: 'queue-ours.ts', ...onPostgres },
    { name: 'pg-boss', file: 'queue-pg-boss.mjs', ...onPostgres },
    { name: 'Graphile Worker', file: 'queue-graphile.mjs', ...onPostgres },
    ...redis.map(({ url, pid }, n) => ({
      name: n === 0 ? 'BullMQ, fsync always' : 'BullMQ, fsync each second',
      file: 'queue-bullmq.mjs',
      env: { REDIS_URL: url, ...env },
      storeSeconds: () => cpuSeconds(pid),
    })),
  ];
  const blocks = new Map<string, Measured[]>(contestants.map(({ name }) => [name, []]));
  for (let n = 0; n < BLOCKS; n += 1) {
    for (const contestant of n % 2 === 0 ? contestants : [...contestants].reverse()) {
      const measured = await block(contestant);
      process.stderr.write(`${contestant.name}: ${measured.completedPerSecond.toFixed(0)} /s\n`);
      blocks.get(contestant.name)?.push(measured);
    }
  }
  report(
    'queues',
    [...blocks].flatMap(([name, measured]) => figuresOf(name, measured)),
    [
      `${JOBS} jobs a block, ${BLOCKS} blocks by turns; ${CONNECTIONS} connections, ${CONCURRENCY} handlers at a time, pg-boss batches of 1000`,
      'processor: enqueueing, working, idle waits and single jobs of a block together, over its jobs',
      ...(hasRedis ? [] : ['BullMQ is not measured: there is no redis-server']),
    ],
  );
  for (const one of redis) one.stop();
  await client.end();
  await database.close();
}

void main();
