import type { Tx } from '../../src/common/uow';
import type { TestBase } from './test-base';

/**
 * What changes beside what a test does: the inbox and the outbox of the bot, and its lease. The outbox is told
 * by what the person hears.
 */
const BESIDE = ['telegram_update', 'telegram_bot_reply', 'telegram_poller'];

/** Tables that are read in one statement: a statement has a time limit, also on a busy machine. */
const AT_ONCE = 8;

/** The names of the tables that have other rows after `work` than before, in the order of the alphabet. */
export async function changedTables(
  base: Pick<TestBase, 'commit'>,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const before = await base.commit(rowsOf);
  await work();
  const after = await base.commit(rowsOf);
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).sort();
}

/** A hash of all rows of each table; when a session was seen last is no change. */
async function rowsOf(tx: Tx): Promise<Map<string, string | null>> {
  const tables = await tx.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> all($1)`,
    [BESIDE],
  );
  const reads = tables.map(
    ({ name }) =>
      `select '${name}' as name, md5(string_agg(line, chr(10) order by line)) as rows from (
         select (to_jsonb(t) - 'seen_at')::text as line from ${name} t
         ${name === 'job' ? "where t.queue <> 'intake'" : ''}) lines`,
  );
  const found = new Map<string, string | null>();
  for (let at = 0; at < reads.length; at += AT_ONCE) {
    const some = reads.slice(at, at + AT_ONCE).join(' union all ');
    const rows = await tx.query<{ name: string; rows: string | null }>(some, []);
    for (const { name, rows: hash } of rows) found.set(name, hash);
  }
  return found;
}
