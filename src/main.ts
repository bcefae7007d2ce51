import { InvalidSettingsError, Settings } from './common/config';
import { ColloquyError } from './common/errors';
import { launchEmbeddedPostgres } from './persistence/embedded';
import type { OpenDatabase, Serving } from './bootstrap/serve';

/** The process: reads the settings, opens the database, serves, and says in words what went wrong. */
async function main(): Promise<void> {
  const settings = Settings.fromEnvironment(process.env);
  // The database starts while this process loads the rest of its code.
  const { answering } = await openDatabase(settings);
  const { createProcessContext } = await import('./bootstrap/process-context');
  const surroundings = createProcessContext(settings, (code) => process.exit(code));
  const { serve } = await import('./bootstrap/serve');
  const database = await answering;
  try {
    tellLinks(await serve({ settings, database, ...surroundings }), settings);
  } catch (error) {
    await database.stop();
    throw error;
  }
}

/** Resolves when a database is on its way. */
async function openDatabase(
  settings: Settings,
): Promise<{ readonly answering: Promise<OpenDatabase> }> {
  const { url, dataDir } = settings.database;
  if (url === null) return launchEmbeddedPostgres({ dataDir, log: tell });
  return { answering: Promise.resolve({ url, stop: () => Promise.resolve() }) };
}

function tellLinks({ baseUrl, vacancies }: Serving, settings: Settings): void {
  const interviewer = settings.llm.apiKey === '' ? 'the scripted interviewer' : settings.llm.model;
  tell(`\nColloquy is ready; ${interviewer} asks the questions. Open candidate links:\n`);
  for (const { title, company, openToken } of vacancies) {
    tell(`  ${title}, ${company}\n  ${baseUrl}/i/${openToken}\n`);
  }
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** One plain sentence for what an operator can mend; a stack for what only we can. */
function explain(error: unknown): string {
  if (error instanceof ColloquyError || error instanceof InvalidSettingsError) return error.message;
  if (!(error instanceof Error)) return String(error);
  const { code, address, port } = error as NodeJS.ErrnoException & ListenDetails;
  if (code === 'EADDRINUSE') {
    return `Port ${port ?? ''} is in use: set PORT to a free one, or to 0 for any.`;
  }
  if (code === 'EACCES') {
    return `Port ${port ?? ''} may not be used by this user: set PORT above 1023.`;
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

main().catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
});
