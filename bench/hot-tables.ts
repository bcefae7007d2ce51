/**
 * What free space in the pages of the hot tables brings. A copy of each table, with its indexes, is
 * filled and updated as the application does it, once with full pages and once with free space;
 * autovacuum is off, so that only the pages make a difference. A fillfactor stays in the schema where it
 * makes more updates HOT (those write no index), or leaves the table and its indexes smaller.
 */
import { Pool } from 'pg';
import { openBenchDatabase } from './lib/database';
import { type Figure, report } from './lib/report';

const ROWS = 1000;
const FULL = 100;

interface Life {
  readonly table: string;
  readonly fillfactor: number;
  readonly what: string;
  /** Columns and values of a row; `n` is its number, from 1 to ROWS. */
  readonly fill: string;
  /** The column that holds `n`. */
  readonly number: string;
  /** Each of them updates every row once. */
  readonly updates: readonly string[];
}

const HEARTBEATS = Array.from({ length: 20 }, () => `leased_until = clock_timestamp()`);

const LIVES: readonly Life[] = [
  {
    table: 'job',
    number: 'id',
    fillfactor: 70,
    what: 'a flush that is claimed, renewed 20 times and done',
    fill: `(id, queue, key, state, first_at, due_at) overriding system value
      select n, 'flush', n::text, 'open', now(), now()`,
    updates: [
      `state = 'running', claim_no = claim_no + 1, due_at = clock_timestamp(), worker = 'w'`,
      ...HEARTBEATS,
      `state = 'done', due_at = null, ended_at = clock_timestamp()`,
    ],
  },
  {
    table: 'conversation',
    number: 'metadata_version',
    fillfactor: 80,
    what: '20 messages and answers',
    fill: `(id, vacancy_id, candidate_id, language, plan, state, metadata_version)
      select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'en',
        jsonb_build_object('questions', repeat('q', 1500)), '{"questionIndex": 0}', n`,
    updates: Array.from({ length: 20 }, () => 'last_seq = last_seq + 1'),
  },
  {
    table: 'message',
    number: 'seq',
    fillfactor: 80,
    what: 'its turn, then cleared',
    fill: `(id, conversation_id, seq, role, channel, external_id, text, received_at, answer_id)
      select gen_random_uuid(), gen_random_uuid(), n, 'user', 'web', n::text,
        'An answer of some length, as people write it.', now(), n`,
    updates: ['turn_id = answer_id', 'cleared_at = clock_timestamp()'],
  },
  {
    table: 'turn',
    number: 'id',
    fillfactor: 80,
    what: 'opened, replied and delivered',
    fill: `(id, answer_id, conversation_id, interview_step, channel, state,
      message_count, reply_message_id, started_at) overriding system value
      select n, n, gen_random_uuid(), 1, 'web', 'opened', 1,
        gen_random_uuid(), now()`,
    updates: [
      `state = 'replied', reply_text = repeat('A reply. ', 30)`,
      `state = 'delivered', completed_at = clock_timestamp()`,
    ],
  },
  {
    table: 'llm_attempt',
    number: 'id',
    fillfactor: 80,
    what: 'sent, then its outcome',
    fill: `(id, request_id, epoch, model) overriding system value select n, n, 1, 'gpt-4.1-mini'`,
    updates: [`outcome = 'ok', latency_ms = 900, ended_at = clock_timestamp()`],
  },
];

interface Kept {
  readonly hotPercent: number;
  readonly megabytes: number;
}

async function live(
  pool: Pool,
  { table, number, fill, updates }: Life,
  fillfactor: number,
): Promise<Kept> {
  const copy = `${table}_${fillfactor}`;
  await pool.query(
    `create table ${copy} (like ${table} including all excluding constraints)
     with (fillfactor = ${fillfactor}, autovacuum_enabled = false)`,
  );
  // As in production: some rows are updated before others are inserted.
  for (let from = 1; from <= ROWS; from += ROWS / 10) {
    const to = from + ROWS / 10 - 1;
    await pool.query(`insert into ${copy} ${fill} from generate_series(${from}, ${to}) n`);
    for (const update of updates) {
      await pool.query(`update ${copy} set ${update} where ${number} between ${from} and ${to}`);
    }
  }
  await pool.query('select pg_stat_force_next_flush()');
  const { rows } = await pool.query<{ hot: number; bytes: string }>(
    `select n_tup_hot_upd::float8 / n_tup_upd as hot, pg_total_relation_size(relid) as bytes
     from pg_stat_user_tables where relname = $1`,
    [copy],
  );
  const [row] = rows;
  return { hotPercent: 100 * (row?.hot ?? NaN), megabytes: Number(row?.bytes) / 1e6 };
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const pool = new Pool({ connectionString: database.url, max: 1 });
  await pool.query('set synchronous_commit = off');
  const figures: Figure[] = [];
  for (const life of LIVES) {
    const full = await live(pool, life, FULL);
    const roomy = await live(pool, life, life.fillfactor);
    const name = (what: string): string => `${life.table}: ${what}`;
    figures.push(
      { name: name('HOT updates, pages filled up'), value: full.hotPercent, unit: '%' },
      {
        name: name(`HOT updates, filled to ${life.fillfactor} %`),
        value: roomy.hotPercent,
        unit: '%',
      },
      { name: name('size with indexes, pages filled up'), value: full.megabytes, unit: 'MB' },
      { name: name(`size, filled to ${life.fillfactor} %`), value: roomy.megabytes, unit: 'MB' },
    );
  }
  await pool.end();
  await database.close();
  report('hot-tables', figures, [
    `${ROWS} rows each, a tenth at a time; no autovacuum`,
    ...LIVES.map(({ table, what }) => `${table}: ${what}`),
  ]);
}

void main();
