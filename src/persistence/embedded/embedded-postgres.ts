import { EmbeddedPostgresError, locateBinaries, preparePlace, type Place, homesOf } from './place';
import { Client, DatabaseError } from 'pg';
import { ColloquyError } from '../../common/errors';
import path from 'node:path';
import { Supervisor, type SupervisorEvent } from './supervisor-handle';
import { readFile, realpath, stat } from 'node:fs/promises';

/**
 * Starts PostgreSQL on `dataDir`, creating the cluster when there is none, and resolves when it
 * accepts connections. The server ends with this process, even after a kill; a start right after a kill
 * waits for the old server. Throws EmbeddedPostgresInUseError when another process uses the same
 * folder, and EmbeddedPostgresError when PostgreSQL cannot run on this machine.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { ready } = await launchEmbeddedPostgres(options);
  return ready;
}

export interface EmbeddedPostgresOptions {
  /** The folder is created when it does not exist. */
  readonly dataDir: string;
  /** Gets sentences for the operator: a relocated folder, a server lost at run time. */
  readonly log: (line: string) => void;
  /** Aborts the start; has no effect afterwards. */
  readonly signal?: AbortSignal;
  /** Server settings on top of the defaults, such as max_connections. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** For tests: nothing is synced at creation, and the data are removed after the stop. */
  readonly disposable?: boolean;
}

export interface EmbeddedPostgres {
  /** Reachable from this machine only. Each run has its own port, each cluster its own password. */
  readonly url: string;
  readonly location: { readonly dataDir: string; readonly relocated: boolean };
  /** Fast shutdown: ends open sessions. Resolves when the server has stopped. */
  stop(): Promise<void>;
}

/**
 * As startEmbeddedPostgres, in two steps: resolves as soon as the process of the server is starting, so
 * that work which blocks this process does not delay the server.
 */
export async function launchEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<{ readonly ready: Promise<EmbeddedPostgres> }> {
  options.signal?.throwIfAborted();
  const asked = path.resolve(options.dataDir);
  const place = await preparePlace(asked, await locateBinaries());
  if (place.relocated) options.log(relocationSentence(asked, place));
  const ready = untilReady(options, place, superviseServer(options, place));
  // The error reaches the caller through the promise that it awaits.
  ready.catch(() => undefined);
  return { ready };
}

async function untilReady(
  options: EmbeddedPostgresOptions,
  place: Place,
  supervisor: Supervisor,
): Promise<EmbeddedPostgres> {
  const abandon = (): void => void supervisor.stop();
  options.signal?.addEventListener('abort', abandon);
  try {
    const url = await readyUrl(supervisor, place);
    options.signal?.throwIfAborted();
    supervisor.release();
    const { dataDir, relocated } = place;
    return { url, location: { dataDir, relocated }, stop: () => supervisor.stop() };
  } catch (error) {
    await supervisor.stop();
    throw options.signal?.aborted === true ? options.signal.reason : error;
  } finally {
    options.signal?.removeEventListener('abort', abandon);
  }
}

function relocationSentence(asked: string, place: Place): string {
  return `PostgreSQL does not run as root, and the user it runs as cannot enter ${asked}: the database is kept in ${place.dataDir}.`;
}

export const SUPERUSER = 'colloquy';

function superviseServer(options: EmbeddedPostgresOptions, place: Place): Supervisor {
  return new Supervisor(
    {
      home: place.home,
      binaries: path.join(place.binaries.folder, 'bin'),
      major: place.binaries.version.split('.')[0] ?? '',
      user: SUPERUSER,
      owner: place.owner,
      parameters: options.parameters ?? {},
      disposable: options.disposable ?? false,
    },
    reportTo(options.log),
  );
}

function reportTo(log: (line: string) => void): (event: SupervisorEvent) => void {
  let wasReady = false;
  return (event) => {
    wasReady ||= event.event === 'ready';
    if (event.event === 'lost') {
      log(`The embedded PostgreSQL stopped unexpectedly and is restarting: ${event.message}`);
    }
    if (event.event === 'recovered') log('The embedded PostgreSQL responds again.');
    if (event.event === 'failed' && wasReady) {
      log(`The embedded PostgreSQL stopped for good; start Colloquy again: ${event.message}`);
    }
  };
}

async function readyUrl(supervisor: Supervisor, place: Place): Promise<string> {
  const first = await supervisor.started;
  switch (first.event) {
    case 'ready': {
      const url = urlOf(first);
      await ensureDatabase(url);
      return url;
    }
    case 'in-use':
      throw new EmbeddedPostgresInUseError(place.dataDir);
    case 'failed':
      throw new EmbeddedPostgresError(first.message);
    case 'lost':
    case 'recovered':
      throw new EmbeddedPostgresError(`its supervisor began with "${first.event}"`);
  }
}

const DATABASE = 'colloquy';

export function urlOf(server: { port: number; password: string }): string {
  return `postgres://${SUPERUSER}:${server.password}@127.0.0.1:${String(server.port)}/${DATABASE}`;
}

const UNKNOWN_DATABASE = '3D000';

/**
 * Creates the one database of the cluster at the first start. It connects once, which also proves
 * that the server responds.
 */
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

const CONNECT_TIMEOUT_MS = 10_000;

async function runOn(url: string, statement: string): Promise<void> {
  const client = new Client({
    connectionString: url,
    application_name: 'colloquy-start',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  client.on('error', () => undefined); // the rejected call reports the error
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Another Colloquy uses the same data folder. The operator stops it or sets DATABASE_URL. */
export class EmbeddedPostgresInUseError extends ColloquyError {
  readonly code = 'EMBEDDED_POSTGRES_IN_USE';
  readonly retryable = false;

  constructor(dataDir: string) {
    super(
      `Another Colloquy is using the embedded PostgreSQL in ${dataDir}: stop it, or set DATABASE_URL to a PostgreSQL server.`,
      { fields: { dataDir } },
    );
  }
}

/** Lines of postmaster.pid, counted from 0. */
const PORT_LINE = 3;
const STATUS_LINE = 7;

/**
 * The URL of the server that another process of this machine runs on `dataDir` and that accepts
 * connections; null if there is none. For the commands that are used while the application runs: it
 * starts and stops nothing.
 */
export async function findRunningEmbeddedPostgres(dataDir: string): Promise<string | null> {
  const asked = await realpath(dataDir).catch(() => null);
  if (asked === null) return null;
  for (const home of homesOf(asked)) {
    const url = await urlIn(path.join(home, 'cluster'));
    if (url !== null) return url;
  }
  return null;
}

/** Whether an application has ever kept its database in `dataDir`. */
export async function hasEmbeddedPostgres(dataDir: string): Promise<boolean> {
  const asked = await realpath(dataDir).catch(() => null);
  if (asked === null) return false;
  const versions = homesOf(asked).map((home) => path.join(home, 'cluster', 'PG_VERSION'));
  const found = await Promise.all(versions.map((file) => stat(file).catch(() => null)));
  return found.some((stats) => stats !== null);
}

async function urlIn(cluster: string): Promise<string | null> {
  try {
    const lines = (await readFile(path.join(cluster, 'postmaster.pid'), 'utf8')).split('\n');
    if (lines[STATUS_LINE]?.trim() !== 'ready') return null;
    const password = await readFile(path.join(cluster, 'colloquy.password'), 'utf8');
    const url = urlOf({ port: Number(lines[PORT_LINE]), password: password.trim() });
    await ensureDatabase(url);
    return url;
  } catch {
    // The folder does not exist, or a killed server left the file: no server runs here.
    return null;
  }
}
