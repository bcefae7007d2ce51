import { Client } from 'pg';
import { migrate } from '../../src/persistence';
import { createTestDatabase } from '../support/postgres';

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'forgetful-test' });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function tablesOf(url: string): Promise<string[]> {
  const client = await connect(url);
  try {
    const { rows } = await client.query<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    return rows.map((row) => row.name);
  } finally {
    await client.end();
  }
}

describe('A test database', () => {
  test('is migrated, and what is written to one is not in the next', async () => {
    const first = await createTestDatabase();
    const client = await connect(first.url);
    await client.query('create table only_here (id int)');
    await client.end();
    const second = await createTestDatabase();

    expect(await tablesOf(first.url)).toEqual(expect.arrayContaining(['migrations', 'only_here']));
    expect(await tablesOf(second.url)).toContain('migrations');
    expect(await tablesOf(second.url)).not.toContain('only_here');

    await Promise.all([first.drop(), second.drop()]);
  });

  test('can be made by several workers at the same time', async () => {
    const databases = await Promise.all([1, 2, 3, 4].map(() => createTestDatabase()));

    expect(new Set(databases.map((database) => database.url)).size).toBe(4);

    await Promise.all(databases.map((database) => database.drop()));
  });

  test('is not reused after its schema was made anew, because the rights on the schema differ', async () => {
    const first = await createTestDatabase();
    const client = await connect(first.url);
    await client.query('drop schema public cascade; create schema public');
    await client.end();
    await migrate(first.url);
    await first.drop();

    const second = await createTestDatabase();

    expect(second.url).not.toBe(first.url);
    await second.drop();
  });

  test('is dropped with an error when a test has left a connection open', async () => {
    const database = await createTestDatabase();
    const forgotten = await connect(database.url);
    const ended = new Promise((resolve) => forgotten.once('end', resolve));
    await forgotten.query('select 42 as forgotten');

    await expect(database.drop()).rejects.toThrow(
      'Connections left open on the database: forgetful-test, idle, last: select 42 as forgotten',
    );

    await ended;
    await expect(connect(database.url)).rejects.toThrow('does not exist');
  });
});
