import {
  type DynamicModule,
  Global,
  type INestApplicationContext,
  type LoggerService,
  Module,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { type Settings, Settings as SettingsToken } from '../../src/common/config';
import { Clock } from '../../src/common/clock';
import { AttentionModule } from '../../src/attention';
import { ReviewRequestsModule } from '../../src/notion-sync/reviews';
import { EventsModule } from '../../src/common/events';
import { PeerHealth } from '../../src/common/lifecycle';
import { Metrics } from '../../src/common/metrics';
import { type Tx, UnitOfWorkMetrics, UnitOfWorkFactory } from '../../src/common/uow';
import { InterviewModule, InterviewService } from '../../src/interview';
import { StopRequests } from '../../src/interview/turn/stop-requests';
import { OutageNotifier } from '../../src/interview/turn/outage-notifier';
import { ControlConnection, NoticeConnection, createDataSource } from '../../src/persistence';
import { PrivacyModule } from '../../src/privacy';
import { LiveReplies } from '../../src/streams';
import { QueueBreakers, JobWorker } from '../../src/jobs';
import { HeldJobs } from '../../src/jobs/heartbeat';
import { TestChannelsModule } from '../support/channels';
import { until } from '../support/model-calls';

interface Core {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly dataSource: DataSource;
  readonly control: ControlConnection;
  /** Never opened: this process hears of no other. */
  readonly notices: NoticeConnection;
}

/**
 * One process's interview without a channel: the modules as the application composes them, claims
 * only by `pass()`, and no timers of its own: sweeps happen when a test calls them.
 */
export class InterviewProcess {
  readonly worker: JobWorker;
  readonly interviews: InterviewService;
  readonly live: LiveReplies;
  readonly breakers: QueueBreakers;
  readonly notices: OutageNotifier;
  readonly running: StopRequests;
  readonly metrics: Metrics;
  private readonly held: HeldJobs;
  private readonly units: UnitOfWorkFactory;

  private constructor(
    readonly nest: INestApplicationContext,
    private readonly core: Core,
  ) {
    this.worker = this.get(JobWorker);
    this.interviews = this.get(InterviewService);
    this.live = this.get(LiveReplies);
    this.breakers = this.get(QueueBreakers);
    this.notices = this.get(OutageNotifier);
    this.running = this.get(StopRequests);
    this.metrics = this.get(Metrics);
    this.held = this.get(HeldJobs);
    this.units = this.get(UnitOfWorkFactory);
  }

  static async start(options: {
    url: string;
    settings: Settings;
    clock: Clock;
    logger: LoggerService;
    poolSize?: number;
  }): Promise<InterviewProcess> {
    const { url, settings, clock, logger, poolSize = 5 } = options;
    const dataSource = createDataSource({ url, poolSize });
    await dataSource.initialize();
    const control = new ControlConnection(url, clock);
    const notices = new NoticeConnection(url, clock);
    const core = { settings, clock, dataSource, control, notices };
    const nest = await NestFactory.createApplicationContext(ProcessModule.on(core), { logger });
    return new InterviewProcess(nest, core);
  }

  get<T>(token: Type<T> | (abstract new (...parameters: never[]) => T)): T {
    return this.nest.get<T>(token, { strict: false });
  }

  commit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.units.run('test', (uow) => uow.commit('test', work));
  }

  /** One look for due work; its flows run on. Answers how many were claimed. */
  pass(): Promise<number> {
    return this.worker.tick();
  }

  /** No flow runs here. */
  async settled(): Promise<void> {
    await until(() => this.held.all().length === 0);
  }

  /** Looks for due work and waits until it is done. */
  async work(): Promise<number> {
    const claimed = await this.pass();
    await this.settled();
    return claimed;
  }

  /** What is visible of the reply that is being written. */
  visible(conversationId: string): string {
    return this.live.current(conversationId)?.text ?? '';
  }

  /** The value of one line of the metrics; 0 where there is none. */
  async metric(line: string): Promise<number> {
    const { body } = await this.metrics.exposition();
    const found = body.split('\n').find((candidate) => candidate.startsWith(`${line} `));
    return Number(found?.split(' ').at(-1) ?? 0);
  }

  async close(): Promise<void> {
    await this.worker.stopClaims();
    await this.settled();
    await this.worker.stop();
    await this.nest.close();
    await this.core.control.close();
    await this.core.dataSource.destroy();
  }
}

@Global()
@Module({})
class ProcessModule {
  static on({ settings, clock, dataSource, control, notices }: Core): DynamicModule {
    const providers = [
      { provide: SettingsToken, useValue: settings },
      { provide: Clock, useValue: clock },
      { provide: DataSource, useValue: dataSource },
      { provide: ControlConnection, useValue: control },
      { provide: NoticeConnection, useValue: notices },
      Metrics,
      PeerHealth,
      UnitOfWorkMetrics,
      UnitOfWorkFactory,
    ];
    return {
      module: ProcessModule,
      imports: [
        TestChannelsModule.on(),
        AttentionModule,
        EventsModule,
        InterviewModule,
        PrivacyModule,
        ReviewRequestsModule,
      ],
      providers,
      exports: providers,
    };
  }
}
