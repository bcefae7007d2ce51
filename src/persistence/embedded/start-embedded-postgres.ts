import path from 'node:path';
import { locateBinaries } from './binaries';
import { ensureDatabase, SUPERUSER, urlOf } from './database';
import { EmbeddedPostgresError, EmbeddedPostgresInUseError } from './errors';
import { preparePlace, type Place } from './place';
import { Supervisor, type SupervisorEvent } from './supervisor-handle';

export interface EmbeddedPostgresOptions {
  /** Created when missing. */
  readonly dataDir: string;
  /** Takes whole sentences for the operator: a relocation, a server lost at run time. */
  readonly log: (line: string) => void;
  /** Gives up a start; has no effect afterwards. */
  readonly signal?: AbortSignal;
  /** Server settings on top of the defaults, such as max_connections. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** For tests: nothing is synced at creation, and the data are removed after the stop. */
  readonly disposable?: boolean;
}

export interface EmbeddedPostgres {
  /** Reachable from this machine only; the port is of this run, the password of this cluster. */
  readonly url: string;
  readonly location: { readonly dataDir: string; readonly relocated: boolean };
  /** Fast shutdown: open sessions are ended. Resolves when the server has gone. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on `dataDir`, creating the cluster when there is none, and resolves when it
 * answers. The server ends with this process, however that ends; a start right after a kill waits
 * for the old server. Throws EmbeddedPostgresInUseError when another process runs on the same
 * folder, EmbeddedPostgresError when PostgreSQL cannot run here.
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { answering } = await launchEmbeddedPostgres(options);
  return answering;
}

/**
 * The same in two steps: resolves as soon as the server's process is on its way, so that work
 * which blocks this process need not hold it up.
 */
export async function launchEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<{ readonly answering: Promise<EmbeddedPostgres> }> {
  options.signal?.throwIfAborted();
  const asked = path.resolve(options.dataDir);
  const place = await preparePlace(asked, await locateBinaries());
  if (place.relocated) options.log(relocationSentence(asked, place));
  const answering = untilItAnswers(options, place, superviseServer(options, place));
  // Told to whoever waits for it.
  answering.catch(() => undefined);
  return { answering };
}

async function untilItAnswers(
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
      log(`The embedded PostgreSQL stopped unexpectedly and is started again: ${event.message}`);
    }
    if (event.event === 'recovered') log('The embedded PostgreSQL answers again.');
    if (event.event === 'failed' && wasReady) {
      log(`The embedded PostgreSQL stopped for good, start Colloquy again: ${event.message}`);
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
