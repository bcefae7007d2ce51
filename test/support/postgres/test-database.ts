/**
 * A database for each test: a clone of a template that is migrated once per run, or a database that an
 * earlier test of this worker gave back and that was made like new. Giving a database back fails while
 * a connection to it is open, so a test that leaks a connection fails.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { migrate } from '../../../src/persistence';
import { asAdmin, templateName, testDatabasePrefix, urlOfDatabase } from './admin';
import { type NewDatabase, describeNew, resetDatabase } from './reset-database';

export interface TestDatabaseHandle {
  readonly url: string;
  /** Throws when a connection is still open. Do not use the database afterwards. */
  readonly drop: () => Promise<void>;
}

/** The advisory lock under which one worker makes the template. The number has no meaning. */
const TEMPLATE_LOCK = 7_203_655_900;
/** A closed connection's backend needs a moment to end. */
const BACKEND_POLLS = 100;
const BACKEND_POLL_MS = 20;

/** Stored on globalThis, because each test file loads this module anew. */
interface Kept {
  readonly emptied: string[];
  fresh?: NewDatabase;
}
const holder = globalThis as { colloquyTestDatabases?: Kept };
const kept = (holder.colloquyTestDatabases ??= { emptied: [] });

export async function createTestDatabase(): Promise<TestDatabaseHandle> {
  const name = kept.emptied.pop() ?? (await cloneTemplate());
  return { url: urlOfDatabase(name), drop: () => giveBack(name) };
}

async function cloneTemplate(): Promise<string> {
  const name = `${testDatabasePrefix()}${randomUUID().replaceAll('-', '')}`;
  await asAdmin(async (admin) => {
    await admin.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    await ensureTemplate(admin);
    await admin.query(`create database ${name} template ${templateName()}`);
  });
  kept.fresh ??= await asAdmin(describeNew, name);
  return name;
}

async function ensureTemplate(admin: Client): Promise<void> {
  const template = templateName();
  const { rowCount } = await admin.query('select from pg_database where datname = $1', [template]);
  if (rowCount !== 0) return;
  // Renamed when complete, so that a worker that is killed leaves no half migrated template.
  const unfinished = `${template}_unfinished`;
  await admin.query(`drop database if exists ${unfinished} with (force)`);
  await admin.query(`create database ${unfinished} template template0`);
  await migrate(urlOfDatabase(unfinished));
  await backendsOf(admin, unfinished);
  await admin.query(`alter database ${unfinished} rename to ${template}`);
  await admin.query(`alter database ${template} allow_connections false`);
}

async function giveBack(name: string): Promise<void> {
  const { left, isLikeNew } = await asAdmin(async (client) => {
    const still = await backendsOf(client, name);
    if (still.length > 0 || kept.fresh === undefined) return { left: still, isLikeNew: false };
    return { left: still, isLikeNew: await resetDatabase(client, kept.fresh) };
  }, name);
  if (isLikeNew) kept.emptied.push(name);
  else await asAdmin((admin) => admin.query(`drop database if exists ${name} with (force)`));
  if (left.length === 0) return;
  throw new Error(`Connections left open on the database: ${left.join('; ')}`);
}

/** Descriptions of the connections, except the client's own, that do not end by themselves. */
async function backendsOf(client: Client, database: string): Promise<string[]> {
  for (let poll = 1; ; poll += 1) {
    const { rows } = await client.query<{ description: string }>(
      `select format('%s, %s, last: %s', application_name, state, left(query, 200)) as description
         from pg_stat_activity
         where datname = $1 and backend_type = 'client backend' and pid <> pg_backend_pid()`,
      [database],
    );
    if (rows.length === 0 || poll === BACKEND_POLLS) return rows.map((row) => row.description);
    await sleep(BACKEND_POLL_MS);
  }
}
