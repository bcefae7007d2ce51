import { type DynamicModule, Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { DataSource } from 'typeorm';
import { ChannelsModule } from './channels';
import { WebModule } from './channels/web';
import { Clock } from './common/clock';
import { Settings } from './common/config';
import { EventsModule } from './common/events';
import { BodyPipe, FailedAttempts, ProblemFilter } from './common/http';
import { Drain, PeerHealth } from './common/lifecycle';
import { Metrics } from './common/metrics';
import { UnitOfWorkMetrics, UnitOfWorkFactory } from './common/uow';
import { AdminModule } from './admin';
import { HealthModule } from './health';
import { VacanciesModule } from './vacancies';
import { InterviewModule } from './interview';
import { KnowledgeModule } from './knowledge';
import { ControlConnection, NoticeConnection } from './persistence';

/** What the process owns, and everything else is given. */
export interface Core {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly dataSource: DataSource;
  readonly control: ControlConnection;
  readonly notices: NoticeConnection;
}

/** The whole application on one database. */
@Module({})
export class AppModule {
  /** `channels`: the modules of the channels beside the web. */
  static on(ground: Core, channels: readonly DynamicModule[]): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.of(ground),
        ChannelsModule,
        EventsModule,
        ScheduleModule.forRoot(),
        HealthModule,
        VacanciesModule,
        KnowledgeModule,
        InterviewModule,
        WebModule,
        ...channels,
        AdminModule,
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
class CoreModule {
  static of({ settings, clock, dataSource, control, notices }: Core): DynamicModule {
    const providers = [
      { provide: Settings, useValue: settings },
      { provide: Clock, useValue: clock },
      { provide: DataSource, useValue: dataSource },
      { provide: ControlConnection, useValue: control },
      { provide: NoticeConnection, useValue: notices },
      { provide: Drain, useValue: new Drain(clock, settings.shutdown.deadlineMs) },
      FailedAttempts,
      Metrics,
      PeerHealth,
      UnitOfWorkMetrics,
      UnitOfWorkFactory,
    ];
    return { module: CoreModule, providers, exports: providers };
  }
}
