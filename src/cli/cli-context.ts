import { Candidates, WebSessions } from '../candidates';
import { Attention, AttentionReplays } from '../attention';
import { SystemClock } from '../common/clock';
import { Settings } from '../common/config';
import { Metrics } from '../common/metrics';
import { UnitOfWorkMetrics, UnitsOfWork, type Tx } from '../common/uow';
import { Invitations, PinKeys, Vacancies } from '../vacancies';
import { KnowledgeDocuments } from '../knowledge';
import {
  AuditEvents,
  Conversations,
  MessagePages,
  createDataSource,
  migrate,
} from '../persistence';
import { findRunningEmbeddedPostgres, startEmbeddedPostgres } from '../persistence/embedded';

/**
 * What a command works with: the services of the application on one pooled connection, without the
 * application itself. It runs no tasks and serves nothing, so it is safe beside a running one.
 */
export interface CliContext {
  readonly settings: Settings;
  readonly clock: SystemClock;
  readonly metrics: Metrics;
  readonly units: UnitsOfWork;
  /** Of the database that is open: DATABASE_URL or the embedded one's. */
  readonly databaseUrl: string;
  readonly vacancies: Vacancies;
  readonly documents: KnowledgeDocuments;
  readonly invitations: Invitations;
  readonly pinKeys: PinKeys;
  readonly candidates: Candidates;
  readonly sessions: WebSessions;
  readonly conversations: Conversations;
  readonly pages: MessagePages;
  readonly audit: AuditEvents;
  readonly attention: Attention;
  readonly replays: AttentionReplays;
  commit<T>(label: string, work: (tx: Tx) => Promise<T>): Promise<T>;
}

const POOL_SIZE = 1;

type Pool = ReturnType<typeof createDataSource>;

/** Opens the context for `work` and closes it whatever happens. */
export async function withCliContext(work: (cli: CliContext) => Promise<void>): Promise<void> {
  const settings = Settings.fromEnvironment(process.env);
  const database = await openDatabase(settings);
  let dataSource: Pool | undefined;
  try {
    dataSource = createDataSource({
      url: database.url,
      poolSize: POOL_SIZE,
      applicationName: 'colloquy-cli',
    });
    await dataSource.initialize();
    await work(contextOf(settings, database.url, dataSource));
  } finally {
    if (dataSource?.isInitialized === true) await dataSource.destroy();
    await database.release();
  }
}

/**
 * DATABASE_URL, else the embedded database of the application that runs, else one that is started
 * for this command alone.
 */
async function openDatabase(
  settings: Settings,
): Promise<{ url: string; release: () => Promise<void> }> {
  const keep = (): Promise<void> => Promise.resolve();
  const { url, dataDir } = settings.database;
  if (url !== null) return { url, release: keep };
  const running = await findRunningEmbeddedPostgres(dataDir);
  if (running !== null) return { url: running, release: keep };
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const own = await startEmbeddedPostgres({ dataDir, log });
  const release = (): Promise<void> => own.stop();
  try {
    await migrate(own.url);
  } catch (error) {
    await release();
    throw error;
  }
  return { url: own.url, release };
}

function contextOf(settings: Settings, databaseUrl: string, dataSource: Pool): CliContext {
  const clock = new SystemClock();
  const metrics = new Metrics();
  const units = new UnitsOfWork(dataSource, clock, new UnitOfWorkMetrics(metrics));
  const vacancies = new Vacancies(clock);
  const replays = new AttentionReplays();
  return {
    settings,
    clock,
    metrics,
    units,
    databaseUrl,
    vacancies,
    documents: new KnowledgeDocuments(clock),
    invitations: new Invitations(clock, vacancies),
    pinKeys: new PinKeys(units),
    candidates: new Candidates(clock),
    sessions: new WebSessions(clock, settings),
    conversations: new Conversations(),
    pages: new MessagePages(),
    audit: new AuditEvents(clock),
    attention: new Attention(clock, replays),
    replays,
    commit: (label, work) => units.run('cli', (uow) => uow.commit(label, work)),
  };
}
