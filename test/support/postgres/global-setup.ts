/**
 * Jest's global setup: starts one PostgreSQL for the whole run. A caller may bring a server instead, by
 * an administrator's URL in COLLOQUY_TEST_POSTGRES; that server is used and never stopped.
 */
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../../src/persistence/embedded';
import { ADMIN_URL_VARIABLE, nameRun } from './admin';
import { keepRunning } from './running-server';

/** Test data need not survive a power cut, so the server does not wait for the disk. */
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
  await chmod(dataDir, 0o755); // started by root, the server runs as another user, who must be able to enter
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
 * Lets clients send the password as it is. A run logs in some thousand times, and the exchange of
 * SCRAM-SHA-256 is half of the CPU time of a connection here. A wrong password is still refused.
 */
async function makeLoginsCheap(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { username, password } = new URL(url);
    await client.query('set scram_iterations = 1');
    await client.query(
      `alter role ${client.escapeIdentifier(username)} password ${client.escapeLiteral(password)}`,
    );
    const { rows } = await client.query<{ file: string }>(
      "select current_setting('hba_file') as file",
    );
    const [{ file } = { file: '' }] = rows;
    const rules = await readFile(file, 'utf8');
    await writeFile(file, rules.replaceAll(/scram-sha-256$/gm, 'password'));
    await client.query('select pg_reload_conf()');
  } finally {
    await client.end();
  }
}
