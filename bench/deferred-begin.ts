/**
 * What it earns that a connection sends BEGIN together with the transaction's first statement
 * (persistence/deferred-begin.ts): transactions of one and of four prepared statements, one after the other,
 * against the driver's own client, with the database here and 1 ms away. A share below 5 % would not be
 * worth a class that knows the driver's inside.
 */
import { Client, type QueryConfig } from 'pg';
import { DeferredBeginClient } from '../src/persistence/deferred-begin';
import { openBenchDatabase } from './lib/database';
import { openDistantDatabase } from './lib/distant-database';
import { type Figure, report } from './lib/report';
import { median } from './lib/stats';

const BLOCKS = 11;
const TRANSACTIONS = 150;
const INSERT: QueryConfig = {
  name: 'note',
  text: 'insert into bench_note (text) values ($1)',
  values: ['a segment of a reply'],
};

/** Transactions of so many statements per second. */
async function rate(client: Client, statements: number): Promise<number> {
  const startMs = performance.now();
  for (let n = 0; n < TRANSACTIONS; n += 1) {
    // As TypeORM's QueryRunner begins one.
    await client.query('START TRANSACTION');
    for (let statement = 0; statement < statements; statement += 1) await client.query(INSERT);
    await client.query('COMMIT');
  }
  return (1000 * TRANSACTIONS) / (performance.now() - startMs);
}

/** The median of deferred over plain, in blocks that alternate. */
async function earned(url: string, statements: number): Promise<number> {
  const deferred = new DeferredBeginClient({ connectionString: url });
  const plain = new Client({ connectionString: url });
  await Promise.all([deferred.connect(), plain.connect()]);
  const ratios: number[] = [];
  for (let block = 0; block <= BLOCKS; block += 1) {
    const order = block % 2 === 0 ? [deferred, plain] : [plain, deferred];
    const rates = new Map<Client, number>();
    for (const client of order) rates.set(client, await rate(client, statements));
    // The first block is a warm-up.
    if (block > 0) ratios.push((rates.get(deferred) ?? 0) / (rates.get(plain) ?? 1));
  }
  await Promise.all([deferred.end(), plain.end()]);
  return median(ratios);
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const admin = new Client({ connectionString: database.url });
  await admin.connect();
  await admin.query('create table bench_note (id bigserial primary key, text text)');
  await admin.query('alter system set synchronous_commit = off');
  await admin.query('select pg_reload_conf()');
  await admin.end();
  const distant = await openDistantDatabase(database.url, { roundTripMs: 1, jitterMs: 0 });
  const figures: Figure[] = [];
  for (const [place, url] of [
    ['here', database.url],
    ['1 ms away', distant.url],
  ] as const) {
    for (const statements of [1, 4]) {
      const name = `${String(statements)} statements, database ${place}`;
      figures.push({ name, value: await earned(url, statements), unit: '×' });
    }
  }
  report('deferred-begin', figures, [
    `one connection each, ${String(BLOCKS)} alternating blocks of ${String(TRANSACTIONS)} transactions, commits that do not wait for the disk`,
  ]);
  await distant.close();
  await database.close();
}

void main();
