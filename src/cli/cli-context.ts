import { CandidateRepository, WebSessionRepository } from '../candidates';
import { AttentionModule, AttentionRepository, AttentionService } from '../attention';
import { CoreModule } from '../bootstrap/core.module';
import { ChannelRegistry, ChannelsModule } from '../channels';
import { TelegramOutboxModule } from '../channels/telegram/outbox.channel';
import { WebChannel } from '../channels/web/web.channel';
import { SystemClock } from '../common/clock';
import { Settings } from '../common/config';
import { EventBus, EventsModule } from '../common/events';
import { LifecycleModule } from '../common/lifecycle';
import { Metrics } from '../common/metrics';
import { type Label, type Tx, UnitOfWorkFactory, UnitOfWorkMetrics, UowModule } from '../common/uow';
import {
  InstanceRepository,
  InvitationRepository,
  PinHasher,
  VacancyRepository,
} from '../vacancies';
import { KnowledgeRepository } from '../knowledge';
import {
  ControlConnection,
  DatabaseModule,
  SignalConnection,
  createDataSource,
  migrate,
  refuseOldSchema,
  withBootConnection,
} from '../persistence';
import type {
  AuditRepository,
  PersonalDataService,
  RetentionRepository,
  RetentionService,
} from '../privacy';
import type { ReplyReplay, Takeovers as TakeoversType } from '../interview';
import type { FairnessRun, ScoreReplay } from '../scoring';
import {
  findRunningEmbeddedPostgres,
  hasEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../persistence/embedded';
import { Module, type ModuleMetadata, type INestApplicationContext, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { NotionBoardsModule } from '../notion-sync';
import { ReviewRequestsModule } from '../notion-sync/reviews';
import path from 'node:path';
import { NoDatabaseError, RefusedInputError } from './failures';
import { DeliveryModule } from '../delivery';
import { JobsModule } from '../jobs';
import { SignalWithCommit } from '../streams';

declare module '../common/uow' {
  interface LabelAreas {
    cli: 'cli' | 'doctor' | 'stats';
  }
}

/**
 * What a command works with: the services of the application on one pooled connection, without the
 * application itself. A command runs no job and serves nothing, so it is safe while one is running.
 */
export interface CliContext {
  readonly settings: Settings;
  readonly clock: SystemClock;
  readonly dataSource: Pool;
  readonly units: UnitOfWorkFactory;
  /** Of the database that is open: DATABASE_URL or the embedded one's. */
  readonly databaseUrl: string;
  readonly vacancies: VacancyRepository;
  readonly documents: KnowledgeRepository;
  readonly invitations: InvitationRepository;
  readonly instances: InstanceRepository;
  readonly pinKeys: PinHasher;
  readonly candidates: CandidateRepository;
  readonly sessions: WebSessionRepository;
  readonly attention: AttentionService;
  commit<T>(label: Label, work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** `release` ends a database that the command has started. */
export interface CliDatabase {
  readonly url: string;
  readonly release: () => Promise<void>;
}

const POOL_SIZE = 1;
/** As PostgreSQL lists the connection. */
const NAME = 'colloquy-cli';

type Pool = ReturnType<typeof createDataSource>;

/** Opens the context for `work`, and closes it also when `work` fails. */
export async function withCli<T>(work: (cli: CliContext) => Promise<T>): Promise<T> {
  const settings = Settings.fromEnvironment(process.env);
  return withCliOn(settings, await openDatabase(settings), async (cli) => {
    await refuseOldSchema(cli.dataSource);
    return work(cli);
  });
}

/** The same on an open database, which is released at the end. */
export async function withCliOn<T>(
  settings: Settings,
  database: CliDatabase,
  work: (cli: CliContext) => Promise<T>,
): Promise<T> {
  let dataSource: Pool | undefined;
  try {
    dataSource = await openPool(database.url);
    return await work(contextOf(settings, database.url, dataSource));
  } finally {
    if (dataSource?.isInitialized === true) await dataSource.destroy();
    await database.release();
  }
}

/** Throws DatabaseUnreachableError, which says what to check. */
async function openPool(url: string): Promise<Pool> {
  const explain = (): Promise<void> => withBootConnection(url, NAME, () => Promise.resolve());
  // The pool leaves a connection without a password open until the server ends it, a minute later.
  if (new URL(url).password === '') await explain();
  const pool = createDataSource({ url, poolSize: POOL_SIZE, applicationName: NAME });
  try {
    return await pool.initialize();
  } catch (error) {
    await explain();
    throw error;
  }
}

/**
 * Opens DATABASE_URL, else the embedded database of the running application, else the one that the
 * application left in its data folder, for this command alone. Throws NoDatabaseError when there is
 * none, because a command on a new, empty database would only hide that the folder is a wrong one.
 * `migrates: false` leaves a database that this command started as it is.
 */
export async function openDatabase(
  settings: Settings,
  { migrates }: { readonly migrates: boolean } = { migrates: true },
): Promise<CliDatabase> {
  const keep = (): Promise<void> => Promise.resolve();
  const { url, dataDir } = settings.database;
  if (url !== null) return { url, release: keep };
  const running = await findRunningEmbeddedPostgres(dataDir);
  if (running !== null) return { url: running, release: keep };
  if (!(await hasEmbeddedPostgres(dataDir))) throw new NoDatabaseError(path.resolve(dataDir));
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  const own = await startEmbeddedPostgres({ dataDir, log });
  const release = (): Promise<void> => own.stop();
  try {
    if (migrates) await migrate(own.url);
  } catch (error) {
    await release();
    throw error;
  }
  return { url: own.url, release };
}

function contextOf(settings: Settings, databaseUrl: string, dataSource: Pool): CliContext {
  const clock = new SystemClock();
  const units = new UnitOfWorkFactory(dataSource, clock, new UnitOfWorkMetrics(new Metrics()));
  const vacancies = new VacancyRepository(clock);
  return {
    settings,
    clock,
    dataSource,
    units,
    databaseUrl,
    vacancies,
    documents: new KnowledgeRepository(clock),
    invitations: new InvitationRepository(clock, vacancies),
    instances: new InstanceRepository(clock),
    pinKeys: new PinHasher(units),
    candidates: new CandidateRepository(clock),
    sessions: new WebSessionRepository(clock, settings),
    attention: new AttentionService(new AttentionRepository(clock), new EventBus()),
    commit: (label, work) => units.run('cli', (uow) => uow.commit(label, work)),
  };
}

/** Who read or changed an interview. Loaded only here: the other commands start faster without it. */
export async function openAudit(cli: CliContext): Promise<AuditRepository> {
  const { AuditRepository } = await import('../privacy');
  return new AuditRepository(cli.clock);
}

/** What is due for deletion, and legal holds. Loaded only here, like the audit. */
export async function openRetention(cli: CliContext): Promise<RetentionRepository> {
  const { RetentionRepository } = await import('../privacy');
  return new RetentionRepository(cli.clock);
}

/** Runs `work` with the tools for Notion. Their calls share the limits of a running application. */
export function withNotionTools<T>(
  work: (notion: INestApplicationContext) => Promise<T>,
): Promise<T> {
  return withCli((cli) => {
    if (cli.settings.notion.token === '') {
      throw new RefusedInputError(
        'NOTION_TOKEN is not set, so the Notion sync is off. Set it and NOTION_DATA_SOURCE_ID (docs/notion.md).',
      );
    }
    return withNotionToolsOn(cli, work);
  });
}

/** The same in a context that is open. */
export function withNotionToolsOn<T>(
  cli: CliContext,
  work: (notion: INestApplicationContext) => Promise<T>,
): Promise<T> {
  return inContext(cli, { imports: [NotionBoardsModule] }, work);
}

// What follows loads its rooms only when it is called, so that the other commands start faster.

/** Runs `work` with the service that exports and erases personal data. */
export async function withPersonalData<T>(
  cli: CliContext,
  work: (personal: PersonalDataService) => Promise<T>,
): Promise<T> {
  const { PersonalDataService } = await import('../privacy');
  return inContext(cli, await privacyModules(), (context) =>
    work(context.get(PersonalDataService, { strict: false })),
  );
}

/** Runs `work` with the service that deletes data whose retention period is over. */
export async function withRetention<T>(
  cli: CliContext,
  work: (retention: RetentionService) => Promise<T>,
): Promise<T> {
  const { RetentionService } = await import('../privacy');
  return inContext(cli, await privacyModules(), (context) =>
    work(context.get(RetentionService, { strict: false })),
  );
}

/** The reviews delete their pages and add them to the export, as the scores are added. */
async function privacyModules(): Promise<ModuleMetadata> {
  const { PrivacyModule } = await import('../privacy');
  const { ScoringRecordsModule } = await import('../scoring');
  return { imports: [PrivacyModule, ReviewRequestsModule, ScoringRecordsModule] };
}

/** The names of all channels, also of those that are switched off. */
export function channelNames(cli: CliContext): Promise<readonly string[]> {
  return inContext(cli, {}, (context) =>
    Promise.resolve(context.get(ChannelRegistry, { strict: false }).names),
  );
}

/**
 * Runs `work` with the replays that the application registers at its start. A replay only writes
 * rows; the running application does the work.
 */
export async function withReplays<T>(
  cli: CliContext,
  work: (attention: AttentionService) => Promise<T>,
): Promise<T> {
  const { telegramReplays } = await import('../channels/telegram');
  const { InterviewRecordsModule, TurnReplay } = await import('../interview');
  const { NotionReplaysModule } = await import('../notion-sync');
  const parts = {
    imports: [
      DeliveryModule,
      AttentionModule,
      NotionReplaysModule,
      InterviewRecordsModule,
      JobsModule,
    ],
    providers: [TurnReplay, ...telegramReplays],
  };
  return inContext(cli, parts, (context) => work(context.get(AttentionService, { strict: false })));
}

/**
 * Runs `work` with what the application does when a person takes a conversation over. Nothing is
 * sent here: the message waits in the database for a running application.
 */
export async function withTakeovers<T>(
  cli: CliContext,
  work: (takeovers: TakeoversType) => Promise<T>,
): Promise<T> {
  const { InterviewRecordsModule, Takeovers } = await import('../interview');
  const imports = [AttentionModule, DeliveryModule, InterviewRecordsModule, ReviewRequestsModule];
  return inContext(cli, { imports }, (context) => work(context.get(Takeovers, { strict: false })));
}

/** Runs `work` with ScoreReplay, which sends stored requests to the configured model again. */
export async function withScoreReplay<T>(
  cli: CliContext,
  work: (replay: ScoreReplay) => Promise<T>,
): Promise<T> {
  const { ScoreReplay, ScoreToolsModule } = await import('../scoring');
  const imports = [ScoreToolsModule, ReviewRequestsModule];
  return inContext(cli, { imports }, (context) =>
    work(context.get(ScoreReplay, { strict: false })),
  );
}

/** Runs `work` with ReplyReplay, which sends a stored request to the configured model again. */
export async function withReplyReplay<T>(
  cli: CliContext,
  work: (replay: ReplyReplay) => Promise<T>,
): Promise<T> {
  const { ReplyReplay, ReplyReplayModule } = await import('../interview');
  const imports = [ReplyReplayModule, ReviewRequestsModule];
  return inContext(cli, { imports }, (context) =>
    work(context.get(ReplyReplay, { strict: false })),
  );
}

/** Runs `work` with FairnessRun, which lets the configured model rate pairs of answers. */
export async function withFairnessRun<T>(
  cli: CliContext,
  work: (run: FairnessRun) => Promise<T>,
): Promise<T> {
  const { FairnessRun, ScoreToolsModule } = await import('../scoring');
  const imports = [ScoreToolsModule, ReviewRequestsModule];
  return inContext(cli, { imports }, (context) =>
    work(context.get(FairnessRun, { strict: false })),
  );
}

/** The module of a command: the core of the application, and what the command needs of it. */
@Module({})
class CommandModule {}

/**
 * Runs `work` with these parts of the application, which are closed afterwards. Only errors are logged.
 * The two connections of the core never connect, because nothing is claimed and nothing listens.
 */
async function inContext<T>(
  { settings, clock, dataSource, databaseUrl }: CliContext,
  { imports = [], providers = [] }: ModuleMetadata,
  work: (context: INestApplicationContext) => Promise<T>,
): Promise<T> {
  Logger.overrideLogger(['error']);
  const database = DatabaseModule.on({
    dataSource,
    control: new ControlConnection(databaseUrl, clock),
    signals: new SignalConnection(databaseUrl, clock),
    release: null,
  });
  const core = [CoreModule.of({ settings, clock }), LifecycleModule, database, UowModule];
  // Also without the bot's token here: the application that sends may have it.
  const channels = [ChannelsModule, TelegramOutboxModule.with({ isOn: true })];
  const context = await NestFactory.createApplicationContext({
    module: CommandModule,
    imports: [...core, EventsModule, ...channels, ...imports],
    providers: [SignalWithCommit, WebChannel, ...providers],
  });
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}
