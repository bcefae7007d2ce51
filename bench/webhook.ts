/**
 * Updates of Telegram that are durable before their 200, a second: the application in webhook mode
 * against a bare Fastify handler that does one raw insert. Each is a process of its own on the same
 * PostgreSQL, with as many pooled connections, as many connections of Telegram and the same updates,
 * in blocks by turns; the load comes from this process.
 *
 * Ours stores the update's number, locks its account and its conversation, stores the message and
 * opens or extends its buffer, all in one commit. The bare one parses the body and stores it: it
 * knows no order of a chat, no consent, no interview and no due time, so the two are not the same
 * work; the ratio is what all of that costs. Nothing is answered meanwhile: the application claims
 * nothing here.
 */
import { Client } from 'pg';
import { openBenchDatabase } from './lib/database';
import { cpuSeconds, type Server, startServer } from './lib/processes';
import { report } from './lib/report';
import { median, percentile } from './lib/stats';
import { chatOf, telegramSettings, Updates } from './lib/telegram';
import {
  openConnections,
  type Pushed,
  pushFor,
  type WebhookConnection,
} from './lib/webhook-client';

const POOL = 6;
/** As many as we let Telegram open. */
const CONNECTIONS = 40;
const CHATS = 2000;
const BLOCKS = 5;
const BLOCK_MS = 4000;
/** As long as the server takes to profile itself. */
const PROFILED_MS = 3500;
const WARM_UP_MS = 3000;
const TEXT = 'I kept the old ledger running beside the new one until both agreed for a month.';

const SUBJECTS = ['bare', 'ours'] as const;
type Name = (typeof SUBJECTS)[number];

interface Block extends Pushed {
  /** Of the server, for each update. */
  readonly cpuMicros: number;
}

/** A server and what pushes to it. */
interface Subject {
  readonly server: Server<{ url: string }>;
  readonly connections: readonly WebhookConnection[];
  readonly next: (connection: number) => string;
  readonly blocks: Block[];
  /** All that were ever answered with 200. */
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
  const connections = await openConnections(server.told.url, CONNECTIONS);
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

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    `create table bare_update (update_id bigint primary key, chat_id bigint not null,
       payload jsonb not null, received_at timestamptz not null default clock_timestamp())`,
  );
  const DATABASE_URL = database.url;
  const subjects: Record<Name, Subject> = {
    bare: await subjectOf('bare-webhook.ts', { DATABASE_URL }),
    ours: await subjectOf('application.ts', {
      DATABASE_URL,
      BENCH_CHATS: String(CHATS),
      BENCH_CLAIMS: 'none',
      ...telegramSettings('http://127.0.0.1:9'),
    }),
  };
  for (const name of SUBJECTS) await push(subjects[name], WARM_UP_MS);
  for (let n = 0; n < BLOCKS; n += 1) {
    for (const name of SUBJECTS) {
      const block = await push(subjects[name], BLOCK_MS);
      subjects[name].blocks.push(block);
    }
  }
  const { bare, ours } = subjects;
  const [shares] = await Promise.all([
    ours.server.ask<string[]>('profile'),
    push(ours, PROFILED_MS),
  ]);
  const stored = {
    bare: await count(client, 'bare_update'),
    updates: await count(client, `telegram_update where state = 'handled'`),
    messages: await count(client, `message where role = 'user'`),
  };
  const of = ({ blocks }: Subject, figure: (block: Block) => number): number =>
    median(blocks.map(figure));
  const rate = ({ accepted, seconds }: Block): number => accepted / seconds;
  const p99 = ({ latencies }: Block): number => percentile(latencies, 0.99);
  const ratios = ours.blocks.map((block, n) => rate(block) / rate(bare.blocks[n] ?? block));
  const refused = [bare, ours].flatMap(({ blocks }) => blocks.map((block) => block.refused));
  report(
    'webhook',
    [
      { name: 'bare insert', value: of(bare, rate), unit: '/s' },
      { name: 'ours', value: of(ours, rate), unit: '/s' },
      { name: 'ours over bare', value: median(ratios), unit: '×', bound: { atLeast: 0.5 } },
      {
        name: 'bare insert to its 200, p50',
        value: of(bare, (b) => median(b.latencies)),
        unit: 'ms',
      },
      { name: 'bare insert to its 200, p99', value: of(bare, p99), unit: 'ms' },
      { name: 'ours to its 200, p50', value: of(ours, (b) => median(b.latencies)), unit: 'ms' },
      { name: 'ours to its 200, p99', value: of(ours, p99), unit: 'ms' },
      {
        name: 'processor of the bare server, each',
        value: of(bare, (b) => b.cpuMicros),
        unit: 'µs',
      },
      { name: 'processor of ours, each', value: of(ours, (b) => b.cpuMicros), unit: 'µs' },
      {
        name: 'answered with another status than 200',
        value: refused.reduce((sum, n) => sum + n, 0),
        unit: '',
        bound: { atMost: 0 },
      },
      { name: 'answered with 200 by ours', value: ours.accepted, unit: '' },
      {
        name: '200 of ours without an inbox row',
        value: ours.accepted - stored.updates,
        unit: '',
        bound: { atMost: 0 },
      },
      {
        name: '200 of ours without a message',
        value: ours.accepted - stored.messages,
        unit: '',
        bound: { atMost: 0 },
      },
      { name: '200 of the bare one without a row', value: bare.accepted - stored.bare, unit: '' },
    ],
    [
      `${CONNECTIONS} connections, ${CHATS} chats, pools of ${POOL}, ${BLOCKS} blocks of ${BLOCK_MS / 1000} s each by turns, fsync on`,
      ...shares.slice(0, 15).map((share) => `our server's busy time: ${share}`),
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
