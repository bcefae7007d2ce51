import { Client } from 'pg';
import { ColloquyError } from '../common/errors';
import { sqlStateOf } from '../common/uow';
import { applySettings, sessionSettings, TRIPWIRES, settingsNotInForce } from './data-source';

const CONNECT_MS = 5000;
const NO_SUCH_DATABASE = '3D000';
const ERRNO = /^E[A-Z]+$/;

/** The database cannot be used; the message says what to check and contains no password. */
export class DatabaseUnreachableError extends ColloquyError {
  readonly code = 'database_unreachable';
  readonly retryable = true;
}

/**
 * Runs `work` with a connection before the pool exists, and closes it afterwards. Throws
 * DatabaseUnreachableError with a sentence for the operator.
 */
export async function withBootConnection<T>(
  url: string,
  applicationName: string,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await connect(url, applicationName);
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function connect(url: string, applicationName: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
  });
  // Without this listener, the process would end when the server ends the idle connection.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await applySettings(client, sessionSettings());
    return client;
  } catch (cause) {
    await client.end().catch(() => undefined);
    throw new DatabaseUnreachableError(sentenceFor(cause, client), { cause });
  }
}

function sentenceFor(error: unknown, { host, port, database, user }: Client): string {
  const server = `The database server at ${host}:${port}`;
  const state = sqlStateOf(error);
  if (state === undefined) return `${server} does not respond: check DATABASE_URL.`;
  if (state.startsWith('28')) {
    return `${server} refuses the user "${user ?? ''}" or its password (${state}): check DATABASE_URL.`;
  }
  if (state === NO_SUCH_DATABASE) {
    return `${server} has no database "${database ?? ''}": create it, or check DATABASE_URL.`;
  }
  const trouble = ERRNO.test(state) ? 'cannot be reached' : 'accepts no connections now';
  return `${server} ${trouble} (${state}): check that it runs, and check DATABASE_URL.`;
}

const OLDEST_VERSION = 150_000;
/** Connections outside the pool: for claims and heartbeats, for notices, and for a migration. */
const EXTRA_CONNECTIONS = 3;
/** Left free for operators, backups and the superuser. */
const RESERVE = 10;
/** How many times two connections are compared, because other clients of a pooler can hide the sharing. */
const ROUNDS = 5;

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
 * Refuses a server that is too old, or that has too few connections for all replicas, and a pooler
 * that shares sessions or does not keep their settings. Call it before the first migration.
 */
export async function checkServer(url: string, deployment: Deployment): Promise<void> {
  const [server] = await withBootConnection(url, 'colloquy-check', async (client) => {
    await withBootConnection(url, 'colloquy-check', (other) => refuseSharing(client, other));
    await applySettings(client, TRIPWIRES);
    await refuseLostSettings(client);
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

/**
 * Compares the backends of two open connections. Each has its own and keeps it, unless a pooler gives
 * it another one for each transaction or statement.
 */
async function refuseSharing(client: Client, other: Client): Promise<void> {
  const own = await backendOf(client);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const isShared = (await backendOf(other)) === own || (await backendOf(client)) !== own;
    if (!isShared) continue;
    throw new DatabaseServerError(
      'The pooler in DATABASE_URL shares one database session between clients, so session ' +
        'settings, LISTEN, advisory locks and prepared statements do not work: set ' +
        'pool_mode = session (PgBouncer), or connect to PostgreSQL directly.',
    );
  }
}

async function backendOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

/** Refuses such a pooler, because without its timeouts a stuck commit could outlive the lease of its job. */
export async function refuseLostSettings(client: Client): Promise<void> {
  const wrong = await settingsNotInForce(client, TRIPWIRES);
  if (wrong.length === 0) return;
  throw new DatabaseServerError(
    `The database does not keep the settings of a session (${wrong.join(', ')}): ` +
      'connect to PostgreSQL directly, or through a pooler with pool_mode = session.',
  );
}
