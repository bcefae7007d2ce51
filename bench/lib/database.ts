import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrate } from '../../src/persistence';
import { startEmbeddedPostgres } from '../../src/persistence/embedded';

/** Starts a PostgreSQL for this bench alone, migrated, and durable as in production (fsync on). */
export async function openBenchDatabase(): Promise<{ url: string; close(): Promise<void> }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'colloquy-bench-'));
  chmodSync(folder, 0o755);
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    log: (line) => void process.stderr.write(`${line}\n`),
    parameters: { max_connections: '200' },
  });
  await migrate(server.url);
  return {
    url: server.url,
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
