/**
 * How much of Notion's rate limit is used when the database is far away: two replicas rank boards of 40
 * changed pages, and all their connections to PostgreSQL go through a proxy with a round trip of 0 to
 * 100 ms, once steady and once with a quarter of it as jitter. Notion is the fake of the tests, with
 * the real limits; calls take 50 ms.
 *
 * A window is over the limit when four calls arrive within a second; the fake refuses the fourth with 429.
 *
 * `npm run bench notion-latency -- --ms 50` measures one distance only.
 */
import { openBenchDatabase } from './lib/database';
import { openDistantDatabase } from './lib/distant-database';
import { NotionWorld } from './lib/notion-world';
import { type Server, startServer } from './lib/processes';
import { type Figure, report } from './lib/report';

const ROUND_TRIPS_MS = [0, 4, 12, 20, 50, 100];
const REPLICAS = 2;
const LATENCY_MS = 50;
const BOARDS = 4;
const TASKS = 40;
/** The processes start over the distant connection before there is anything to rank. */
const SETTLE_MS = 4000;
/** In this time they open their connections and measure how far away the database is. */
const WARM_UP_MS = 7000;
const RUN_MS = 15_000;
const ALLOWED_PER_SECOND = 3;

interface Measured {
  readonly used: number;
  readonly over: number;
  readonly refused: number;
}

async function run(roundTripMs: number, jitterMs: number): Promise<Measured> {
  const world = await NotionWorld.open({ boards: BOARDS, tasksEach: TASKS, latencyMs: LATENCY_MS });
  const database = await openBenchDatabase();
  const distant = await openDistantDatabase(database.url, { roundTripMs, jitterMs });
  const env = { ...world.env, DATABASE_URL: distant.url };
  const servers: Server<unknown>[] = [];
  for (let n = 0; n < REPLICAS; n += 1) servers.push(await startServer('application.ts', env));
  await pause(SETTLE_MS);
  await world.makeReady(database.url);
  await pause(WARM_UP_MS);
  const fromMs = performance.now();
  await pause(RUN_MS);
  const times = world
    .calls()
    .map(({ atMs }) => atMs)
    .filter((atMs) => atMs >= fromMs && atMs < fromMs + RUN_MS);
  const refused = world.server.journal.refused(429).length;
  await Promise.all(servers.map((server) => server.stop()));
  await distant.close();
  await world.close();
  await database.close();
  return {
    used: times.length / ((ALLOWED_PER_SECOND * RUN_MS) / 1000),
    over: times.filter((at, n) => (times[n + ALLOWED_PER_SECOND] ?? Infinity) - at < 1000).length,
    refused,
  };
}

function figuresOf({ used, over, refused }: Measured, name: string): Figure[] {
  return [
    { name: `${name}: used`, value: used, unit: 'of the allowed rate', bound: { atLeast: 0.9 } },
    { name: `${name}: windows over`, value: over, unit: '', bound: { atMost: 0 } },
    { name: `${name}: 429`, value: refused, unit: '', bound: { atMost: 0 } },
  ];
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function wanted(): readonly number[] {
  const place = process.argv.indexOf('--ms');
  return place < 0 ? ROUND_TRIPS_MS : [Number(process.argv[place + 1])];
}

async function main(): Promise<void> {
  const figures: Figure[] = [];
  for (const roundTripMs of wanted()) {
    for (const jitterMs of roundTripMs === 0 ? [0] : [0, roundTripMs / 4]) {
      const name = `${String(roundTripMs)} ms, jitter ${String(jitterMs)} ms`;
      figures.push(...figuresOf(await run(roundTripMs, jitterMs), name));
    }
  }
  report('notion-latency', figures, [
    `${String(REPLICAS)} replicas, boards of ${String(TASKS)} changed pages, ${String(RUN_MS / 1000)} s each`,
  ]);
}

void main();
