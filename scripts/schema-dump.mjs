/** Writes docs/schema.sql: runs the migrations on a temporary database and dumps its schema. */
import { createRequire } from 'node:module';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);
require(path.join(root, 'tools', 'support', 'swc-register.cjs'));
const { startEmbeddedPostgres } = require(path.join(root, 'src/persistence/embedded/index.ts'));
const { migrate, dumpSchema } = require(path.join(root, 'src/persistence/index.ts'));

const dataDir = mkdtempSync(path.join(tmpdir(), 'colloquy-schema-'));
// PostgreSQL does not run as root; its own user must be able to enter this folder.
chmodSync(dataDir, 0o755);
const server = await startEmbeddedPostgres({ dataDir, log: console.error, disposable: true });
try {
  await migrate(server.url);
  writeFileSync(path.join(root, 'docs', 'schema.sql'), await dumpSchema(server.url));
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
