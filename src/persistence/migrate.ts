import type { Client } from 'pg';
import { DataSource } from 'typeorm';
import type { Tx } from '../common/uow';
import { withBootConnection } from './boot-connection';
import { MIGRATIONS } from './data-source';
import { sessionOptions } from './session-options';

/** Any constant: the advisory lock under which one replica migrates while the others wait. */
const MIGRATION_LOCK = 7_203_655_001;
const LOCK_POLL_MS = 200;

const NAMES: readonly string[] = MIGRATIONS.map((Migration) => new Migration().name);
const DONE = `select name from migrations where name = any($1)`;

/**
 * Brings the database at `url` up to date, once, whoever else tries at the same time. The lock is
 * polled, because a session that waits inside pg_advisory_lock() holds a snapshot and would block
 * an index that is being built concurrently.
 */
export async function migrate(url: string): Promise<void> {
  await withBootConnection(url, 'colloquy-migrate', async (client) => {
    if (await isUpToDate(client)) return;
    await takeLock(client);
    await runMigrations(url);
  });
}

/** How many migrations of this program the database lacks: 0 unless it was put back in time. */
export async function countMissingMigrations(tx: Tx): Promise<number> {
  const rows = await tx.query(DONE, [NAMES]);
  return NAMES.length - rows.length;
}

/** The usual start: nothing to do, and no second connection to find that out. */
async function isUpToDate(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('migrations') is not null as "exists"`,
  );
  if (rows[0]?.exists !== true) return false;
  const done = await client.query(DONE, [NAMES]);
  return done.rowCount === NAMES.length;
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

async function runMigrations(url: string): Promise<void> {
  // Without the tripwires: building an index may take longer than a commit may.
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    migrations: MIGRATIONS,
    poolSize: 1,
    extra: { options: sessionOptions() },
  });
  await dataSource.initialize();
  try {
    await dataSource.runMigrations({ transaction: 'each' });
  } finally {
    await dataSource.destroy();
  }
}
