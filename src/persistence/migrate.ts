import { Logger } from '@nestjs/common';
import type { Client, ClientBase } from 'pg';
import { DataSource, type MigrationInterface } from 'typeorm';
import { type Clock, SystemClock } from '../common/clock';
import { ColloquyError } from '../common/errors';
import { type Tx, sqlStateOf } from '../common/uow';
import { withBootConnection } from './server-check';
import { MIGRATIONS, applySettings, sessionSettings } from './data-source';

/** The advisory lock under which one replica migrates while the others wait. The number has no meaning. */
const MIGRATION_LOCK = 7_203_655_001;
const LOCK_POLL_MS = 200;

/**
 * How long a migration waits for a lock. All commits that use the table wait behind it. This is half of
 * the lock_timeout of a running replica (1 s), so its commits slow down and none of them fails.
 */
const LOCK_WAIT_MS = 500;
/** With these pauses, a migration tries for about 80 seconds. */
const MAX_TRIES = 12;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 10_000;
/** SQL states of a lock timeout and of a deadlock with a replica. Either rolls the migration back. */
const LOCKED_OUT = new Set(['55P03', '40P01']);

type Migrations = readonly (new () => MigrationInterface & { readonly name: string })[];

const namesOf = (migrations: Migrations): string[] =>
  migrations.map((Migration) => new Migration().name);
const DONE = `select name from migrations where name = any($1)`;

/** Another connection keeps a table locked that a migration changes; the message says how to find it. */
export class MigrationLockedOutError extends ColloquyError {
  readonly code = 'migration_locked_out';
  readonly retryable = true;
}

interface MigrateOptions {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  /** How long one try waits for a lock. */
  readonly lockWaitMs: number;
  /** The migrations to run, in order; by default all migrations of this program. */
  readonly migrations: Migrations;
}

/**
 * Brings the database at `url` up to date, once, also when several replicas try at the same time. It
 * polls the advisory lock, because a session that waits inside pg_advisory_lock() holds a snapshot and
 * would block an index that is being built concurrently. A migration that cannot lock a table in a
 * short time tries again after a pause; throws MigrationLockedOutError after the last try. Returns the
 * names of the migrations that ran, here or on another replica meanwhile.
 */
export async function migrate(
  url: string,
  options: Partial<MigrateOptions> = {},
): Promise<readonly string[]> {
  const { clock = new SystemClock(), logger = new Logger('Migrations') } = options;
  const { lockWaitMs = LOCK_WAIT_MS, migrations = MIGRATIONS } = options;
  const names = namesOf(migrations);
  return withBootConnection(url, 'colloquy-migrate', async (client) => {
    const missing = await missingMigrations(client, names);
    // At a usual start. It needs no second connection.
    if (missing.length === 0) return missing;
    await takeLock(client);
    const nameNext = async (): Promise<string> =>
      (await missingMigrations(client, names))[0] ?? 'unknown';
    await withRetries(() => runMigrations(url, lockWaitMs, migrations), {
      clock,
      logger,
      nameNext,
    });
    return missing;
  });
}

/** How many migrations of this program the database lacks: 0 unless an older backup was restored. */
export async function countMissingMigrations(tx: Tx): Promise<number> {
  const names = namesOf(MIGRATIONS);
  const rows = await tx.query(DONE, [names]);
  return names.length - rows.length;
}

/** Those of `names` that the database lacks, in order. */
async function missingMigrations(client: Client, names: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('migrations') is not null as "exists"`,
  );
  if (rows[0]?.exists !== true) return [...names];
  const { rows: done } = await client.query<{ name: string }>(DONE, [names]);
  const known = new Set(done.map(({ name }) => name));
  return names.filter((name) => !known.has(name));
}

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

async function runMigrations(
  url: string,
  lockWaitMs: number,
  migrations: Migrations,
): Promise<void> {
  // Without the other timeouts, because building an index may take longer than a commit may.
  const settings = sessionSettings({ lock_timeout: String(lockWaitMs) });
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
