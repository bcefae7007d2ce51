/** The server of this test run, as its administrator sees it. */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';

/** Set by global-setup.ts, or by a caller who brings a server. */
export const ADMIN_URL_VARIABLE = 'COLLOQUY_TEST_POSTGRES';
/** The name of a run. On a server that serves several runs, each run needs its own template. */
const RUN_VARIABLE = 'COLLOQUY_TEST_RUN';

export function templateName(): string {
  return `colloquy_template_${process.env[RUN_VARIABLE] ?? 'shared'}`;
}

/** The names of this run's databases begin with it; the template's name does not. */
export function testDatabasePrefix(): string {
  return `colloquy_test_${process.env[RUN_VARIABLE] ?? 'shared'}_`;
}

export function nameRun(): void {
  process.env[RUN_VARIABLE] = randomUUID().slice(0, 8);
}

export function urlOfDatabase(name: string): string {
  const url = new URL(adminUrl());
  url.pathname = `/${name}`;
  return url.href;
}

/** A connection to a database, by default the administrative one; closed when `work` settles. */
export async function asAdmin<T>(
  work: (admin: Client) => Promise<T>,
  database?: string,
): Promise<T> {
  const admin = new Client({
    connectionString: database === undefined ? adminUrl() : urlOfDatabase(database),
    application_name: 'colloquy-test-admin',
  });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

function adminUrl(): string {
  const url = process.env[ADMIN_URL_VARIABLE];
  if (url === undefined) throw new Error(`${ADMIN_URL_VARIABLE} is not set: run the tests by jest`);
  return url;
}
