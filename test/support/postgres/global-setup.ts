/**
 * Jest's global setup: one PostgreSQL for the whole run, unless the caller brings one by
 * COLLOQUY_TEST_POSTGRES (an administrator's URL), which is then used and never stopped.
 */
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
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
  process.env[ADMIN_URL_VARIABLE] = server.url;
  keepRunning({ server, dataDir });
}
