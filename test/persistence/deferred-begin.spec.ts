import type { Client, Connection } from 'pg';
import { DeferredBeginClient } from '../../src/persistence/deferred-begin';
import { createTestDatabase } from '../support/postgres';

const INSERT = { name: 'insert', text: 'insert into note (n) values ($1) returning n' };

let url: string;
let drop: () => Promise<void>;
let client: Client;

beforeAll(async () => {
  ({ url, drop } = await createTestDatabase());
});

beforeEach(async () => {
  client = new DeferredBeginClient({ connectionString: url });
  await client.connect();
  await client.query('create table note (n int check (n > 0))');
});

afterEach(async () => {
  await client.query('rollback; drop table note');
  await client.end();
});

afterAll(() => drop());

function connection(): Connection {
  return (client as unknown as { connection: Connection }).connection;
}

/** How many round trips to PostgreSQL `work` waits for. */
async function roundTrips(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const responded = (): void => void (count += 1);
  connection().on('readyForQuery', responded);
  await work();
  connection().off('readyForQuery', responded);
  return count;
}

async function stored(): Promise<number[]> {
  const { rows } = await client.query<{ n: number }>('select n from note order by n');
  return rows.map(({ n }) => n);
}

test('a transaction of two statements takes three round trips', async () => {
  const begun = await roundTrips(async () => {
    await client.query('START TRANSACTION');
    expect((await client.query({ ...INSERT, values: [1] })).rows).toEqual([{ n: 1 }]);
    expect((await client.query({ ...INSERT, values: [2] })).rowCount).toBe(1);
    await client.query('COMMIT');
  });

  expect(begun).toBe(3);
  expect(await stored()).toEqual([1, 2]);
});

test.each(['COMMIT', 'ROLLBACK'])(
  'a transaction without a statement takes no round trip for its %s',
  async (end) => {
    const taken = await roundTrips(async () => {
      await client.query('START TRANSACTION');
      await client.query(end);
    });

    expect(taken).toBe(0);
    await client.query({ ...INSERT, values: [3] });
    await client.query('ROLLBACK');
    expect(await stored()).toEqual([3]);
  },
);

test('a rollback undoes what the transaction stored', async () => {
  await client.query('START TRANSACTION');
  await client.query({ ...INSERT, values: [1] });
  await client.query('ROLLBACK');

  expect(await stored()).toEqual([]);
});

test('a first statement that fails leaves a failed transaction, and its name can be used again', async () => {
  await client.query('START TRANSACTION');
  await expect(client.query({ ...INSERT, values: [-1] })).rejects.toThrow('violates check');
  await expect(client.query('select 1')).rejects.toThrow('transaction is aborted');
  await client.query('ROLLBACK');

  await client.query('START TRANSACTION');
  const unknown = { name: 'unknown', text: 'select $1::int from nowhere', values: [1] };
  await expect(client.query(unknown)).rejects.toThrow('"nowhere" does not exist');
  await client.query('ROLLBACK');
  await client.query('START TRANSACTION');
  await expect(client.query(unknown)).rejects.toThrow('"nowhere" does not exist');
  await client.query('ROLLBACK');

  await client.query('START TRANSACTION');
  await client.query({ ...INSERT, values: [5] });
  await client.query('COMMIT');
  expect(await stored()).toEqual([5]);
});

test('the first statement does not run when BEGIN fails, and can be sent again', async () => {
  const wire = connection() as unknown as { parse: (statement: { text: string }) => void };
  const statement = { name: 'again', text: 'insert into note (n) values ($1)', values: [7] };
  jest.spyOn(wire, 'parse').mockImplementationOnce(() => {
    jest.restoreAllMocks();
    wire.parse({ text: 'START NOTHING' });
  });
  await client.query('START TRANSACTION');
  await expect(client.query(statement)).rejects.toThrow('syntax error');
  expect(await stored()).toEqual([]);

  await client.query('START TRANSACTION');
  await client.query(statement);
  await client.query('COMMIT');
  expect(await stored()).toEqual([7]);
});

test('several statements in one text follow BEGIN', async () => {
  await client.query('START TRANSACTION');
  await client.query('insert into note values (1); insert into note values (2)');
  await client.query('ROLLBACK');

  expect(await stored()).toEqual([]);
});
