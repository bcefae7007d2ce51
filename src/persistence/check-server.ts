import { ColloquyError } from '../common/errors';
import { withBootConnection } from './boot-connection';

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

export interface ServerFigures {
  /** As `server_version_num`: 150004 is 15.4. */
  readonly version: number;
  readonly connections: number;
}

export interface Deployment {
  readonly poolSize: number;
  readonly replicas: number;
}

/**
 * Refuses a server that is too old, or that has too few connections for all replicas. To be asked
 * before the first migration.
 */
export async function checkServer(url: string, deployment: Deployment): Promise<void> {
  const [server] = await withBootConnection(url, 'colloquy-check', async (client) => {
    const { rows } = await client.query<ServerFigures>(
      `select current_setting('server_version_num')::int as version,
         current_setting('max_connections')::int as connections`,
    );
    return rows;
  });
  if (server !== undefined) judgeServer(server, deployment);
}

/** Throws DatabaseServerError. */
export function judgeServer(server: ServerFigures, { poolSize, replicas }: Deployment): void {
  if (server.version < OLDEST_VERSION) {
    const major = Math.floor(server.version / 10_000);
    throw new DatabaseServerError(
      `The database is PostgreSQL ${major}, and Colloquy needs 15 or newer.`,
    );
  }
  const needed = replicas * (poolSize + EXTRA_CONNECTIONS) + RESERVE;
  if (needed > server.connections) {
    const who = replicas === 1 ? 'one replica needs' : `${replicas} replicas need`;
    throw new DatabaseServerError(
      `The database allows ${server.connections} connections and ${who} ${needed}: ` +
        'raise max_connections, or lower DATABASE_POOL_SIZE or DATABASE_REPLICAS.',
    );
  }
}
