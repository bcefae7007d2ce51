import { CandidateRepository, WebSessionRepository } from '../candidates';
import { AttentionService, AttentionReplays } from '../attention';
import { SystemClock } from '../common/clock';
import { Settings } from '../common/config';
import { Metrics } from '../common/metrics';
import { UnitOfWorkMetrics, UnitOfWorkFactory, type Tx } from '../common/uow';
import { InvitationRepository, PinHasher, VacancyRepository } from '../vacancies';
import { KnowledgeRepository } from '../knowledge';
import {
  AuditRepository,
  ConversationRepository,
  MessagePageRepository,
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
  readonly units: UnitOfWorkFactory;
  /** Of the database that is open: DATABASE_URL or the embedded one's. */
  readonly databaseUrl: string;
  readonly vacancies: VacancyRepository;
  readonly documents: KnowledgeRepository;
  readonly invitations: InvitationRepository;
  readonly pinKeys: PinHasher;
  readonly candidates: CandidateRepository;
  readonly sessions: WebSessionRepository;
  readonly conversations: ConversationRepository;
  readonly pages: MessagePageRepository;
  readonly audit: AuditRepository;
  readonly attention: AttentionService;
  readonly replays: AttentionReplays;
  commit<T>(label: string, work: (tx: Tx) => Promise<T>): Promise<T>;
}

const POOL_SIZE = 1;

type Pool = ReturnType<typeof createDataSource>;

/** Opens the context for `work` and closes it whatever happens. */
export async function withCli(work: (cli: CliContext) => Promise<void>): Promise<void> {
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
  const units = new UnitOfWorkFactory(dataSource, clock, new UnitOfWorkMetrics(metrics));
  const vacancies = new VacancyRepository(clock);
  const replays = new AttentionReplays();
  return {
    settings,
    clock,
    metrics,
    units,
    databaseUrl,
    vacancies,
    documents: new KnowledgeRepository(clock),
    invitations: new InvitationRepository(clock, vacancies),
    pinKeys: new PinHasher(units),
    candidates: new CandidateRepository(clock),
    sessions: new WebSessionRepository(clock, settings),
    conversations: new ConversationRepository(),
    pages: new MessagePageRepository(),
    audit: new AuditRepository(clock),
    attention: new AttentionService(clock, replays),
    replays,
    commit: (label, work) => units.run('cli', (uow) => uow.commit(label, work)),
  };
}
