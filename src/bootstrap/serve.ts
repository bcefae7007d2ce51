import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import path from 'node:path';
import { createApplication } from './application';
import { type Team, teamOf } from './first-admin';
import type { ProcessContext } from './process-context';
import { type Settings, settingWarnings } from '../common/config';
import type { CheckOutcome } from '../common/check-outcome';
import { Drain, SIGNALS } from '../common/lifecycle';
import { Metrics } from '../common/metrics';
import { startTracing } from '../common/tracing';
import { examineCaFiles } from '../health';
import { UnitOfWorkFactory } from '../common/uow';
import {
  ExampleVacancies,
  InstanceRepository,
  type PrepareDocuments,
  type Vacancy,
  VacancyRepository,
} from '../vacancies';
import { KnowledgeRepository, readDocuments } from '../knowledge';
import { checkServer, migrate } from '../persistence';
import { JobWorker } from '../jobs';

declare module '../common/uow' {
  interface LabelAreas {
    bootstrap: 'docs' | 'examples';
  }
}

const EXAMPLES = path.join(__dirname, '..', '..', 'examples');

/** A database that accepts connections. */
export interface OpenDatabase {
  readonly url: string;
  /** Where the data is, for people: a folder, or a server without its password. */
  readonly place: string;
  /** Ends the embedded database. Idempotent. */
  stop(): Promise<void>;
}

export interface Serving {
  /** Where candidates reach the page. */
  readonly baseUrl: string;
  /** Where the process listens. */
  readonly port: number;
  readonly vacancies: readonly Vacancy[];
  readonly team: Team;
}

/**
 * Serves on an open database: migrates it, listens and claims jobs. Resolves when the process is
 * ready; from then on only `end` ends it. When it throws, only the database still runs.
 */
export async function serve(
  options: ProcessContext & { readonly settings: Settings; readonly database: OpenDatabase },
): Promise<Serving> {
  const { settings, clock, logger, database, end } = options;
  warn(logger, [
    ...settingWarnings(settings),
    ...(await examineCaFiles(settings, clock.now())),
    ...(await checkServer(database.url, settings.database, clock)),
  ]);
  await migrate(database.url, { clock });
  const sendLastSpans = await startTracing(settings.tracing.endpoint, clock);
  const app = await createApplication({ settings, clock, databaseUrl: database.url, logger });
  const drain = app.get(Drain);
  drain.register('connections', 'embedded database', () => database.stop());
  drain.register('connections', 'spans', sendLastSpans);
  const close = (): Promise<void> => app.close();
  end.serve({ drain, drainDeadlineMs: settings.shutdown.deadlineMs, close });
  app.enableShutdownHooks([...SIGNALS], { useProcessExit: true });
  try {
    return await begin(app, settings);
  } catch (error) {
    // A signal came first, and its shutdown ends the process.
    if (drain.isDraining) return await new Promise<never>(() => undefined);
    await app.close().catch(() => undefined);
    throw error;
  }
}

/**
 * Logs every outcome that is not ok. Only a database that cannot be used stops the start, by an error.
 */
function warn(logger: ProcessContext['logger'], outcomes: readonly CheckOutcome[]): void {
  for (const { kind, sentence } of outcomes) if (kind !== 'ok') logger.warn(sentence, 'Start');
}

async function begin(app: NestFastifyApplication, settings: Settings): Promise<Serving> {
  app.get(Metrics).addRuntimeMetrics();
  const vacancies = await vacanciesOf(app, settings);
  await app.listen(settings.http.port, settings.http.host);
  const port = Number(new URL(await app.getUrl()).port);
  const { publicUrl } = settings.http;
  const baseUrl = publicUrl === '' ? `http://localhost:${String(port)}` : publicUrl;
  await storeInstance(app, settings, baseUrl);
  const team = await teamOf(app, settings, baseUrl);
  app.get(JobWorker, { strict: false }).start();
  return { baseUrl, port, vacancies, team };
}

/** A team's own database gets no examples: theirs are the vacancies that candidates may see in it. */
function vacanciesOf(
  app: NestFastifyApplication,
  { database }: Settings,
): Promise<readonly Vacancy[]> {
  const isEmbedded = database.url === null;
  const examples = app.get(ExampleVacancies, { strict: false });
  const stored = app.get(VacancyRepository, { strict: false });
  return app
    .get(UnitOfWorkFactory)
    .run('examples', (uow) =>
      isEmbedded
        ? examples.loadIfEmpty(uow, EXAMPLES, documentsOf(app))
        : uow.commit('vacancy.list', (tx) => stored.list(tx)),
    );
}

/** Commands read from here where the application is reached. */
async function storeInstance(
  app: NestFastifyApplication,
  { telegram }: Settings,
  publicUrl: string,
): Promise<void> {
  const instances = app.get(InstanceRepository, { strict: false });
  const isBotOn = telegram.token !== '';
  await app
    .get(UnitOfWorkFactory)
    .run('instance', (uow) =>
      uow.commit('instance.store', (tx) =>
        instances.store(tx, { publicUrl, isBotOn, botName: telegram.botName }),
      ),
    );
}

function documentsOf(app: NestFastifyApplication): PrepareDocuments {
  const stored = app.get(KnowledgeRepository, { strict: false });
  return async (folder, { knowledge = [], language }) => {
    const documents = await readDocuments(folder, knowledge, language);
    return (tx, vacancy) => stored.replace(tx, vacancy.id, documents);
  };
}
