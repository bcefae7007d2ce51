/**
 * Throughput of `append` (message, timer and sequence in one commit) against a bare insert of the
 * same message, on the same number of connections. The steps between the two show where the
 * difference goes: to the round trips of BEGIN and COMMIT, to the two other rows, to the unit of
 * work.
 */
import { randomUUID } from 'node:crypto';
import { Pool, type PoolClient } from 'pg';
import { BufferService } from '../src/buffer';
import { UnitsOfWork } from '../src/common/uow';
import { makeConversations, openApplication } from './lib/application';
import { openBenchDatabase } from './lib/database';
import { report } from './lib/report';
import { median } from './lib/stats';

const CONNECTIONS = 5;
const WRITERS = 25;
const BLOCKS = 5;
const BLOCK_MS = 2000;
const TEXT = 'I kept the old ledger running beside the new one until both agreed for a month.';

/** How many times per second `once` is done by all writers together. */
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

/** Every step from a bare insert to `append`. */
type Rates = Record<'bare' | 'inCommit' | 'call' | 'callInCommit' | 'append' | 'appendOne', number>;

const CALL = `select * from buffer_append($1, $2, 'web', $3, 'TEXT', $4, null, null, $5, 0, 'bench',
  null, 4000, 120000, 50, 16000, 0, 100000, 20000000, 2147483647)`;

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const app = await openApplication(database.url, {
    DATABASE_POOL_SIZE: String(CONNECTIONS),
    // Its writers write more than a candidate may.
    INTERVIEW_MAX_MESSAGES: '100000',
    INTERVIEW_MAX_CHARS: '20000000',
  });
  const pool = new Pool({ connectionString: database.url, max: CONNECTIONS });
  const buffer = app.get(BufferService, { strict: false });
  const units = app.get(UnitsOfWork);
  const conversations = await makeConversations(app, WRITERS * 3);
  const sequences = new Map<string, number>();

  const insert = async (writer: number, on: Pool | PoolClient): Promise<void> => {
    const id = conversations[WRITERS + writer] ?? '';
    const seq = (sequences.get(id) ?? 0) + 1;
    sequences.set(id, seq);
    await on.query(
      `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at)
       values ($1, $2, $3, 'user', 'web', $4, $5, clock_timestamp())`,
      [randomUUID(), id, seq, randomUUID(), TEXT],
    );
  };
  const call = async (writer: number, on: Pool | PoolClient): Promise<void> => {
    const id = conversations[2 * WRITERS + writer];
    await on.query(CALL, [id, randomUUID(), randomUUID(), TEXT, TEXT.length]);
  };
  const inCommit = async (work: (client: PoolClient) => Promise<void>): Promise<void> => {
    const client = await pool.connect();
    await client.query('START TRANSACTION');
    await work(client);
    await client.query('COMMIT');
    client.release();
  };
  const append = async (writer: number, how: 'commit' | 'commitOne'): Promise<void> => {
    const conversationId = conversations[writer] ?? '';
    const message = {
      conversationId,
      channel: 'web',
      externalId: randomUUID(),
      text: TEXT,
    } as const;
    await units.run('bench', (uow) => uow[how]('append', (tx) => buffer.append(tx, message)));
  };
  const measure = async (): Promise<Rates> => ({
    bare: await rate((writer) => insert(writer, pool)),
    inCommit: await rate((writer) => inCommit((client) => insert(writer, client))),
    call: await rate((writer) => call(writer, pool)),
    callInCommit: await rate((writer) => inCommit((client) => call(writer, client))),
    append: await rate((writer) => append(writer, 'commit')),
    appendOne: await rate((writer) => append(writer, 'commitOne')),
  });

  await measure();
  const blocks: Rates[] = [];
  for (let block = 0; block < BLOCKS; block += 1) blocks.push(await measure());
  const perSecond = (step: keyof Rates): number => median(blocks.map((rates) => rates[step]));
  report(
    'append',
    [
      { name: 'bare insert', value: perSecond('bare'), unit: '/s' },
      { name: 'bare insert between BEGIN and COMMIT', value: perSecond('inCommit'), unit: '/s' },
      { name: 'the three rows in one call, alone', value: perSecond('call'), unit: '/s' },
      { name: 'the same between BEGIN and COMMIT', value: perSecond('callInCommit'), unit: '/s' },
      { name: 'append', value: perSecond('append'), unit: '/s' },
      { name: 'append without BEGIN and COMMIT', value: perSecond('appendOne'), unit: '/s' },
      {
        name: 'append without BEGIN and COMMIT over the three rows in one call',
        value: median(blocks.map((b) => b.appendOne / b.call)),
        unit: '×',
      },
      {
        name: 'append without BEGIN and COMMIT over bare insert',
        value: median(blocks.map((b) => b.appendOne / b.bare)),
        unit: '×',
      },
      {
        name: 'append over bare insert',
        value: median(blocks.map((b) => b.append / b.bare)),
        unit: '×',
        bound: { atLeast: 0.6 },
      },
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
