import { Client } from 'pg';
import { type Clock, SystemClock } from '../common/clock';
import { ColloquyError } from '../common/errors';
import { type CheckOutcome, ok, problem, warning } from '../common/check-outcome';
import { sqlStateOf } from '../common/uow';
import {
  NO_TIMEOUTS,
  applySettings,
  sessionSettings,
  POOL_SESSION_TIMEOUTS,
  settingsNotInForce,
} from './data-source';

/**
 * Refuses a server that cannot serve this deployment, and a pooler that shares sessions or does not
 * keep their settings. Returns what should be changed although it works. Call it before the first
 * migration. Throws DatabaseServerError and DatabaseUnreachableError.
 */
export async function checkServer(
  url: string,
  deployment: Deployment,
  clock: Clock = new SystemClock(),
): Promise<CheckOutcome[]> {
  const { server, time } = await inspectServer(url, deployment, clock);
  const wrong = server.find(({ kind }) => kind === 'problem');
  if (wrong !== undefined) throw new DatabaseServerError(wrong.sentence);
  return [...server, time].filter(({ kind }) => kind !== 'ok');
}

export interface Deployment {
  readonly poolSize: number;
  readonly replicas: number;
}

/** The server cannot serve this deployment; the message says what to change. */
export class DatabaseServerError extends ColloquyError {
  readonly code = 'database_server';
  readonly retryable = false;
}

export interface ServerInspection {
  readonly server: CheckOutcome[];
  /** What only people who ask want to see. */
  readonly hints: CheckOutcome[];
  readonly time: CheckOutcome;
  /** Where the data is, on the server's machine; null: the user may not see it. */
  readonly dataDirectory: string | null;
}

const FIGURES = `
select current_setting('server_version_num')::int as version,
  current_setting('max_connections')::int as connections,
  current_setting('fsync')::bool as "isSynced",
  current_setting('synchronous_commit') as "commitWaitsFor",
  (select setting::int from pg_settings where name = 'deadlock_timeout') as "deadlockTimeoutMs",
  pg_is_in_recovery() as "isStandby",
  current_setting('transaction_read_only')::bool as "isReadOnly",
  current_setting('server_encoding') as encoding,
  current_setting('session_replication_role') as "replicationRole",
  current_schema() as schema,
  (select relnamespace::regnamespace::text from pg_class where oid = to_regclass('migrations'))
    as "tablesIn",
  (select min(m.relnamespace::regnamespace::text) from pg_class m
     join pg_class c on c.relnamespace = m.relnamespace and c.relname = 'conversation'
   where m.relname = 'migrations' and m.relowner = current_user::regrole) as "ownTablesIn",
  current_user as "user",
  coalesce(has_schema_privilege(current_schema(), 'create'), false) as "canCreateTables",
  (select count(*)::int from pg_class c
   where c.relnamespace = (select relnamespace from pg_class where oid = to_regclass('migrations')) and c.relkind in ('r', 'p')
     and c.relowner = (select m.relowner from pg_class m where m.oid = to_regclass('migrations'))
     and not (has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
       and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete'))
  ) as "closedTables",
  (select setting from pg_settings where name = 'data_directory') as "dataDirectory"`;

/** The same for people who want to see everything. */
export function inspectServer(
  url: string,
  deployment: Deployment,
  clock: Clock,
): Promise<ServerInspection> {
  return withBootConnection(url, 'colloquy-check', async (client) => {
    await withBootConnection(url, 'colloquy-check', (other) => refuseSharing(client, other));
    await applySettings(client, POOL_SESSION_TIMEOUTS);
    await refuseLostSettings(client);
    const { rows } = await client.query<ServerFigures>(FIGURES);
    const [figures] = rows;
    if (figures === undefined) throw new Error('the figures of the server are missing');
    return {
      server: serverOutcomes(figures, deployment),
      hints: serverHints(figures),
      time: clockOutcome(await offsetMs(client, clock)),
      dataDirectory: figures.dataDirectory,
    };
  });
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
  const client = clientOf(url, applicationName);
  // Without this listener, the process would end when the server ends the idle connection.
  client.on('error', () => undefined);
  let isConnected = false;
  try {
    await client.connect();
    isConnected = true;
    await applySettings(client, sessionSettings(NO_TIMEOUTS));
    return client;
  } catch (cause) {
    client.end().catch(() => undefined);
    const isFull = isConnected && sqlStateOf(cause) === undefined;
    throw new DatabaseUnreachableError(
      isFull ? silentSentence(client) : sentenceFor(cause, client),
      { cause },
    );
  }
}

const CONNECT_MS = 5000;

/** The client reads the certificate files that the address names. */
function clientOf(url: string, applicationName: string): Client {
  try {
    return new Client({
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
    });
  } catch (cause) {
    const { code = 'unreadable', path = '' } = cause as NodeJS.ErrnoException;
    throw new DatabaseUnreachableError(
      `DATABASE_URL names the file ${path}, which cannot be read (${code}): check sslrootcert, sslcert and sslkey.`,
      { cause },
    );
  }
}

/** The database cannot be used; the message says what to check and contains no password. */
export class DatabaseUnreachableError extends ColloquyError {
  readonly code = 'database_unreachable';
  readonly retryable = true;
}

/** A pooler lets a client in before it has a connection for it. */
function silentSentence({ host, port }: Client): string {
  return (
    `The server at ${host}:${port} accepts the connection and does not respond to a statement: if it is ` +
    'PgBouncer, its connections to this database are all in use: set default_pool_size to replicas × ' +
    '(DATABASE_POOL_SIZE + 3) or more, and no lower max_db_connections; otherwise check the load of PostgreSQL.'
  );
}

const NO_SUCH_DATABASE = '3D000';
const ERRNO = /^E[A-Z]+$/;
/** The driver's error for a server that asks for a password; it has no code. */
const NO_PASSWORD = /client password must be a (non-empty )?string/;
/** PgBouncer's own words, which are in no other language. */
const POOLER_REFUSALS = /max_client_conn|query_wait_timeout|max_user_client_connections/;
/** Codes of OpenSSL's checks of a certificate, as Node reports them. */
const CERTIFICATE = /CERT|SIGNATURE|ALTNAME|ISSUER/;

function sentenceFor(error: unknown, { host, port, database, user }: Client): string {
  const server = `The database server at ${host}:${port}`;
  const state = sqlStateOf(error);
  if (state === undefined && error instanceof Error && NO_PASSWORD.test(error.message)) {
    return `${server} wants a password for the user "${user ?? ''}", and DATABASE_URL has none: add it.`;
  }
  if (state === undefined) return `${server} does not respond: check DATABASE_URL.`;
  if (state.startsWith('28')) {
    return `${server} refuses the user "${user ?? ''}" or its password (${state}): check DATABASE_URL.`;
  }
  if (state === NO_SUCH_DATABASE) {
    return `${server} has no database "${database ?? ''}": create it, or check DATABASE_URL.`;
  }
  if (state === 'CERT_HAS_EXPIRED') {
    return `${server} presents an expired certificate: renew it, and check the clock of this machine.`;
  }
  if (CERTIFICATE.test(state)) {
    return `${server} shows a certificate that is not trusted (${state}): set sslrootcert in DATABASE_URL to its CA.`;
  }
  if (POOLER_REFUSALS.test((error as Error).message)) {
    return `${server} is a pooler that lets no more clients in (${state}): raise its max_client_conn, and default_pool_size to replicas × (DATABASE_POOL_SIZE + 3) or more.`;
  }
  const trouble = ERRNO.test(state) ? 'cannot be reached' : 'accepts no connections now';
  return `${server} ${trouble} (${state}): check that it runs, and check DATABASE_URL.`;
}

export interface ServerFigures {
  /** As `server_version_num`: 150004 is 15.4. */
  readonly version: number;
  readonly connections: number;
  readonly isSynced: boolean;
  /** As `synchronous_commit`. */
  readonly commitWaitsFor: string;
  readonly deadlockTimeoutMs: number;
  readonly isStandby: boolean;
  /** Whether a new transaction is read-only, as on a standby. */
  readonly isReadOnly: boolean;
  /** As `server_encoding`. */
  readonly encoding: string;
  /** As `session_replication_role`. */
  readonly replicationRole: string;
  /** Where new tables are made; null: the search_path leads to no schema. */
  readonly schema: string | null;
  /** Where the search_path finds our tables; null: nowhere. */
  readonly tablesIn: string | null;
  /** A schema in which this user has our tables. */
  readonly ownTablesIn: string | null;
  readonly user: string;
  readonly canCreateTables: boolean;
  /** Tables of Colloquy that the user may not read and write; other tables of the schema do not count. */
  readonly closedTables: number;
  /** Null: the user may not see it. */
  readonly dataDirectory: string | null;
}

type Case = readonly [isSo: boolean, sentence: string];

/** Problems stop the start. */
export function serverOutcomes(server: ServerFigures, deployment: Deployment): CheckOutcome[] {
  const problems = sentencesOf(problemsOf(server, deployment)).map(problem);
  const warnings = sentencesOf(warningsOf(server)).map(warning);
  if (problems.length > 0) return [...problems, ...warnings];
  const { replicas } = deployment;
  const fits = `PostgreSQL ${majorOf(server)} takes writes, and its ${server.connections} connections suffice for ${replicas === 1 ? 'one replica' : `${replicas} replicas`} (${connectionsFor(deployment)} needed).`;
  return [ok(fits), ...warnings];
}

/** What `doctor` says and the start does not, because it is so on most servers and harms little. */
export function serverHints({ deadlockTimeoutMs }: ServerFigures): CheckOutcome[] {
  if (deadlockTimeoutMs < LOCK_TIMEOUT_MS) return [];
  return [
    warning(
      `The deadlock_timeout of the database is ${deadlockTimeoutMs} ms and not below our lock_timeout of ` +
        `${LOCK_TIMEOUT_MS} ms, so a deadlock is counted as a slow lock (the commit runs again in both ` +
        'cases): set deadlock_timeout = 500ms to see deadlocks.',
    ),
  ];
}

function sentencesOf(cases: readonly Case[]): string[] {
  return cases.filter(([isSo]) => isSo).map(([, sentence]) => sentence);
}

function majorOf({ version }: ServerFigures): number {
  return Math.floor(version / 10_000);
}

/** Connections outside the pool: for claims and heartbeats, for signals, and for a migration. */
const EXTRA_CONNECTIONS = 3;
/** Left free for operators, backups and the superuser. */
const RESERVE = 10;

function connectionsFor({ poolSize, replicas }: Deployment): number {
  return replicas * (poolSize + EXTRA_CONNECTIONS) + RESERVE;
}

const OLDEST_VERSION = 150_000;

function problemsOf(server: ServerFigures, deployment: Deployment): Case[] {
  const { version, user, schema, tablesIn, ownTablesIn, isReadOnly, isStandby } = server;
  const { replicas } = deployment;
  const needed = connectionsFor(deployment);
  const who = replicas === 1 ? 'one replica needs' : `${replicas} replicas need`;
  return [
    [
      version < OLDEST_VERSION,
      `The database is PostgreSQL ${majorOf(server)}, and Colloquy needs 15 or newer: update the server.`,
    ],
    [
      isStandby,
      'The database is a standby, which takes no writes: set DATABASE_URL to the primary.',
    ],
    [
      isReadOnly && !isStandby,
      'The database takes no writes, because default_transaction_read_only is on for the server, the ' +
        'database or the user: set it off, and free the disk if a full one is the reason.',
    ],
    [
      server.encoding !== 'UTF8',
      `The database has the encoding ${server.encoding}, which cannot keep what candidates write: ` +
        'create one with encoding UTF8 and restore a dump into it.',
    ],
    [
      server.replicationRole !== 'origin',
      `The database user "${user}" has session_replication_role = ${server.replicationRole}, so triggers ` +
        'and foreign keys do nothing: set it to origin.',
    ],
    [
      schema === null && tablesIn === null,
      `The search_path of the database user "${user}" leads to no schema that it may use: ` +
        'set search_path to the schema for the tables (alter role … set search_path = …).',
    ],
    [
      schema !== null && tablesIn === null && ownTablesIn !== null,
      `The tables are in the schema ${ownTablesIn ?? ''}, and the search_path of "${user}" leads to ${schema ?? ''}, ` +
        `where the start would make new ones: set search_path = ${ownTablesIn ?? ''}, or use another user for a second installation.`,
    ],
    [
      needed > server.connections,
      `The database allows ${server.connections} connections and ${who} ${needed}: ` +
        'raise max_connections, or lower DATABASE_POOL_SIZE or DATABASE_REPLICAS.',
    ],
    [
      server.closedTables > 0,
      `The database user "${user}" may not read and write ${server.closedTables} of the tables: ` +
        'grant select, insert, update and delete on all tables to it, or use the user that made them.',
    ],
  ];
}

function warningsOf(server: ServerFigures): Case[] {
  const { user, schema, tablesIn } = server;
  return [
    [
      schema !== null && tablesIn !== null && schema !== tablesIn,
      `The tables are in the schema ${tablesIn ?? ''}, and new ones would be made in ${schema ?? ''}: ` +
        `set search_path = ${tablesIn ?? ''} for the user "${user}" before the next update.`,
    ],
    [
      !server.canCreateTables,
      `The database user "${user}" may not create tables, so it cannot migrate the database: ` +
        'grant create on the schema to it, or migrate with another user before each update.',
    ],
    [
      !server.isSynced,
      'The database runs with fsync = off and loses acknowledged messages in a power cut: set fsync = on.',
    ],
    [
      server.commitWaitsFor === 'off',
      'The database runs with synchronous_commit = off and loses the last acknowledged messages in a crash: set it on.',
    ],
  ];
}

const LOCK_TIMEOUT_MS = Number(POOL_SESSION_TIMEOUTS['lock_timeout']);
/** NTP keeps clocks within SLOPPY_MS; an offset above WRONG_MS means that it is not running. */
const SLOPPY_MS = 2000;
const WRONG_MS = 60_000;

/** How far this machine's clock is ahead of the database's; half of the round trip is not counted. */
async function offsetMs(client: Client, clock: Clock): Promise<number> {
  const before = clock.now().getTime();
  const { rows } = await client.query<{ at: Date }>('select clock_timestamp() as at');
  const after = clock.now().getTime();
  return (before + after) / 2 - (rows[0]?.at.getTime() ?? after);
}

/** Durable times are all the database's, so a wrong clock stops nothing here; certificates may fail. */
export function clockOutcome(aheadMs: number): CheckOutcome {
  const off = Math.abs(aheadMs);
  if (off <= SLOPPY_MS) return ok("This machine's clock agrees with the database's.");
  const by = `${(off / 1000).toFixed(0)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's`;
  const sentence = `This machine's clock is ${by}: turn on time synchronisation (NTP) on both machines.`;
  return off > WRONG_MS ? problem(sentence) : warning(sentence);
}

/** How many times two connections are compared, because other clients of a pooler can hide the sharing. */
const ROUNDS = 5;

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
  const wrong = await settingsNotInForce(client, POOL_SESSION_TIMEOUTS);
  if (wrong.length === 0) return;
  throw new DatabaseServerError(
    `The database does not keep the settings of a session (${wrong.join('; ')}): ` +
      'connect to PostgreSQL directly, or through a pooler with pool_mode = session.',
  );
}
