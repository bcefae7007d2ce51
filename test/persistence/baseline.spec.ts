import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { dumpSchema, migrate } from '../../src/persistence';
import { MIGRATIONS } from '../../src/persistence/data-source';
import { sqlFile } from '../../src/persistence/sql-file';
import { rowsOf } from '../support/outside';
import { createTestDatabase } from '../support/postgres';

/** A dump, with rows, of a database that was made by the migrations before the baseline. */
const BEFORE = gunzipSync(
  readFileSync(path.join(__dirname, 'fixtures', 'before-baseline.sql.gz')),
).toString('utf8');
const EARLIER_MIGRATIONS = 35;

/** Later migrations, each with a file in `sql/adopt` that does the same to an adopted database. */
const LATER = [
  'JobsAndQueues1764000000040',
  'SingleJobs1764000000041',
  'Channels1764000000042',
  'Instance1764000000044',
];

/** Undoes the files in `sql/adopt`, which gives the schema of the build before them. */
const AS_BEFORE_THE_RENAMES = `
  drop table instance;
  alter table continuation add constraint continuation_channel_check check (channel <> '');
  alter table conversation add constraint conversation_channel_check check (channel <> '');
  alter table message add constraint message_channel_check check (channel <> '');
  drop index job_single_running;
  alter table job drop column single;
  create unique index job_single_running on job (queue)
    where state = 'running' and queue = 'notion-sync';
  ${sqlFile('adopt/JobsAndQueues1764000000040.sql')
    .replace(/--.*$|^update .*$/gm, '')
    .split(';')
    .map((line) => line.replace(/(\w+)(\(\))?(\s+rename)\s+to (\w+)/, '$4$2$3 to $1'))
    .map((line) => line.replace(/rename (column|constraint) (\w+) to (\w+)/, 'rename $1 $3 to $2'))
    .reverse()
    .join(';')};
  delete from migrations where name = any('{${LATER.join()}}')`;

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

/** Columns of migrations after the baseline. */
const ADDED_LATER = [
  'brand',
  'under',
  'is_fallback',
  'consent_seq',
  'question_at',
  'automated_processing_objected_at',
  'prompt',
  'paced_messages',
  'gaps',
  'gap_mean',
  'gap_variance',
  'gap_since',
  'gap_step',
  'long_answer',
  'time_zone',
  'trace',
  'unseen_until',
  'walk_source',
  'paced_seq',
  'quiet_ms',
  'quiet_channel',
  'failed_searches',
  'typed_at',
];

/** Every row of every table but `migrations`, without the columns that later migrations added. */
async function allRows(): Promise<string[]> {
  const tables = await sql<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'migrations'
     order by 1`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    // Attention items have always had a column of this name.
    const added = name === 'vacancy' ? [...ADDED_LATER, 'closed_at', 'notices'] : ADDED_LATER;
    const found = await sql<{ row: string }>(
      `select (to_jsonb(t) - '{${added.join()}}'::text[])::text as row from ${name} t order by 1`,
    );
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
  expect(await sql('select name from migrations')).toEqual(
    MIGRATIONS.map((Migration) => ({ name: new Migration().name })),
  );
});

test('adopts a database of the build before the renames', async () => {
  const expected = await dumpSchema(url);
  await empty();
  await sql(BEFORE);
  const before = await allRows();
  await sql(AS_BEFORE_THE_RENAMES);
  expect(await sql(`select to_regclass('task') is not null as "hasTask"`)).toEqual([
    { hasTask: true },
  ]);

  await migrate(url);

  expect(await dumpSchema(url)).toBe(expected);
  expect(await allRows()).toEqual(before);
});

test('numbers new rows of an adopted database after its old rows', async () => {
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
  await sql(`delete from migrations where name = 'AuditRetention1764000000039'`);

  await expect(migrate(url)).rejects.toMatchObject({
    code: 'database_too_old',
    message:
      `This database was made by an unfinished older build (${String(EARLIER_MIGRATIONS - 1)} of ` +
      `${String(EARLIER_MIGRATIONS)} migrations): start that build once, then this one.`,
  });
  expect(await sql('select name from migrations')).toHaveLength(
    EARLIER_MIGRATIONS - 1 + LATER.length,
  );
});

test.each([
  'answer_pace',
  'buffer_activity',
  'buffer_append',
  'buffer_before_reply',
  'buffer_due_at',
  'buffer_join',
  'buffer_long_answer',
  'buffer_quiet_time',
  'debounce_due_at',
  'notify_ended_sessions',
  'notion_rates',
  'notion_user_status_at',
  'telegram_take',
])('has the function %s as its file says', async (file) => {
  const before = await dumpSchema(url);

  await sql(sqlFile(`functions/${file}.sql`));

  expect(await dumpSchema(url)).toBe(before);
});
