import { type DynamicModule, Module, type OnApplicationBootstrap } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { AdminModule } from './admin';
import { AttentionModule } from './attention';
import { type Core, CoreModule } from './bootstrap/core.module';
import { ChannelsModule } from './channels';
import { WebModule } from './channels/web';
import { EventBus, EventsModule } from './common/events';
import { BodyPipe, ProblemFilter } from './common/http';
import { LifecycleModule } from './common/lifecycle';
import { UowModule } from './common/uow';
import { HealthModule } from './health';
import { InterviewModule } from './interview';
import { KnowledgeModule } from './knowledge';
import { ReviewRequestsModule } from './notion-sync/reviews';
import { type Connections, DatabaseModule } from './persistence';
import { ScoringModule } from './scoring';
import { VacanciesModule } from './vacancies';

export interface AppParts extends Core {
  readonly connections: Connections;
  /** Folder of the built candidate page. */
  readonly pageDirectory: string;
  /** Modules of the channels other than the web, and others that settings turn on. */
  readonly further: readonly DynamicModule[];
}

/** The whole application on one database. */
@Module({})
export class AppModule implements OnApplicationBootstrap {
  static on({ settings, clock, connections, pageDirectory, further }: AppParts): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.of({ settings, clock }),
        LifecycleModule,
        DatabaseModule.on(connections),
        UowModule,
        ChannelsModule,
        EventsModule,
        ScheduleModule.forRoot(),
        AttentionModule,
        HealthModule,
        VacanciesModule,
        KnowledgeModule,
        InterviewModule,
        ReviewRequestsModule,
        ScoringModule,
        WebModule.serving(pageDirectory),
        ...further,
        AdminModule,
      ],
      providers: [
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_PIPE, useClass: BodyPipe },
      ],
    };
  }

  constructor(private readonly events: EventBus) {}

  /** Refuses to start when a domain event that needs a handler has none; a command needs fewer. */
  onApplicationBootstrap(): void {
    this.events.assertComplete();
  }
}
