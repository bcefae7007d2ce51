import type { ClientBase, QueryConfig } from 'pg';

/** Settings of a session by PostgreSQL's names, as `pg_settings.setting` shows them. */
export type SessionSettings = Readonly<Record<string, string>>;

/**
 * On every connection of ours. The planner takes a table that was never analysed for a thousand rows
 * and more; joined, its guess passes the cost from which PostgreSQL compiles a statement, which takes
 * 200 ms where the work takes less than one. Our statements are short: compiling never pays.
 */
const EVERYWHERE: SessionSettings = { jit: 'off' };

const APPLY = `select set_config(name, value, false)
  from unnest($1::text[], $2::text[]) as setting (name, value)`;
/** A server that takes longer over this is as good as gone. */
const APPLY_MS = 2000;

/** What every connection has, and `more` of its own. */
export function sessionSettings(more: SessionSettings = {}): SessionSettings {
  return { ...EVERYWHERE, ...more };
}

/**
 * Sets them on a connection that was just made. A statement, because a pooler refuses or drops
 * startup options: PgBouncer 1.18 answers "unsupported startup parameter".
 */
export async function applySettings(client: ClientBase, settings: SessionSettings): Promise<void> {
  const statement: QueryConfig & { query_timeout: number } = {
    text: APPLY,
    values: [Object.keys(settings), Object.values(settings)],
    query_timeout: APPLY_MS,
  };
  await client.query(statement);
}

/** Those that are not in force, each with the value that is. */
export async function settingsNotInForce(
  client: ClientBase,
  settings: SessionSettings,
): Promise<string[]> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    'select name, setting from pg_settings where name = any($1) order by name',
    [Object.keys(settings)],
  );
  const wrong = rows.filter(({ name, setting }) => settings[name] !== setting);
  return wrong.map(({ name, setting }) => `${name} is ${setting}, not ${settings[name] ?? ''}`);
}
