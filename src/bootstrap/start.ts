import { InvalidSettingsError, Settings } from '../common/config';
import { ColloquyError } from '../common/errors';
import { launchEmbeddedPostgres } from '../persistence/embedded';
import type { OpenDatabase, Serving } from './serve';

/** Starts the process that serves. What stops the start is printed, and ends the process. */
export async function start(): Promise<void> {
  try {
    await open();
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  }
}

/** Reads the settings, opens the database, serves and prints the links. */
async function open(): Promise<void> {
  const settings = Settings.fromEnvironment(process.env);
  // The database starts while this process loads the rest of its code.
  const { ready } = await openDatabase(settings);
  const { createProcessContext } = await import('./process-context');
  const context = createProcessContext(settings, (code) => process.exit(code));
  const { serve } = await import('./serve');
  const database = await ready;
  try {
    printLinks(await serve({ settings, database, ...context }), settings);
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** Resolves when a database is being opened; `ready` resolves when it accepts connections. */
async function openDatabase(
  settings: Settings,
): Promise<{ readonly ready: Promise<OpenDatabase> }> {
  const { url, dataDir } = settings.database;
  if (url === null) return launchEmbeddedPostgres({ dataDir, log: print });
  return { ready: Promise.resolve({ url, stop: () => Promise.resolve() }) };
}

function printLinks({ baseUrl, vacancies }: Serving, settings: Settings): void {
  const interviewer = settings.llm.apiKey === '' ? 'the scripted interviewer' : settings.llm.model;
  print(`\nColloquy is ready; ${interviewer} asks the questions. Open candidate links:\n`);
  for (const { title, company, openToken } of vacancies) {
    print(`  ${title}, ${company}\n  ${baseUrl}/i/${openToken}\n`);
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** One sentence for what an operator can correct; a stack for a bug. */
function explain(error: unknown): string {
  if (error instanceof ColloquyError || error instanceof InvalidSettingsError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code, address, port } = error as NodeJS.ErrnoException & ListenDetails;
  if (code === 'EADDRINUSE') {
    return `Port ${port ?? ''} is in use: set PORT to a free one, or to 0 for any.`;
  }
  if (code === 'EACCES') {
    return `This user may not listen on port ${port ?? ''}: set PORT above 1023.`;
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return `This machine has no address ${address ?? ''}: set HOST to one that it has.`;
  }
  return error.stack ?? error.message;
}

interface ListenDetails {
  readonly address?: string;
  readonly port?: number;
}
