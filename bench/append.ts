/**
 * Throughput of a candidate's message as `POST /messages` stores it (message, timer and sequence)
 * against a bare insert of the same message, on the same number of connections. The steps between
 * the two show where the difference goes: to the two other rows, to the unit of work, and what
 * BEGIN and COMMIT would add. Also the WAL of one, and how many updates were HOT.
 */
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { BufferService } from '../src/buffer';
import { type Append, type AppendRules, BufferRepository } from '../src/buffer/buffer.repository';
import { type Tx, UnitOfWorkFactory, preparedStatement } from '../src/common/uow';
import { makeConversations, openApplication } from './lib/application';
import { openBenchDatabase } from './lib/database';
import { report } from './lib/report';
import { median } from './lib/stats';

const CONNECTIONS = 5;
const WRITERS = 25;
const BLOCKS = 11;
const BLOCK_MS = 1000;
const TEXT = 'I kept the old ledger running beside the new one until both agreed for a month.';

/** How many times per second all writers together run `once`. */
async function rate(once: (writer: number) => Promise<void>): Promise<number> {
  const endMs = performance.now() + BLOCK_MS;
  let done = 0;
  const write = async (writer: number): Promise<void> => {
    while (performance.now() < endMs) {
      await once(writer);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  return done / (BLOCK_MS / 1000);
}

/** Every step from a bare insert to the application's own path. */
type Rates = Record<'bare' | 'call' | 'receive' | 'receiveInCommit', number>;

/** As the application appends it, with a learned quiet time. */
const APPENDED: Omit<Append, 'conversationId' | 'messageId' | 'externalId'> = {
  channel: 'web',
  contentType: 'TEXT',
  text: TEXT,
  amends: null,
  amendedQuestion: null,
  chars: TEXT.length,
  pending: 0,
  mediaBytes: 0,
  windowMs: 4000,
  endOdds: 0.18,
};
const RULES: AppendRules = {
  enough: 3,
  floorMs: 1500,
  ceilingMs: 20_000,
  longChars: 0,
  longMs: 0,
  limitMessages: 100_000,
  limitChars: 20_000_000,
  limitAudioBytes: 2_147_483_647,
  maxWaitMs: 120_000,
  maxSize: 50,
  maxChars: 16_000,
};
const BY = { queue: 'flush', worker: 'bench', now: null, trace: null } as const;

/** Its statements run on the pool, without a unit of work. */
function outsideUnits(pool: Pool): Tx {
  const query = async (text: string, values: readonly unknown[]): Promise<unknown[]> =>
    (await pool.query(preparedStatement(text, values))).rows as unknown[];
  return { query } as unknown as Tx;
}

const TABLES = ['message', 'conversation', 'job'] as const;

/** Bytes of WAL so far, and of each table how many updates there were and how many were HOT. */
async function written(pool: Pool): Promise<{ wal: number; updates: number[]; hot: number[] }> {
  // A connection reports its counts only after it has been idle for a moment.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const { rows } = await pool.query<{ updates: string; hot: string; wal: string }>(
    `select n_tup_upd as updates, n_tup_hot_upd as hot,
       pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal
     from unnest($1::text[]) with ordinality as t (name, n)
     join pg_stat_user_tables s on s.relname = t.name order by n`,
    [TABLES],
  );
  return {
    wal: Number(rows[0]?.wal),
    updates: rows.map(({ updates }) => Number(updates)),
    hot: rows.map(({ hot }) => Number(hot)),
  };
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const app = await openApplication(database.url, {
    DATABASE_POOL_SIZE: String(CONNECTIONS),
    // The writers of this bench send more than one candidate may.
    INTERVIEW_MAX_MESSAGES: '100000',
    INTERVIEW_MAX_CHARS: '20000000',
  });
  const pool = new Pool({ connectionString: database.url, max: CONNECTIONS });
  const buffer = app.get(BufferService, { strict: false });
  const buffers = app.get(BufferRepository, { strict: false });
  const units = app.get(UnitOfWorkFactory);
  const conversations = await makeConversations(app, WRITERS * 4);
  await pool.query(`update conversation set quiet_ms = '{1500,4000,9000}', quiet_channel = 'web'`);
  const sequences = new Map<string, number>();

  const insert = async (writer: number, on: Pool): Promise<void> => {
    const id = conversations[WRITERS + writer] ?? '';
    const seq = (sequences.get(id) ?? 0) + 1;
    sequences.set(id, seq);
    await on.query(
      `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at)
       values ($1, $2, $3, 'user', 'web', $4, $5, clock_timestamp())`,
      [randomUUID(), id, seq, randomUUID(), TEXT],
    );
  };
  const call = async (writer: number, on: Tx): Promise<void> => {
    const conversationId = conversations[2 * WRITERS + writer] ?? '';
    const [messageId, externalId] = [randomUUID(), randomUUID()];
    const message = { ...APPENDED, conversationId, messageId, externalId };
    await buffers.append(on, message, RULES, BY);
  };
  const receive = async (writer: number, how: 'commit' | 'commitOne'): Promise<void> => {
    // Each step has its own conversations: updates of the same rows by another step would slow this one.
    const conversationId = conversations[(how === 'commitOne' ? 0 : 3 * WRITERS) + writer] ?? '';
    const message = {
      conversationId,
      channel: 'web',
      externalId: randomUUID(),
      text: TEXT,
    } as const;
    await units.run('bench', (uow) => uow[how]('bench.append', (tx) => buffer.append(tx, message)));
  };
  const steps: readonly [keyof Rates, (writer: number) => Promise<void>][] = [
    ['bare', (writer) => insert(writer, pool)],
    ['call', (writer) => call(writer, outsideUnits(pool))],
    ['receive', (writer) => receive(writer, 'commitOne')],
    ['receiveInCommit', (writer) => receive(writer, 'commit')],
  ];
  const blocks: Rates[] = [];
  const micros: Rates[] = [];
  for (let block = 0; block <= BLOCKS; block += 1) {
    const rates: Rates = { bare: 0, call: 0, receive: 0, receiveInCommit: 0 };
    const costs = { ...rates };
    // The order alternates: whatever slows the machine or fills the tables affects all steps alike.
    for (const [name, step] of block % 2 === 0 ? steps : [...steps].reverse()) {
      const since = process.cpuUsage();
      rates[name] = await rate(step);
      const { user, system } = process.cpuUsage(since);
      costs[name] = (user + system) / ((rates[name] * BLOCK_MS) / 1000);
    }
    // The first block is a warm-up. Without statistics PostgreSQL may read all messages of a
    // conversation to find one; a server in use gets them within a minute.
    if (block === 0) await pool.query('analyze');
    if (block > 0) {
      blocks.push(rates);
      micros.push(costs);
    }
  }
  const before = await written(pool);
  const appended = (await rate((writer) => receive(writer, 'commitOne'))) * (BLOCK_MS / 1000);
  const after = await written(pool);
  const inserted = (await rate((writer) => insert(writer, pool))) * (BLOCK_MS / 1000);
  const bareAfter = await written(pool);
  const hotOf = (table: (typeof TABLES)[number]): number => {
    const n = TABLES.indexOf(table);
    const updates = (after.updates[n] ?? 0) - (before.updates[n] ?? 0);
    return ((after.hot[n] ?? 0) - (before.hot[n] ?? 0)) / updates;
  };
  const perSecond = (step: keyof Rates): number => median(blocks.map((rates) => rates[step]));
  const processor = (step: keyof Rates): number => median(micros.map((costs) => costs[step]));
  report(
    'append',
    [
      { name: 'bare insert', value: perSecond('bare'), unit: '/s' },
      { name: 'the three rows in one call, alone', value: perSecond('call'), unit: '/s' },
      { name: 'a message as it is received', value: perSecond('receive'), unit: '/s' },
      {
        name: 'the same between BEGIN and COMMIT',
        value: perSecond('receiveInCommit'),
        unit: '/s',
      },
      {
        name: 'received over the three rows in one call',
        value: median(blocks.map((b) => b.receive / b.call)),
        unit: '×',
        bound: { atLeast: 0.95 },
      },
      {
        name: 'the three rows in one call over bare insert',
        value: median(blocks.map((b) => b.call / b.bare)),
        unit: '×',
      },
      {
        name: 'received over bare insert',
        value: median(blocks.map((b) => b.receive / b.bare)),
        unit: '×',
        bound: { atLeast: 0.55 },
      },
      { name: 'processor of Node for a message received', value: processor('receive'), unit: 'µs' },
      { name: 'the same for the three rows in one call', value: processor('call'), unit: 'µs' },
      { name: 'WAL of a message received', value: (after.wal - before.wal) / appended, unit: 'B' },
      { name: 'WAL of a bare insert', value: (bareAfter.wal - after.wal) / inserted, unit: 'B' },
      { name: 'HOT updates of conversation', value: 100 * hotOf('conversation'), unit: '%' },
      { name: 'HOT updates of job', value: 100 * hotOf('job'), unit: '%' },
    ],
    [
      `${CONNECTIONS} connections, ${WRITERS} writers, ${BLOCKS} blocks of ${BLOCK_MS} ms each, fsync on`,
    ],
  );
  await pool.end();
  await app.close();
  await database.close();
}

void main();
