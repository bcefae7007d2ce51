/**
 * The whole path from a person's edit in Notion to the new rank there: a signed event, the intake, the
 * quiet time (1 s here), the queue, the query and the write. Measured on boards with 40 changed pages
 * and with one, with calls that take 50 ms and 600 ms. Notion is the fake of the tests, with the real
 * limits: three calls in any rolling second, 180 in a minute. There are always more edits than Notion
 * allows calls, so the time of an event is mostly its wait in the queue.
 *
 * `npm run bench notion` takes under two minutes. `npm run bench notion -- --runs 10 --seconds 120
 * --replicas 4` is the long proof (about 50 minutes); `--ms 600` and `--changed 1` measure one kind of
 * call or board only.
 */
import { Client } from 'pg';
import { openBenchDatabase } from './lib/database';
import { type LoadShape, NotionLoad } from './lib/notion-load';
import { type Server, startServer } from './lib/processes';
import { type Figure, report } from './lib/report';
import type { EdgeCall } from './servers/notion-edge';
import { median, percentile } from './lib/stats';

const ALLOWED_PER_SECOND = 3;
/** After everybody's first edit: by then the queue is full, and so is the limiter's log of calls. */
const WARM_UP_MS = 6000;
const SHAPES: readonly (LoadShape & { readonly atLeast: number })[] = [
  { people: 4, tasksEach: 40, changed: 40, latencyMs: 50, atLeast: 0.95 },
  { people: 4, tasksEach: 40, changed: 40, latencyMs: 600, atLeast: 0.9 },
  { people: 16, tasksEach: 8, changed: 1, latencyMs: 50, atLeast: 0.9 },
  { people: 16, tasksEach: 8, changed: 1, latencyMs: 600, atLeast: 0.9 },
];

interface Measured {
  /** Of the allowed rate. */
  readonly used: number;
  /** The shortest time from a call to the third one after it. */
  readonly fourthMs: number;
  /** How often four calls arrived within a second. */
  readonly over: number;
  readonly refused: number;
  readonly queriesPerWrite: number;
  readonly eventsMs: readonly number[];
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function option(name: string, otherwise: number): number {
  const place = process.argv.indexOf(`--${name}`);
  return place < 0 ? otherwise : Number(process.argv[place + 1]);
}

function measure(
  { server }: NotionLoad,
  arrived: readonly EdgeCall[],
  fromMs: number,
  runMs: number,
) {
  // The edge process refuses calls over the limit, so they never reach this journal.
  const calls = server.journal.all.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + runMs);
  const times = arrived.map(({ atMs }) => atMs);
  const fourthsMs = times.slice(ALLOWED_PER_SECOND).map((at, n) => at - (times[n] ?? at));
  const count = (name: string): number =>
    calls.filter(({ operation }) => operation === name).length;
  return {
    used: calls.length / (ALLOWED_PER_SECOND * (runMs / 1000)),
    fourthMs: Math.min(...fourthsMs),
    over: fourthsMs.filter((ms) => ms < 1000).length,
    refused: arrived.filter(({ isRefused }) => isRefused).length,
    queriesPerWrite: count('queryDataSource') / count('updatePage'),
  };
}

async function run(shape: LoadShape, replicas: number, runMs: number): Promise<Measured> {
  const load = await NotionLoad.open(shape);
  const database = await openBenchDatabase();
  const edge = await startServer<{ url: string }>('notion-edge.ts', {
    EDGE_TARGET: load.server.url,
  });
  load.server.limits.lift();
  const env = { ...load.env, NOTION_API_URL: edge.ready.url, DATABASE_URL: database.url };
  const servers: Server<{ url: string }>[] = [];
  for (let n = 0; n < replicas; n += 1) servers.push(await startServer('application.ts', env));
  const webhooks = servers.map(({ ready }) => `${ready.url}/webhooks/notion`);
  await makeKnown(database.url, load);
  await load.tellFirst(webhooks);
  const ended = load.begin(webhooks);
  await sleep(WARM_UP_MS);
  const [fromMs, fromTime] = [performance.now(), Date.now()];
  await sleep(runMs);
  load.stop();
  await ended;
  const eventsMs = load.rankedSince(fromTime).map(({ ms }) => ms);
  const arrived = await edge.ask<EdgeCall[]>('calls');
  const measured = { ...measure(load, arrived, fromMs, runMs), eventsMs };
  await Promise.all(servers.map((server) => server.stop()));
  await edge.stop();
  await load.close();
  await database.close();
  return measured;
}

/** Runs every board once, so that the owner of each page is known and no event needs a read. */
async function makeKnown(databaseUrl: string, { userIds, server }: NotionLoad): Promise<void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `insert into job (queue, key, due_at, first_at)
     select 'notion-sync', id, clock_timestamp(), clock_timestamp() from unnest($1::text[]) as u (id)`,
    [userIds],
  );
  const isDone = async (): Promise<boolean> => {
    const { rowCount } = await client.query(
      `select from job where queue = 'notion-sync' and state in ('open', 'running', 'retry')`,
    );
    return rowCount === 0;
  };
  while (!(await isDone())) await sleep(100);
  await client.end();
  if (server.journal.calls('updatePage').length > 0)
    throw new Error('the boards were not ranked at the start, so the first runs wrote to Notion');
}

function figuresOf(runs: readonly Measured[], shape: (typeof SHAPES)[number]): Figure[] {
  const name = `${String(shape.changed)} changed, ${String(shape.latencyMs)} ms`;
  const times = runs.flatMap(({ eventsMs }) => eventsMs);
  const sum = (of: (one: Measured) => number): number => runs.map(of).reduce((a, b) => a + b);
  return [
    {
      name: `${name}: used, worst run`,
      value: Math.min(...runs.map(({ used }) => used)),
      unit: 'of the allowed rate',
      bound: { atLeast: shape.atLeast },
    },
    { name: `${name}: event to rank, p50`, value: median(times), unit: 'ms' },
    { name: `${name}: event to rank, p95`, value: percentile(times, 0.95), unit: 'ms' },
    { name: `${name}: events ranked`, value: times.length, unit: '' },
    {
      name: `${name}: queries for a write`,
      value: sum(({ queriesPerWrite }) => queriesPerWrite) / runs.length,
      unit: '',
    },
    {
      name: `${name}: from a call to the fourth, least`,
      value: Math.min(...runs.map(({ fourthMs }) => fourthMs)),
      unit: 'ms',
    },
    {
      name: `${name}: windows over`,
      value: sum(({ over }) => over),
      unit: '',
      bound: { atMost: 0 },
    },
    { name: `${name}: 429`, value: sum(({ refused }) => refused), unit: '', bound: { atMost: 0 } },
  ];
}

async function main(): Promise<void> {
  const [runs, seconds, replicas] = [
    option('runs', 1),
    option('seconds', 20),
    option('replicas', 2),
  ];
  const [ms, changed] = [option('ms', 0), option('changed', 0)];
  const shapes = SHAPES.filter(
    (shape) => (ms === 0 || shape.latencyMs === ms) && (changed === 0 || shape.changed === changed),
  );
  const figures: Figure[] = [];
  // Two kinds of boards run at a time, each with its own Notion, database and replicas.
  for (const size of new Set(shapes.map((shape) => shape.changed))) {
    const sameSize = shapes.filter((shape) => shape.changed === size);
    const measured = sameSize.map((): Measured[] => []);
    for (let n = 0; n < runs; n += 1) {
      await Promise.all(
        sameSize.map(async (shape, place) => {
          measured[place]?.push(await run(shape, replicas, seconds * 1000));
        }),
      );
    }
    sameSize.forEach((shape, place) => figures.push(...figuresOf(measured[place] ?? [], shape)));
  }
  report('notion', figures, [
    `${String(runs)} runs of ${String(seconds)} s, ${String(replicas)} replicas, after ${String(WARM_UP_MS / 1000)} s`,
  ]);
}

void main();
