/**
 * Jest's global teardown: stops the server that global-setup.ts started. On a server that the caller
 * brought, it drops the databases of the run.
 */
import { rm } from 'node:fs/promises';
import type { Client } from 'pg';
import { asAdmin, templateName, testDatabasePrefix } from './admin';
import { runningServer } from './running-server';

export default async function stopServer(): Promise<void> {
  const running = runningServer();
  if (running === undefined) {
    await asAdmin(dropDatabases);
    return;
  }
  await running.server.stop();
  await rm(running.dataDir, { recursive: true, force: true });
}

async function dropDatabases(admin: Client): Promise<void> {
  const { rows } = await admin.query<{ datname: string }>(
    'select datname from pg_database where datname = $1 or starts_with(datname, $2)',
    [templateName(), testDatabasePrefix()],
  );
  for (const { datname } of rows) await admin.query(`drop database ${datname} with (force)`);
}
