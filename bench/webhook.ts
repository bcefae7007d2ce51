/**
 * How many Telegram updates a second are durable before their 200: the application in webhook mode
 * compared with a bare Fastify handler that does one raw insert. Each is its own process on the same
 * PostgreSQL, with as many pooled connections, as many connections of Telegram and the same updates;
 * the load comes from this process.
 *
 *   accepting    in blocks that alternate with the bare server. Ours claims no jobs meanwhile: under
 *                such a load it stores whole updates, many in a commit, and handles them later.
 *   catching up  then the queue `intake` is claimed, nobody writes, and the stored updates are handled:
 *                accounts and conversations are locked, messages stored, buffers opened or extended.
 *   at work      the same load while the queue is claimed: how much is accepted, how much is handled
 *                meanwhile, how long the rest takes after the load, and what both cost together.
 *
 * Handling is postponed in the first part; the later parts measure what it costs. The bare server only
 * parses the body and stores it: it has no order of a chat, no consent, no interview and no due time,
 * so the two do not do the same work. No candidate gets a reply in this bench.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { openBenchDatabase } from './lib/database';
import { cpuSeconds, type Server, startServer } from './lib/processes';
import { type Figure, report } from './lib/report';
import { median, percentile } from './lib/stats';
import { chatOf, telegramSettings, Updates } from './lib/telegram';
import {
  openConnections,
  type Pushed,
  pushFor,
  type WebhookConnection,
} from './lib/webhook-client';

const POOL = 6;
/** The number of connections that Telegram may open by our settings. */
const CONNECTIONS = 40;
const CHATS = 2000;
const BLOCKS = 5;
const BLOCKS_AT_WORK = 3;
const BLOCK_MS = 2500;
/** Longer than the server's profile takes. */
const PROFILED_MS = 3500;
const WARM_UP_MS = 2000;
const POLL_MS = 20;
const TEXT = 'I kept the old ledger running beside the new one until both agreed for a month.';

const SUBJECTS = ['bare', 'ours'] as const;
type Name = (typeof SUBJECTS)[number];

interface Block extends Pushed {
  /** Processor time of the server for each update. */
  readonly cpuMicros: number;
}

/** A server, and the connections that push updates to it. */
interface Subject {
  readonly server: Server<{ url: string }>;
  readonly connections: readonly WebhookConnection[];
  readonly next: (connection: number) => string;
  readonly blocks: Block[];
  /** All updates so far that got a 200. */
  accepted: number;
}

/** A chat belongs to one connection: Telegram pushes a chat's updates one after another. */
function roundRobin(updates: Updates): (connection: number) => string {
  const turns = new Map<number, number>();
  return (connection) => {
    const turn = turns.get(connection) ?? 0;
    turns.set(connection, turn + 1);
    const place = (connection + turn * CONNECTIONS) % CHATS;
    return updates.text(chatOf(place), TEXT);
  };
}

async function subjectOf(file: string, env: Record<string, string>): Promise<Subject> {
  const server = await startServer<{ url: string }>(file, {
    DATABASE_POOL_SIZE: String(POOL),
    ...env,
  });
  const connections = await openConnections(server.ready.url, CONNECTIONS);
  return { server, connections, next: roundRobin(new Updates()), blocks: [], accepted: 0 };
}

async function push(subject: Subject, ms: number): Promise<Block> {
  const { pid } = subject.server;
  const before = cpuSeconds(pid);
  const pushed = await pushFor(ms, subject.connections, subject.next);
  subject.accepted += pushed.accepted;
  return { ...pushed, cpuMicros: (1e6 * (cpuSeconds(pid) - before)) / pushed.accepted };
}

async function count(client: Client, table: string): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from ${table}`,
  );
  return rows[0]?.count ?? 0;
}

/** A block with the queue at work, and what it took to handle the rest. */
interface AtWork extends Pushed {
  readonly handled: number;
  readonly restSeconds: number;
  /** Processor time of the server for each update that it accepted and handled. */
  readonly cpuMicros: number;
  /** Updates accepted and handled per second, the time for the rest included. */
  readonly throughput: number;
}

const MESSAGES = `message where role = 'user'`;

async function pushAtWork(subject: Subject, client: Client): Promise<AtWork> {
  const { pid } = subject.server;
  const [before, busyBefore] = [await count(client, MESSAGES), cpuSeconds(pid)];
  const pushed = await push(subject, BLOCK_MS);
  const handled = (await count(client, MESSAGES)) - before;
  const restSeconds = await untilHandled(client);
  const cpuMicros = (1e6 * (cpuSeconds(pid) - busyBefore)) / pushed.accepted;
  const throughput = pushed.accepted / (pushed.seconds + restSeconds);
  return { ...pushed, handled, restSeconds, cpuMicros, throughput };
}

/** Waits until no update is left to handle; returns how long it took, in seconds. */
async function untilHandled(client: Client): Promise<number> {
  const startedMs = performance.now();
  const isLeft = async (): Promise<boolean> => {
    const { rowCount } = await client.query(
      `select from telegram_update where state = 'waiting' limit 1`,
    );
    return rowCount !== 0;
  };
  while (await isLeft()) await sleep(POLL_MS);
  return (performance.now() - startedMs) / 1000;
}

async function start(databaseUrl: string): Promise<Record<Name, Subject>> {
  const DATABASE_URL = databaseUrl;
  return {
    bare: await subjectOf('bare-webhook.ts', { DATABASE_URL }),
    ours: await subjectOf('application.ts', {
      DATABASE_URL,
      BENCH_CHATS: String(CHATS),
      BENCH_CLAIMS: 'none',
      ...telegramSettings('http://127.0.0.1:9'),
    }),
  };
}

async function profiled(subject: Subject): Promise<string[]> {
  const [shares] = await Promise.all([
    subject.server.ask<string[]>('profile'),
    push(subject, PROFILED_MS),
  ]);
  return shares.slice(0, 10);
}

/** Compares the updates that got a 200 with the rows that exist of them. */
async function losses({ bare, ours }: Record<Name, Subject>, client: Client): Promise<Figure[]> {
  const none = { unit: '', bound: { atMost: 0 } };
  const refused = [bare, ours].flatMap(({ blocks }) => blocks.map((block) => block.refused));
  const inbox = await count(client, `telegram_update where state = 'handled'`);
  return [
    { ...none, name: 'answered with another status than 200', value: refused.reduce(sum, 0) },
    { name: 'answered with 200 by ours', value: ours.accepted, unit: '' },
    { ...none, name: '200 of ours that were not handled', value: ours.accepted - inbox },
    {
      ...none,
      name: '200 of ours without a message',
      value: ours.accepted - (await count(client, MESSAGES)),
    },
    {
      ...none,
      name: '200 of the bare one without a row',
      value: bare.accepted - (await count(client, 'bare_update')),
    },
  ];
}

const sum = (a: number, b: number): number => a + b;
const rate = ({ accepted, seconds }: Pushed): number => accepted / seconds;

function acceptance({ bare, ours }: Record<Name, Subject>): Figure[] {
  const of = ({ blocks }: Subject, figure: (block: Block) => number): number =>
    median(blocks.map(figure));
  const p50 = ({ latencies }: Block): number => median(latencies);
  const p99 = ({ latencies }: Block): number => percentile(latencies, 0.99);
  const cpu = ({ cpuMicros }: Block): number => cpuMicros;
  const ratios = ours.blocks.map((block, n) => rate(block) / rate(bare.blocks[n] ?? block));
  return [
    { name: 'bare insert', value: of(bare, rate), unit: '/s' },
    { name: 'ours', value: of(ours, rate), unit: '/s' },
    { name: 'ours over bare', value: median(ratios), unit: '×', bound: { atLeast: 0.5 } },
    { name: 'bare insert to its 200, p50', value: of(bare, p50), unit: 'ms' },
    { name: 'bare insert to its 200, p99', value: of(bare, p99), unit: 'ms' },
    { name: 'ours to its 200, p50', value: of(ours, p50), unit: 'ms' },
    { name: 'ours to its 200, p99', value: of(ours, p99), unit: 'ms' },
    { name: 'processor of the bare server, each', value: of(bare, cpu), unit: 'µs' },
    { name: 'processor of ours, each', value: of(ours, cpu), unit: 'µs' },
  ];
}

function handling(
  catchUp: { count: number; seconds: number },
  blocks: readonly AtWork[],
): Figure[] {
  const of = (figure: (block: AtWork) => number): number => median(blocks.map(figure));
  return [
    { name: 'left to the queue until it began', value: catchUp.count, unit: '' },
    {
      name: 'catching up, nobody writing: handled',
      value: catchUp.count / catchUp.seconds,
      unit: '/s',
    },
    { name: 'at work: accepted', value: of(rate), unit: '/s' },
    { name: 'at work: handled meanwhile', value: of((b) => b.handled / b.seconds), unit: '/s' },
    { name: 'at work: to its 200, p50', value: of((b) => median(b.latencies)), unit: 'ms' },
    {
      name: 'at work: to its 200, p99',
      value: of((b) => percentile(b.latencies, 0.99)),
      unit: 'ms',
    },
    {
      name: 'at work: the rest handled after the load',
      value: of((b) => b.restSeconds),
      unit: 's',
    },
    { name: 'at work: handled, the rest included', value: of((b) => b.throughput), unit: '/s' },
    {
      name: 'at work: processor of ours, each accepted and handled',
      value: of((b) => b.cpuMicros),
      unit: 'µs',
    },
  ];
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `create table bare_update (update_id bigint primary key, chat_id bigint not null,
       payload jsonb not null, received_at timestamptz not null default clock_timestamp())`,
  );
  const subjects = await start(database.url);
  for (const name of SUBJECTS) await push(subjects[name], WARM_UP_MS);
  for (let n = 0; n < BLOCKS; n += 1) {
    for (const name of SUBJECTS) {
      const block = await push(subjects[name], BLOCK_MS);
      subjects[name].blocks.push(block);
    }
  }
  const { bare, ours } = subjects;
  const accepting = await profiled(ours);
  const left = await count(client, `telegram_update where state = 'waiting'`);
  await ours.server.ask('take updates in');
  const catchUp = { count: left, seconds: await untilHandled(client) };
  const atWork: AtWork[] = [];
  for (let n = 0; n < BLOCKS_AT_WORK; n += 1) atWork.push(await pushAtWork(ours, client));
  const working = await profiled(ours);
  await untilHandled(client);
  report(
    'webhook',
    [...acceptance(subjects), ...handling(catchUp, atWork), ...(await losses(subjects, client))],
    [
      `${CONNECTIONS} connections, ${CHATS} chats, pools of ${POOL}, ${BLOCKS} blocks of ${BLOCK_MS / 1000} s each by turns, then ${BLOCKS_AT_WORK} at work, fsync on`,
      ...accepting.map((share) => `busy time while accepting: ${share}`),
      ...working.map((share) => `busy time at work: ${share}`),
    ],
  );
  for (const { connections, server } of [bare, ours]) {
    for (const connection of connections) connection.close();
    await server.stop();
  }
  await client.end();
  await database.close();
}

void main();
