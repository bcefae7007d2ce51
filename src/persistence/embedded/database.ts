/** The one database of the cluster: its address, and its creation at the first start. */
import { Client, DatabaseError } from 'pg';

export const SUPERUSER = 'colloquy';
const DATABASE = 'colloquy';
const UNKNOWN_DATABASE = '3D000';
const CONNECT_TIMEOUT_MS = 10_000;

export function urlOf(server: { port: number; password: string }): string {
  return `postgres://${SUPERUSER}:${server.password}@127.0.0.1:${String(server.port)}/${DATABASE}`;
}

/** Connects once, which also proves that the server answers. */
export async function ensureDatabase(url: string): Promise<void> {
  try {
    await runOn(url, 'select 1');
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== UNKNOWN_DATABASE) throw error;
    const maintenance = new URL(url);
    maintenance.pathname = '/postgres';
    await runOn(maintenance.href, `create database ${DATABASE}`);
  }
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new Client({
    connectionString: url,
    application_name: 'colloquy-start',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined); // the rejected call tells
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
