/**
 * Jest's global setup: one PostgreSQL for the whole run, unless the caller brings one by
 * COLLOQUY_TEST_POSTGRES (an administrator's URL), which is then used and never stopped.
 */
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../../src/persistence/embedded';
import { ADMIN_URL_VARIABLE, nameRun } from './admin';
import { keepRunning } from './running-server';

/** Nothing in a test survives a power cut, so nothing waits for a disk or works for its sake. */
const PARAMETERS = {
  max_connections: '200',
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  checkpoint_timeout: '1h',
  autovacuum: 'off',
};

export default async function startServer(): Promise<void> {
  nameRun();
  if (process.env[ADMIN_URL_VARIABLE] !== undefined) return;
  const dataDir = await mkdtemp(path.join(tmpdir(), 'colloquy-test-'));
  await chmod(dataDir, 0o755); // as root the server runs as somebody else, who must get in
  const server = await startEmbeddedPostgres({
    dataDir,
    log: (line) => {
      process.stderr.write(`${line}\n`);
    },
    parameters: PARAMETERS,
    disposable: true,
  });
  await makeLoginsCheap(server.url);
  process.env[ADMIN_URL_VARIABLE] = server.url;
  keepRunning({ server, dataDir });
}

/**
 * A run logs in some thousand times. Thousands of rounds of hashing for each are half of what a
 * connection costs, and protect a password that the tests know.
 */
async function makeLoginsCheap(url: string): Promise<void> {
  const { username, password } = new URL(url);
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set scram_iterations = 1');
    await client.query(
      `alter role ${client.escapeIdentifier(username)} password ${client.escapeLiteral(password)}`,
    );
  } finally {
    await client.end();
  }
}
