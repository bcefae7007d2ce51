import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { dumpSchema, migrate } from '../../src/persistence';
import { sqlFile } from '../../src/persistence/sql-file';
import { rowsOf } from '../support/outside';
import { createTestDatabase } from '../support/postgres';

/** The dump of a database that the migrations before the baseline have made, with rows. */
const BEFORE = gunzipSync(
  readFileSync(path.join(__dirname, 'fixtures', 'before-baseline.sql.gz')),
).toString('utf8');
const EARLIER_MIGRATIONS = 39;

let url: string;
let drop: () => Promise<void>;

beforeEach(async () => {
  ({ url, drop } = await createTestDatabase());
});
afterEach(() => drop());

function sql<Row>(text: string): Promise<Row[]> {
  return rowsOf<Row>(url, text);
}

async function empty(): Promise<void> {
  await sql('drop schema public cascade; create schema public');
}

/** Every row of every table but `migrations`, as text. */
async function allRows(): Promise<string[]> {
  const tables = await sql<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'migrations'
     order by 1`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await sql<{ row: string }>(`select t::text as row from ${name} t order by 1`);
    rows.push(...found.map(({ row }) => `${name} ${row}`));
  }
  return rows;
}

test('makes the whole schema in an empty database', async () => {
  const expected = await dumpSchema(url);
  await empty();

  await migrate(url);

  expect(await dumpSchema(url)).toBe(expected);
  expect(await allRows()).toHaveLength(3);
});

test('adopts a database of the earlier migrations, rows and all', async () => {
  const expected = await dumpSchema(url);
  await empty();
  await sql(BEFORE);
  const before = await allRows();
  expect(before.length).toBeGreaterThan(25);

  await migrate(url);

  expect(await allRows()).toEqual(before);
  expect(await dumpSchema(url)).toBe(expected);
  expect(await sql('select name from migrations')).toEqual([{ name: 'Baseline1764000000045' }]);
});

test('lets an adopted database go on: numbers of new rows follow the old ones', async () => {
  await empty();
  await sql(BEFORE);
  await migrate(url);

  const [job] = await sql<{ id: string }>(
    `insert into job (queue, key, first_at) values ('flush', 'new', now()) returning id`,
  );

  expect(Number(job?.id)).toBe(1005);
});

test('refuses a database that has only some of the earlier migrations, in one sentence', async () => {
  await empty();
  await sql(BEFORE);
  await sql(`delete from migrations where name = 'Instance1764000000044'`);

  await expect(migrate(url)).rejects.toMatchObject({
    code: 'database_too_old',
    message:
      `This database was made by an unfinished older build (${String(EARLIER_MIGRATIONS - 1)} of ` +
      `${String(EARLIER_MIGRATIONS)} migrations): start that build once, then this one.`,
  });
  expect(await sql('select name from migrations')).toHaveLength(EARLIER_MIGRATIONS - 1);
});

test.each([
  'buffer_append',
  'buffer_due_at',
  'buffer_join',
  'notify_ended_sessions',
  'notion_rates',
  'notion_user_status_at',
  'telegram_take',
])('has the function %s as its file says', async (file) => {
  const before = await dumpSchema(url);

  await sql(sqlFile(`functions/${file}.sql`));

  expect(await dumpSchema(url)).toBe(before);
});
