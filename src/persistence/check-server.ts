import { Client } from 'pg';
import { ColloquyError } from '../common/errors';

const OLDEST_VERSION = 150_000;
/** Claims and beats; notices; one more while migrating. */
const EXTRA_CONNECTIONS = 3;
/** For people, backups and the superuser. */
const RESERVE = 10;

/** The server cannot serve this deployment; the message says what to change. */
export class DatabaseServerError extends ColloquyError {
  readonly code = 'database_server';
  readonly retryable = false;
}

/** Refuses a server that is too old, or that has too few connections for all replicas. */
export async function checkServer(
  url: string,
  deployment: { readonly poolSize: number; readonly replicas: number },
): Promise<void> {
  const client = new Client({ connectionString: url, application_name: 'colloquy-check' });
  await client.connect();
  try {
    const { rows } = await client.query<{ version: number; connections: number }>(
      `select current_setting('server_version_num')::int as version,
         current_setting('max_connections')::int as connections`,
    );
    const [server] = rows;
    if (server !== undefined) judge(server, deployment);
  } finally {
    await client.end();
  }
}

function judge(
  server: { version: number; connections: number },
  { poolSize, replicas }: { readonly poolSize: number; readonly replicas: number },
): void {
  if (server.version < OLDEST_VERSION) {
    throw new DatabaseServerError('The database is older than PostgreSQL 15.');
  }
  const needed = replicas * (poolSize + EXTRA_CONNECTIONS) + RESERVE;
  if (needed > server.connections) {
    throw new DatabaseServerError(
      `The database allows ${server.connections} connections and ${replicas} replicas need ` +
        `${needed}: raise max_connections, or lower DATABASE_POOL_SIZE or DATABASE_REPLICAS.`,
    );
  }
}
