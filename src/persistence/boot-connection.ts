import { Client } from 'pg';
import { ColloquyError } from '../common/errors';
import { sqlStateOf } from '../common/uow';
import { applySettings, sessionSettings } from './session-settings';

const CONNECT_MS = 5000;
const NO_SUCH_DATABASE = '3D000';
const ERRNO = /^E[A-Z]+$/;

/** The database cannot be used from here; the message says what to look at. Never a password. */
export class DatabaseUnreachableError extends ColloquyError {
  readonly code = 'database_unreachable';
  readonly retryable = true;
}

/**
 * One connection for the time before the pool exists, closed when `work` settles. Throws
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
  // Ended by the server while it idles, it would end the whole process otherwise.
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
  if (state === undefined) return `${server} does not answer: check DATABASE_URL.`;
  if (state.startsWith('28')) {
    return `${server} refuses the user "${user ?? ''}" or its password (${state}): check DATABASE_URL.`;
  }
  if (state === NO_SUCH_DATABASE) {
    return `${server} has no database "${database ?? ''}": create it, or check DATABASE_URL.`;
  }
  const trouble = ERRNO.test(state) ? 'cannot be reached' : 'takes no connection now';
  return `${server} ${trouble} (${state}): check that it runs, and DATABASE_URL.`;
}
