import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from './data-source';

/** Any constant: the advisory lock under which one replica migrates while the others wait. */
const MIGRATION_LOCK = 7_203_655_001;
const LOCK_POLL_MS = 200;

/**
 * Brings the database at `url` up to date, once, whoever else tries at the same time. The lock is
 * polled, because a session that waits inside pg_advisory_lock() holds a snapshot and would block
 * an index that is being built concurrently.
 */
export async function migrate(url: string): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'colloquy-migrate' });
  await client.connect();
  try {
    await takeLock(client);
    await runMigrations(url);
  } finally {
    await client.end();
  }
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
  const dataSource = new DataSource({ type: 'postgres', url, migrations: MIGRATIONS, poolSize: 1 });
  await dataSource.initialize();
  try {
    await dataSource.runMigrations({ transaction: 'each' });
  } finally {
    await dataSource.destroy();
  }
}
