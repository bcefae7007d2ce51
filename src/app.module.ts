import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { WebModule } from './channels/web';
import { Clock } from './common/clock';
import { Settings } from './common/config';
import { BodyPipe, FailedAttempts, ProblemFilter } from './common/http';
import { Drain, PeerConditions } from './common/lifecycle';
import { Metrics } from './common/metrics';
import { UnitOfWorkMetrics, UnitsOfWork } from './common/uow';
import { CandidatesConsoleModule, ConsoleModule } from './admin';
import { HealthModule } from './health';
import { HiringModule } from './vacancies';
import { InterviewModule } from './interview';
import { KnowledgeModule } from './knowledge';
import { ControlConnection, NoticeConnection } from './persistence';

/** What the process owns, and everything else is given. */
export interface Ground {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly dataSource: DataSource;
  readonly control: ControlConnection;
  readonly notices: NoticeConnection;
}

/** The whole application on one database. */
@Module({})
export class AppModule {
  /** `channels`: those beside the web that are switched on. */
  static on(ground: Ground, channels: readonly DynamicModule[]): DynamicModule {
    return {
      module: AppModule,
      imports: [
        GroundModule.of(ground),
        ScheduleModule.forRoot(),
        HealthModule,
        HiringModule,
        KnowledgeModule,
        InterviewModule,
        WebModule,
        ...channels,
        ConsoleModule,
        CandidatesConsoleModule,
      ],
      providers: [
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_PIPE, useClass: BodyPipe },
      ],
    };
  }
}

@Global()
@Module({})
class GroundModule {
  static of({ settings, clock, dataSource, control, notices }: Ground): DynamicModule {
    const providers = [
      { provide: Settings, useValue: settings },
      { provide: Clock, useValue: clock },
      { provide: DataSource, useValue: dataSource },
      { provide: ControlConnection, useValue: control },
      { provide: NoticeConnection, useValue: notices },
      { provide: Drain, useValue: new Drain(clock, settings.shutdown.deadlineMs) },
      FailedAttempts,
      Metrics,
      PeerConditions,
      UnitOfWorkMetrics,
      UnitsOfWork,
    ];
    return { module: GroundModule, providers, exports: providers };
  }
}
