import type { ClientBase, QueryConfig } from 'pg';
import { DataSource, getMetadataArgsStorage } from 'typeorm';
import { Baseline1764000000100 } from './migrations/baseline';
import { CHANGE_MIGRATIONS } from './migrations/changes';
import { DeferredBeginClient } from './deferred-begin';

/** The pool that units of work lease from. */
export function createDataSource(options: PoolOptions): DataSource {
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
      onConnect: (client: ClientBase) => applySettings(client, POOL_SESSION_TIMEOUTS),
    },
  });
}

/**
 * PostgreSQL's own defaults of the settings that decide what our statements mean, and in which form
 * results reach the driver. A role, a database or a server may have other values: with another DateStyle
 * the driver reads every date as null. Not here is `search_path`, which says where the tables are, and
 * `default_transaction_read_only`, by which an operator or a full disk stops writing: the start checks both.
 */
const MEANING: SessionSettings = {
  client_encoding: 'UTF8',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  transform_null_equals: 'off',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
};

/**
 * Settings of every connection. The planner assumes at least a thousand rows in a table that was never
 * analysed, and joins of such tables exceed the cost from which PostgreSQL compiles a statement.
 * Compiling takes 200 ms, and our statements take less than one, so compiling is off.
 */
const EVERYWHERE: SessionSettings = { ...MEANING, jit: 'off' };

/**
 * Session settings of every pooled connection. They turn a stuck commit into an error before it
 * outlives a job's lease (JOB_LEASE), so a frozen process cannot block the process that takes over.
 */
export const POOL_SESSION_TIMEOUTS = sessionSettings({
  statement_timeout: '3000',
  lock_timeout: '1000',
  idle_in_transaction_session_timeout: '4000',
});

/** Longer than statement_timeout, so only a server that is gone sends nothing for this time. */
const SILENCE_MS = 5000;

/** Opening a connection takes five round trips, so idle connections are kept for a while. */
const KEPT_IDLE_MS = 300_000;

/** `poolWaitMs` bounds the wait for a connection, `silenceMs` the wait for a statement. */
export interface PoolOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly poolWaitMs?: number;
  readonly silenceMs?: number;
  /** As PostgreSQL lists the connections; `colloquy` by default. */
  readonly applicationName?: string;
}

/** An older server lacks some of the settings (`transaction_timeout` came with PostgreSQL 17). */
const APPLY = `select set_config(name, value, false)
  from unnest($1::text[], $2::text[]) as setting (name, value)
  where current_setting(name, true) is not null`;
/** A server that needs longer to apply the settings counts as unreachable. */
const APPLY_MS = 2000;

/**
 * Applies the settings to a new connection. It uses a statement, because a pooler refuses or drops
 * startup options (PgBouncer 1.18: "unsupported startup parameter").
 */
export async function applySettings(client: ClientBase, settings: SessionSettings): Promise<void> {
  const statement: QueryConfig & { query_timeout: number } = {
    text: APPLY,
    values: [Object.keys(settings), Object.values(settings)],
    query_timeout: APPLY_MS,
  };
  await client.query(statement);
}

/** Settings of a session, by their names in PostgreSQL and with values in the form of `pg_settings`. */
export type SessionSettings = Readonly<Record<string, string>>;

/** The settings of every connection, and `more` for one kind of connection. */
export function sessionSettings(more: SessionSettings = {}): SessionSettings {
  return { ...EVERYWHERE, ...more };
}

/** Every loaded class with @Entity. Entities stand in their rooms, which this room does not import. */
function loadedEntities() {
  return getMetadataArgsStorage().tables.map(({ target }) => target);
}

export const MIGRATIONS = [Baseline1764000000100, ...CHANGE_MIGRATIONS];

/** No limits of time, for work that may take long; a role may have some. */
export const NO_TIMEOUTS: SessionSettings = {
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  transaction_timeout: '0',
};

/** The settings that are not in force, each with its actual value. */
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
