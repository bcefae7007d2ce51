import { readdirSync } from 'node:fs';
import path from 'node:path';
import { dumpSchema, inspectSchema, migrate } from '../../src/persistence';
import { CHANGE_MIGRATIONS } from '../../src/persistence/migrations/changes';
import { sqlFile } from '../../src/persistence/sql-file';
import { OLD_SCHEMA, makeOld } from '../support/old-schema';
import { rowsOf } from '../support/outside';
import { createTestDatabase } from '../support/postgres';

const MIGRATIONS = [
  'Baseline1764000000100',
  ...CHANGE_MIGRATIONS.map((Change) => new Change().name),
];
const FUNCTIONS = path.join(__dirname, '../../src/persistence/sql/functions');

let url: string;
let drop: () => Promise<void>;

beforeEach(async () => {
  ({ url, drop } = await createTestDatabase());
});
afterEach(() => drop());

function sql<Row>(text: string): Promise<Row[]> {
  return rowsOf<Row>(url, text);
}

/** Every row of every table, also of `migrations`. */
async function allRows(): Promise<string[]> {
  const tables = await sql<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await sql<{ row: string }>(
      `select to_jsonb(t)::text as row from ${name} t order by 1`,
    );
    rows.push(...found.map(({ row }) => `${name} ${row}`));
  }
  return rows;
}

test('makes the whole schema in an empty database', async () => {
  const expected = await dumpSchema(url);
  await sql('drop schema public cascade; create schema public');

  await migrate(url);

  expect(await dumpSchema(url)).toBe(expected);
  expect((await allRows()).map((row) => row.split(' ')[0])).toEqual([
    ...MIGRATIONS.map(() => 'migrations'),
    'notion_enrolment',
    'notion_limiter',
    'notion_sweep',
  ]);
});

test.each<[string, (() => Promise<unknown>) | string]>([
  ['of the last commit before the baseline', () => makeOld(url)],
  ['whose migrations began before the baseline', `update migrations set name = 'A1764000000099'`],
  [
    'of before that got the baseline too',
    `insert into migrations (id, "timestamp", name) values (9999, 1764000000045, 'Baseline1764000000045')`,
  ],
  ['with tables and no migration', 'delete from migrations'],
  ['with tables and without the table of migrations', 'drop table migrations'],
  [
    'with one table of the same name',
    'drop schema public cascade; create schema public; create table candidate (id int)',
  ],
])('a database %s is refused in one sentence, and nothing in it is altered', async (_, change) => {
  await sql(`insert into candidate (id, name) values (gen_random_uuid(), 'Grace')`);
  await (typeof change === 'string' ? sql(change) : change());
  const [schema, rows] = [await dumpSchema(url), await allRows()];

  const started = migrate(url);

  await expect(started).rejects.toMatchObject({ code: 'old_schema', message: OLD_SCHEMA });
  expect(await inspectSchema(url)).toMatchObject({ isOld: true, newer: [] });
  expect(await dumpSchema(url)).toBe(schema);
  expect(await allRows()).toEqual(rows);
});

test('tables of other programs beside ours are no reason to refuse a database', async () => {
  await sql('drop schema public cascade; create schema public; create table invoices (id int)');

  await expect(migrate(url)).resolves.toEqual(MIGRATIONS);
  expect(await inspectSchema(url)).toEqual({ missing: [], newer: [], isOld: false });
});

test('replicas that start together on an empty database all find it made', async () => {
  await sql('drop schema public cascade; create schema public');

  const starts = Array.from({ length: 4 }, () => migrate(url));

  await expect(Promise.all(starts)).resolves.toHaveLength(4);
});

test.each(readdirSync(FUNCTIONS))('has the functions of %s as the file says', async (file) => {
  const before = await dumpSchema(url);

  await sql(sqlFile(`functions/${file}`));

  expect(await dumpSchema(url)).toBe(before);
});
