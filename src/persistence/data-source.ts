import type { ClientBase, QueryConfig } from 'pg';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import { Baseline1764000000045 } from './migrations/0001-baseline';
import { DeferredBeginClient } from './deferred-begin';

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

/**
 * Session settings of every pooled connection. They turn a stuck commit into an error before it
 * outlives a job's lease (6 s), so a frozen process cannot hold back whoever takes over.
 */
export const TRIPWIRES = sessionSettings({
  statement_timeout: '3000',
  lock_timeout: '1000',
  idle_in_transaction_session_timeout: '4000',
});

/** Longer than statement_timeout: only a server that went away without a word is silent so long. */
const SILENCE_MS = 5000;

/** To open a connection takes five round trips: far from the database, as long as many commits. */
const KEPT_IDLE_MS = 300_000;

/**
 * The pool that units of work lease from. `poolWaitMs` bounds the wait for a connection,
 * `silenceMs` the wait for a statement.
 */
export function createDataSource(options: {
  url: string;
  poolSize: number;
  poolWaitMs?: number;
  silenceMs?: number;
  applicationName?: string;
}): DataSource {
  return new DataSource({
    type: 'postgres',
    url: options.url,
    applicationName: options.applicationName ?? 'colloquy',
    poolSize: options.poolSize,
    connectTimeoutMS: options.poolWaitMs ?? 2000,
    entities: loadedEntities(),
    migrations: MIGRATIONS,
    poolErrorHandler: () => undefined,
    extra: {
      keepAlive: true,
      idleTimeoutMillis: KEPT_IDLE_MS,
      query_timeout: options.silenceMs ?? SILENCE_MS,
      Client: DeferredBeginClient,
      onConnect: (client: ClientBase) => applySettings(client, TRIPWIRES),
    },
  });
}

/** Every loaded class with @Entity: an entity lives in its room, and this room knows no other. */
function loadedEntities() {
  return getMetadataArgsStorage().tables.map(({ target }) => target);
}

export const MIGRATIONS = [Baseline1764000000045];
