import { once } from 'node:events';
import { createServer } from 'node:net';
import { COMMAND } from '../common/command-name';
import { InvalidSettingsError, Settings } from '../common/config';
import { ColloquyError } from '../common/errors';
import { EXIT, exitCodeOf } from '../common/exit-codes';
import { DiskFullError, diskOutcome, launchEmbeddedPostgres } from '../persistence/embedded';
import { keepRunToken, runTokenOf } from './run-token';
import type { OpenDatabase } from './serve';

/** Starts the process that serves. What stops the start is printed, and ends the process. */
export async function start(): Promise<void> {
  try {
    await open();
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exit(error instanceof ColloquyError ? exitCodeOf(error) : EXIT.failed);
  }
}

/** Reads the settings, opens the database, serves, and says what can be opened where. */
async function open(): Promise<void> {
  const { settings, runToken } = await settingsOfRun();
  // First, so that nothing is opened or printed when another process listens there.
  await assertPortIsFree(settings.http);
  const notes = new EarlyNotes();
  // The database starts while this process loads the rest of its code.
  const { ready } = await openDatabase(settings, notes);
  const { createProcessContext } = await import('./process-context');
  const context = createProcessContext(settings, (code) => process.exit(code));
  const { logger } = context;
  notes.writeTo((line) => {
    logger.warn(line, 'Database');
  });
  const { serve } = await import('./serve');
  const database = await ready;
  try {
    if (runToken !== null) await keepRunToken(settings.database.dataDir, runToken);
    const serving = await serve({ settings, database, ...context });
    const { startFields, startText } = await import('./start-report');
    const report = { settings, serving, database: database.place, runToken };
    if (logger.isPretty) {
      const hasColours = process.stdout.isTTY && process.stdout.hasColors();
      process.stdout.write(startText(report, { hasColours }));
    } else {
      logger.event('Colloquy is ready', startFields(report), 'Start');
    }
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** The settings, with an admin token of the data folder where Colloquy is tried. */
async function settingsOfRun(): Promise<{
  readonly settings: Settings;
  readonly runToken: string | null;
}> {
  const settings = Settings.fromEnvironment(process.env);
  if (!getsRunToken(settings, process.stdout.isTTY)) return { settings, runToken: null };
  const runToken = await runTokenOf(settings.database.dataDir);
  const env = { ...process.env, ADMIN_TOKEN: runToken };
  return { settings: Settings.fromEnvironment(env), runToken };
}

/**
 * True only if the person at the terminal alone sees the token: a terminal shows it (a log would keep
 * it), only this machine reaches the server, the database is the embedded one, and the settings
 * have neither an admin token nor an address for candidates.
 */
export function getsRunToken({ admin, database, http }: Settings, isTerminal: boolean): boolean {
  const isTried = http.isLocal && http.publicUrl === '' && database.url === null;
  return isTerminal && isTried && admin.tokens.length === 0;
}

/** Throws the error of `listen`. A later one is explained as well, should the port be taken meanwhile. */
async function assertPortIsFree({ host, port }: Settings['http']): Promise<void> {
  const probe = createServer().listen(port, host);
  await once(probe, 'listening');
  probe.close();
  await once(probe, 'close');
}

/** What the database says before there is a log; written as soon as there is one. */
class EarlyNotes {
  private readonly kept: string[] = [];
  private write = (line: string): unknown => this.kept.push(line);

  readonly note = (line: string): void => {
    this.write(line);
  };

  writeTo(write: (line: string) => void): void {
    this.write = write;
    for (const line of this.kept.splice(0)) write(line);
  }
}

/** Resolves when a database is being opened; `ready` resolves when it accepts connections. */
async function openDatabase(
  settings: Settings,
  notes: EarlyNotes,
): Promise<{ readonly ready: Promise<OpenDatabase> }> {
  const { url, dataDir } = settings.database;
  if (url !== null) {
    const { host, pathname } = new URL(url);
    const place = `PostgreSQL at ${host}${pathname}`;
    return { ready: Promise.resolve({ url, place, stop: () => Promise.resolve() }) };
  }
  const disk = await diskOutcome(dataDir, 'The disk of COLLOQUY_DATA_DIR');
  if (disk.kind === 'problem') throw new DiskFullError(disk.sentence);
  if (disk.kind === 'warning') notes.note(disk.sentence);
  const { ready } = await launchEmbeddedPostgres({ dataDir, log: notes.note });
  const opened = ready.then((embedded) => ({
    url: embedded.url,
    place: embedded.location.dataDir,
    stop: () => embedded.stop(),
  }));
  // The error reaches the caller through the promise that it awaits.
  opened.catch(() => undefined);
  return { ready: opened };
}

/** One sentence for what an operator can correct; a stack for a bug. */
function explain(error: unknown): string {
  const refusal = refusalIn(error);
  if (refusal !== null) return refusal;
  if (error instanceof ColloquyError || error instanceof InvalidSettingsError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code, address, hostname = '', port } = error as NodeJS.ErrnoException & ListenDetails;
  if (code === 'EADDRINUSE') {
    return `Port ${port ?? ''} is in use: set PORT to a free one, or to 0 for any.`;
  }
  if (code === 'EACCES') {
    return `This user may not listen on port ${port ?? ''}: set PORT above 1023.`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `This machine has no address ${address ?? hostname}: set HOST to one that it has.`;
  }
  return error.stack ?? error.message;
}

/** The database's own refusal, which errors of a commit have as their cause. */
function refusalIn(error: unknown): string | null {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, driverError } = at as DatabaseDetails;
    const refusal = DATABASE_REFUSALS[code ?? driverError?.code ?? ''];
    if (refusal !== undefined) return refusal;
  }
  return null;
}

interface DatabaseDetails {
  readonly code?: string;
  readonly driverError?: { readonly code?: string };
}

/** What PostgreSQL says about itself, by its SQL state; the checks before it cannot see it all. */
const DATABASE_REFUSALS: Readonly<Record<string, string>> = {
  '53100':
    'The disk of the database server is full: free space there and start again; nothing that was stored is lost.',
  '53300':
    'The database server has no connection left: end other clients, or raise max_connections, and start again.',
  '42501': `The database user lacks a right that the start needs: make it the owner of the tables, or grant it what "${COMMAND} doctor" names.`,
  '25006': 'The database takes no writes: set DATABASE_URL to the primary, and start again.',
};

interface ListenDetails {
  readonly address?: string;
  /** Of a name that has no address. */
  readonly hostname?: string;
  readonly port?: number;
}
