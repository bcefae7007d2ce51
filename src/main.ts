import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import path from 'node:path';
import { createApplication } from './app';
import { SystemClock } from './common/clock';
import { Settings } from './common/config';
import { ColloquyError } from './common/errors';
import { JsonLogger } from './common/logging';
import { Metrics } from './common/metrics';
import { UnitsOfWork } from './common/uow';
import { ExampleVacancies, type Vacancy } from './hiring';
import { checkServer, migrate } from './persistence';
import { startEmbeddedPostgres } from './persistence/embedded';
import { TaskWorker } from './tasks';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const EXAMPLES = path.join(__dirname, '..', 'examples');
/** A second signal means now: leases are handed back for no longer than this. */
const HURRY_MS = 700;

async function main(): Promise<void> {
  const settings = Settings.fromEnvironment(process.env);
  const isPretty = settings.log.isPretty || process.stdout.isTTY;
  const logger = new JsonLogger({ level: settings.log.level, isPretty });
  const databaseUrl = await openDatabase(settings);
  await migrate(databaseUrl);
  await checkServer(databaseUrl, settings.database);

  const clock = new SystemClock();
  const app = await createApplication({ settings, clock, databaseUrl, logger });
  app.enableShutdownHooks([...SIGNALS], { useProcessExit: true });
  hurryOnSecondSignal(app);
  try {
    app.get(Metrics).addRuntimeMetrics();
    const vacancies = await loadExamples(app);
    await app.listen(settings.http.port, settings.http.host);
    app.get(TaskWorker, { strict: false }).start();
    tellLinks(await baseUrl(app, settings), vacancies, settings);
  } catch (error) {
    await app.close();
    throw error;
  }
}

async function openDatabase(settings: Settings): Promise<string> {
  const { url, dataDir } = settings.database;
  if (url !== null) return url;
  const embedded = await startEmbeddedPostgres({ dataDir, log: tell });
  return embedded.url;
}

function loadExamples(app: NestFastifyApplication): Promise<Vacancy[]> {
  const examples = app.get(ExampleVacancies, { strict: false });
  return app.get(UnitsOfWork).run('examples', (uow) => examples.loadIfEmpty(uow, EXAMPLES));
}

async function baseUrl(app: NestFastifyApplication, settings: Settings): Promise<string> {
  if (settings.http.publicUrl !== '') return settings.http.publicUrl;
  const { port } = new URL(await app.getUrl());
  return `http://localhost:${port}`;
}

function tellLinks(base: string, vacancies: readonly Vacancy[], settings: Settings): void {
  const interviewer = settings.llm.apiKey === '' ? 'the scripted interviewer' : settings.llm.model;
  tell(`\nColloquy is ready; ${interviewer} asks the questions. Open candidate links:\n`);
  for (const { title, company, openToken } of vacancies) {
    tell(`  ${title}, ${company}\n  ${base}/i/${openToken}\n`);
  }
}

function hurryOnSecondSignal(app: NestFastifyApplication): void {
  let count = 0;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      count += 1;
      if (count !== 2) return;
      setTimeout(() => process.exit(1), HURRY_MS);
      const worker = app.get(TaskWorker, { strict: false });
      void worker.handBack(HURRY_MS / 2).finally(() => process.exit(1));
    });
  }
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** One plain sentence for what an operator can mend; a stack for what only we can. */
function explain(error: unknown): string {
  if (error instanceof ColloquyError) return error.message;
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'InvalidSettingsError') return error.message;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') return 'The port is in use: set PORT to a free one.';
  if (code === 'EACCES') return 'The port may not be used by this user: set PORT above 1023.';
  return error.stack ?? error.message;
}

main().catch((error: unknown) => {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
});
