import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrate } from '../../src/persistence';
import { startEmbeddedPostgres } from '../../src/persistence/embedded';

interface BenchServer {
  /** Settings of the server besides the usual ones of a bench. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** Where the data are and stay; by default a folder that is deleted at the end. */
  readonly folder?: string;
}

/** Starts a PostgreSQL for this bench alone, migrated, and durable as in production (fsync on). */
export async function openBenchDatabase({ parameters = {}, folder }: BenchServer = {}): Promise<{
  url: string;
  close(): Promise<void>;
}> {
  const dataDir = folder ?? mkdtempSync(path.join(tmpdir(), 'colloquy-bench-'));
  mkdirSync(dataDir, { recursive: true });
  chmodSync(dataDir, 0o755);
  const server = await startEmbeddedPostgres({
    dataDir,
    log: (line) => void process.stderr.write(`${line}\n`),
    parameters: { max_connections: '200', ...parameters },
  });
  await migrate(server.url);
  return {
    url: server.url,
    async close() {
      await server.stop();
      if (folder === undefined) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
