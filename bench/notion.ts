/**
 * How much of what Notion allows is used while boards of 40 changed pages wait to be ranked, on one
 * replica and on four, with calls that take 50 ms and 600 ms. Notion is the one for tests, with the
 * real limits: three calls in any rolling second, 180 in a minute. Beside it the same boards are
 * written by replicas with a token bucket in the memory of each.
 *
 * Lost to margins: three starts lie 1.025 s apart. Lost to board changes: the time from the last
 * start of one board to the first write of the next, beyond the time of two starts. What else is
 * missing are starts that were late.
 *
 * At last, on a fake clock and the real statements: how long the boards of a thousand people wait for
 * their run when one of them never stops editing, and the others change theirs every 15 minutes.
 */
import { Logger } from '@nestjs/common';
import { openDatabaseAt } from '../test/support/app-database';
import { FakeClock } from '../test/support/clock';
import { waitsInCrowd } from '../test/support/notion-schedule';
import { SECOND_MS } from '../src/notion-sync/limiter/timing';
import { NotionWorld, type BoardCall } from './lib/notion-world';
import { openBenchDatabase } from './lib/database';
import { runPlainBuckets } from './lib/plain-bucket';
import { type Server, startServer } from './lib/processes';
import { type Figure, report } from './lib/report';

const BOARDS = 14;
const TASKS = 40;
const RUN_MS = 120_000;
/** Before the window: processes come up, and read the schema once. */
const WARM_UP_MS = 6000;
const ALLOWED_PER_SECOND = 3;
const MARGIN = SECOND_MS / 1000;
const LATENCIES = [
  { latencyMs: 50, atLeast: 0.95 },
  { latencyMs: 600, atLeast: 0.9 },
] as const;
const REPLICAS = [1, 4] as const;

const CROWD = { people: 1000, runs: 1000, runMs: 1000, changeEveryMs: 900_000 } as const;

interface Measured {
  readonly used: number;
  readonly toChanges: number;
  readonly refused: number;
  /** Calls of finished boards over the fewest that there can be. */
  readonly callsOverFewest: number;
  readonly boards: number;
}

/** Starts in the window and what was lost in it. */
function measure(world: NotionWorld, fromMs: number): Measured {
  const calls = world.calls().filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + RUN_MS);
  const accepted = calls.length - world.server.journal.refused(429).length;
  const allowed = (ALLOWED_PER_SECOND * RUN_MS) / 1000;
  const { finished, made } = finishedBoards(world);
  return {
    used: accepted / allowed,
    toChanges: callsLostToChanges(calls) / allowed,
    refused: world.server.journal.refused(429).length,
    callsOverFewest: made / (finished * (1 + TASKS)),
    boards: finished,
  };
}

function callsLostToChanges(calls: readonly BoardCall[]): number {
  const spacingMs = (1000 * MARGIN) / ALLOWED_PER_SECOND;
  let lostMs = 0;
  calls.forEach(({ isQuery }, place) => {
    const before = calls[place - 1];
    const after = calls[place + 1];
    if (!isQuery || before === undefined || after === undefined) return;
    lostMs += Math.max(0, after.atMs - before.atMs - 2 * spacingMs);
  });
  return lostMs / spacingMs;
}

/** Boards of which every page is written, and all calls up to the last of them. */
function finishedBoards(world: NotionWorld): { finished: number; made: number } {
  const calls = world.calls();
  const written = new Map<string, number>();
  let finished = 0;
  let made = 0;
  calls.forEach(({ userId, isQuery }, place) => {
    if (userId === null || isQuery) return;
    const count = (written.get(userId) ?? 0) + 1;
    written.set(userId, count);
    if (count !== TASKS) return;
    finished += 1;
    made = place + 1;
  });
  return { finished, made };
}

async function runOurs(latencyMs: number, replicas: number): Promise<Measured> {
  const world = await NotionWorld.open({ boards: BOARDS, tasksEach: TASKS, latencyMs });
  const database = await openBenchDatabase();
  const env = { ...world.env, DATABASE_URL: database.url };
  const servers: Server<unknown>[] = [];
  for (let n = 0; n < replicas; n += 1) servers.push(await startServer('application.ts', env));
  await world.makeReady(database.url);
  await pause(WARM_UP_MS);
  const fromMs = performance.now();
  await pause(RUN_MS);
  const measured = measure(world, fromMs);
  await Promise.all(servers.map((server) => server.stop()));
  await world.close();
  await database.close();
  return measured;
}

async function runBuckets(latencyMs: number, replicas: number): Promise<Measured> {
  const world = await NotionWorld.open({ boards: BOARDS, tasksEach: TASKS, latencyMs });
  const fromMs = performance.now() + WARM_UP_MS;
  await runPlainBuckets(world, { replicas, untilMs: fromMs + RUN_MS });
  const measured = measure(world, fromMs);
  await world.close();
  return measured;
}

function figuresOf(ours: Measured, atLeast: number, name: string): Figure[] {
  const share = { unit: 'of the allowed rate' };
  return [
    { name: `${name}: used`, value: ours.used, ...share, bound: { atLeast } },
    { name: `${name}: lost to margins`, value: 1 - 1 / MARGIN, ...share },
    { name: `${name}: lost to board changes`, value: ours.toChanges, ...share },
    { name: `${name}: 429`, value: ours.refused, unit: '', bound: { atMost: 0 } },
    {
      name: `${name}: calls over the fewest (${String(ours.boards)} boards)`,
      value: ours.callsOverFewest,
      unit: '×',
      bound: { atMost: 1.1 },
    },
  ];
}

async function fairness(): Promise<Figure[]> {
  Logger.overrideLogger(false);
  const database = await openBenchDatabase();
  const own = { url: database.url, drop: () => database.close() };
  const db = await openDatabaseAt(own, new FakeClock());
  const waits = await waitsInCrowd(db, CROWD);
  await db.close();
  const name = 'one noisy person of 1,000';
  return [
    {
      name: `${name}: longest wait over mean wait`,
      value: waits.longestMs / waits.meanMs,
      unit: '×',
      bound: { atMost: 2 },
    },
    { name: `${name}: their wait`, value: waits.noisyMeanMs / waits.meanMs, unit: 'of the mean' },
  ];
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function main(): Promise<void> {
  const figures: Figure[] = [];
  for (const { latencyMs, atLeast } of LATENCIES) {
    const settings = REPLICAS.flatMap((replicas) => ({
      replicas,
      name: `${String(replicas)} replica${replicas === 1 ? '' : 's'}, ${String(latencyMs)} ms`,
    }));
    const ran = await Promise.all(
      settings.map(async ({ replicas, name }) => {
        const [ours, bucket] = await Promise.all([
          runOurs(latencyMs, replicas),
          runBuckets(latencyMs, replicas),
        ]);
        return { name, ours, bucket };
      }),
    );
    for (const { name, ours, bucket } of ran) {
      figures.push(...figuresOf(ours, atLeast, name));
      figures.push(
        {
          name: `${name}: a bucket in each: used`,
          value: bucket.used,
          unit: 'of the allowed rate',
        },
        { name: `${name}: a bucket in each: 429`, value: bucket.refused, unit: '' },
      );
    }
  }
  figures.push(...(await fairness()));
  report('notion', figures, [
    `boards of ${String(TASKS)} changed pages, ${String(RUN_MS / 1000)} s each, after ${String(WARM_UP_MS / 1000)} s`,
  ]);
}

void main();
