/**
 * Throughput of `append` (message, timer and sequence in one commit) against a bare insert of the
 * same message, on the same number of connections.
 */
import { randomUUID } from 'node:crypto';
import { Pool } from 'pg';
import { BufferService } from '../src/buffer';
import { UnitsOfWork } from '../src/common/uow';
import { makeConversations, openApplication } from './lib/application';
import { openBenchDatabase } from './lib/database';
import { report } from './lib/report';
import { median } from './lib/stats';

const CONNECTIONS = 5;
const WRITERS = 25;
const BLOCKS = 5;
const BLOCK_MS = 3000;
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

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const app = await openApplication(database.url, { DATABASE_POOL_SIZE: String(CONNECTIONS) });
  const pool = new Pool({ connectionString: database.url, max: CONNECTIONS });
  const buffer = app.get(BufferService, { strict: false });
  const units = app.get(UnitsOfWork);
  const conversations = await makeConversations(app, WRITERS * 2);
  const sequences = new Map<string, number>();

  const bare = async (writer: number): Promise<void> => {
    const id = conversations[WRITERS + writer] ?? '';
    const seq = (sequences.get(id) ?? 0) + 1;
    sequences.set(id, seq);
    await pool.query(
      `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at)
       values ($1, $2, $3, 'user', 'web', $4, $5, clock_timestamp())`,
      [randomUUID(), id, seq, randomUUID(), TEXT],
    );
  };
  const append = async (writer: number): Promise<void> => {
    const conversationId = conversations[writer] ?? '';
    const message = {
      conversationId,
      channel: 'web',
      externalId: randomUUID(),
      text: TEXT,
    } as const;
    await units.run('bench', (uow) => uow.commit('append', (tx) => buffer.append(tx, message)));
  };

  await rate(bare);
  await rate(append);
  const blocks: { bare: number; append: number }[] = [];
  for (let block = 0; block < BLOCKS; block += 1) {
    blocks.push({ bare: await rate(bare), append: await rate(append) });
  }
  report(
    'append',
    [
      { name: 'bare insert', value: median(blocks.map((b) => b.bare)), unit: '/s' },
      { name: 'append', value: median(blocks.map((b) => b.append)), unit: '/s' },
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
