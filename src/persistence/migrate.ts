import { Logger } from '@nestjs/common';
import type { Client, ClientBase } from 'pg';
import { DataSource, type MigrationInterface } from 'typeorm';
import { type Clock, SystemClock } from '../common/clock';
import { ColloquyError } from '../common/errors';
import { DatabaseReadOnlyError, type Tx, type UnitOfWork, sqlStateOf } from '../common/uow';
import { withBootConnection } from './server-check';
import { MIGRATIONS, NO_TIMEOUTS, applySettings, sessionSettings } from './data-source';
import { baselineTables } from './migrations/baseline';

/**
 * Brings the database at `url` up to date, once, also when several replicas try at the same time. It
 * polls the advisory lock, because a session that waits inside pg_advisory_lock() holds a snapshot and
 * would block an index that is being built concurrently. A migration that cannot lock a table in a
 * short time tries again after a pause; throws MigrationLockedOutError after the last try. Before the
 * first one it throws NewerSchemaError or OldSchemaError when another version made the database. Returns
 * the names of the migrations that ran, here or on another replica meanwhile.
 */
export async function migrate(
  url: string,
  options: Partial<MigrateOptions> = {},
): Promise<readonly string[]> {
  const { clock = new SystemClock(), logger = new Logger('Migrations') } = options;
  const { lockWaitMs = LOCK_WAIT_MS, migrations = MIGRATIONS } = options;
  const names = namesOf(migrations);
  return withBootConnection(url, 'colloquy-migrate', async (client) => {
    const { missing, newer, isOld } = await inspect(readerOf(client), names);
    if (newer.length > 0) throw new NewerSchemaError(newer);
    if (isOld) throw new OldSchemaError();
    if (missing.length === 0) return missing;
    await takeLock(client);
    const nameNext = async (): Promise<string> =>
      (await inspect(readerOf(client), names)).missing[0] ?? 'unknown';
    await withRetries(() => runMigrations(url, lockWaitMs, migrations), {
      clock,
      logger,
      nameNext,
    });
    return missing;
  });
}

/**
 * How long a migration waits for a lock. All commits that use the table wait behind it. This is half of
 * the lock_timeout of a running replica (1 s), so commits behind a waiting migration slow down and do
 * not fail. A change that holds its lock for longer than a second still makes them fail and run again:
 * build indexes concurrently, add checks as `not valid`.
 */
const LOCK_WAIT_MS = 500;

const namesOf = (migrations: Migrations): string[] =>
  migrations.map((Migration) => new Migration().name);

interface MigrateOptions {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  /** How long one try waits for a lock. */
  readonly lockWaitMs: number;
  /** The migrations to run, in order; by default all migrations of this program. */
  readonly migrations: Migrations;
}

type Migrations = readonly (new () => MigrationInterface & { readonly name: string })[];

/** The database was migrated by a newer version; the message says what to do. */
export class NewerSchemaError extends ColloquyError {
  readonly code = 'newer_schema';
  readonly retryable = false;

  constructor(newer: readonly string[]) {
    super(
      `The database was migrated by a newer version of Colloquy (${newer.join(', ')}), and this ` +
        'one could damage its data: start that version, or restore a backup from before it.',
      { fields: { newer: newer.length } },
    );
  }
}

/** The last commit that works with databases from before the baseline. */
const LAST_BEFORE_BASELINE = '1c5a128b';

/** The database was made by a build from before the baseline; the message says how to get its data. */
export class OldSchemaError extends ColloquyError {
  readonly code = 'old_schema';
  readonly retryable = false;

  constructor() {
    super(
      'The database was made by a build from before the first release, which this version cannot use: ' +
        `export what you need with commit ${LAST_BEFORE_BASELINE}, then start this version with an empty database (docs/upgrade.md).`,
    );
  }
}

const DONE_AND_READ_ONLY = `select array(select name from migrations) as names,
  current_setting('transaction_read_only')::bool as "isReadOnly"`;
const UNDEFINED_TABLE = '42P01';

/**
 * What the database has and lacks, in one commit. A database without any table lacks all migrations.
 * Throws DatabaseReadOnlyError when it takes no writes, and other errors when it cannot be read.
 */
export async function readSchemaState(uow: UnitOfWork): Promise<SchemaState> {
  const names = namesOf(MIGRATIONS);
  try {
    const done = await uow.commitOne('schema.read', async (tx) => {
      const [row] = await tx.query<{ names: string[]; isReadOnly: boolean }>(DONE_AND_READ_ONLY);
      // Thrown in the commit, so that its connection ends: another one may reach the new primary.
      if (row?.isReadOnly === true) throw new DatabaseReadOnlyError();
      return row?.names ?? [];
    });
    return stateOf(new Set(done), names);
  } catch (error) {
    if (sqlStateOf(error) !== UNDEFINED_TABLE) throw error;
    return stateOf(new Set(), names);
  }
}

/** How the schema of a database differs from the one that this program was written for. */
export interface SchemaState {
  /** Migrations of this program that the database lacks, in their order. */
  readonly missing: readonly string[];
  /** Migrations of a newer version that the database has. */
  readonly newer: readonly string[];
  /** It was made by a build from before the baseline, and cannot be used. */
  readonly isOld: boolean;
}

/** The same before the pool exists. Throws DatabaseUnreachableError. */
export function inspectSchema(url: string): Promise<SchemaState> {
  return withBootConnection(url, 'colloquy-check', (client) =>
    inspect(readerOf(client), namesOf(MIGRATIONS)),
  );
}

/** Throws OldSchemaError. For commands, which also work on a database that they do not migrate. */
export async function refuseOldSchema(tx: Tx): Promise<void> {
  const read: Read = (text, values) => tx.query(text, values);
  const { isOld } = await inspect(read, namesOf(MIGRATIONS));
  if (isOld) throw new OldSchemaError();
}

/** Runs a statement and returns its rows. */
type Read = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

function readerOf(client: Client): Read {
  return async <Row>(text: string, values: readonly unknown[] = []) =>
    (await client.query(text, [...values])).rows as Row[];
}

/** Needs no second connection, so that a usual start is quick. */
async function inspect(read: Read, names: readonly string[]): Promise<SchemaState> {
  const done = await readDone(read);
  const state = stateOf(done, names);
  const [baseline = ''] = names;
  if (state.isOld || done.has(baseline)) return state;
  return { ...state, isOld: await hasTables(read, baseline) };
}

function stateOf(done: ReadonlySet<string>, names: readonly string[]): SchemaState {
  const oldest = numberOf(names[0] ?? '');
  const newest = Math.max(...names.map(numberOf));
  return {
    missing: names.filter((name) => !done.has(name)),
    newer: [...done].filter((name) => numberOf(name) > newest),
    isOld: [...done].some((name) => numberOf(name) < oldest),
  };
}

const DONE = `select name from migrations`;
const HAS_MIGRATIONS = `select to_regclass('migrations') is not null as exists`;

async function readDone(read: Read): Promise<Set<string>> {
  const [found] = await read<{ exists: boolean }>(HAS_MIGRATIONS);
  const rows = found?.exists === true ? await read<{ name: string }>(DONE) : [];
  return new Set(rows.map(({ name }) => name));
}

const TABLES = `select name from unnest($1::text[]) as name where to_regclass(name) is not null`;

/** Whether there are tables that the baseline did not make. */
async function hasTables(read: Read, baseline: string): Promise<boolean> {
  const found = await read(TABLES, [baselineTables()]);
  // Another replica may have made them after the migrations were read.
  return found.length > 0 && !(await readDone(read)).has(baseline);
}

/** The end of a migration's name is its number, which grows from version to version. */
const NUMBER = /\d{13}$/;

function numberOf(name: string): number {
  return Number(NUMBER.exec(name)?.[0] ?? 0);
}

/** The advisory lock under which one replica migrates while the others wait. The number has no meaning. */
const MIGRATION_LOCK = 7_203_655_001;
const LOCK_POLL_MS = 200;

async function takeLock(client: Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ locked: boolean }>(
      'select pg_try_advisory_lock($1) as locked',
      [MIGRATION_LOCK],
    );
    if (rows[0]?.locked === true) return;
    await client.query('select pg_sleep($1)', [LOCK_POLL_MS / 1000]);
  }
}

/** With these pauses, a migration tries for about 80 seconds. */
const MAX_TRIES = 12;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** SQL states of a lock timeout and of a deadlock with a replica. Either rolls the migration back. */
const LOCKED_OUT = new Set(['55P03', '40P01']);

/** Repeats `run`, which does not run migrations again that it has committed. */
async function withRetries(
  run: () => Promise<void>,
  { clock, logger, nameNext }: Omit<MigrateOptions, 'lockWaitMs' | 'migrations'> & NamesNext,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await run();
      return;
    } catch (error) {
      if (!LOCKED_OUT.has(sqlStateOf(error) ?? '')) throw error;
      const name = await nameNext();
      if (tries === MAX_TRIES) throw lockedOut(name, tries, error);
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (tries - 1), LONGEST_PAUSE_MS);
      logger.warn(
        `Migration ${name} cannot lock a table that another connection uses ` +
          `(try ${tries} of ${MAX_TRIES}); trying again in ${pauseMs} ms`,
      );
      await clock.sleep(pauseMs);
    }
  }
}

interface NamesNext {
  /** The first migration that the database lacks. */
  readonly nameNext: () => Promise<string>;
}

function lockedOut(name: string, tries: number, cause: unknown): MigrationLockedOutError {
  return new MigrationLockedOutError(
    `Migration ${name} could not lock a table in ${tries} tries, because another connection holds ` +
      'it: end the long transaction (see pg_stat_activity) and start Colloquy again. ' +
      'Nothing of this migration is stored.',
    { fields: { migration: name, tries }, cause },
  );
}

/** Another connection keeps a table locked that a migration changes; the message says how to find it. */
export class MigrationLockedOutError extends ColloquyError {
  readonly code = 'migration_locked_out';
  readonly retryable = true;
}

async function runMigrations(
  url: string,
  lockWaitMs: number,
  migrations: Migrations,
): Promise<void> {
  // Building an index may take longer than a commit may.
  const settings = sessionSettings({ ...NO_TIMEOUTS, lock_timeout: String(lockWaitMs) });
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    migrations: [...migrations],
    poolSize: 1,
    extra: { onConnect: (client: ClientBase) => applySettings(client, settings) },
  });
  await dataSource.initialize();
  try {
    await dataSource.runMigrations({ transaction: 'each' });
  } finally {
    await dataSource.destroy();
  }
}
