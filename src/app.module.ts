import { type DynamicModule, Module, type OnApplicationBootstrap, type Type } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { AttentionModule } from './attention';
import { type Core, CoreModule } from './bootstrap/core.module';
import { ChannelsModule } from './channels';
import { DomainEvents, DomainEventsModule } from './common/events';
import { BodyPipe, ProblemFilter } from './common/http';
import { IdempotencyModule } from './common/idempotency';
import { LifecycleModule } from './common/lifecycle';
import { UowModule } from './common/uow';
import { InterviewModule } from './interview';
import { InvitationsModule } from './invitations';
import { AccessModule } from './access';
import { KnowledgeModule } from './knowledge';
import { ReviewRequestsModule } from './notion-sync/reviews';
import { type Connections, DatabaseModule } from './persistence';
import { PrivacyModule } from './privacy';
import { VacanciesModule } from './vacancies';

export interface AppParts extends Core {
  readonly connections: Connections;
  /** What a server adds, and what depends on the settings (bootstrap/further-modules.ts). */
  readonly further: readonly (DynamicModule | Type)[];
}

/**
 * The whole application on one database, for a server and for a command. Nothing here claims a job: `serve`
 * starts the worker. Nothing runs at an interval either, unless `further` has the ScheduleModule.
 */
@Module({})
export class AppModule implements OnApplicationBootstrap {
  static on({ connections, further, ...core }: AppParts): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.of(core),
        LifecycleModule,
        DatabaseModule.on(connections),
        UowModule,
        IdempotencyModule,
        ChannelsModule,
        DomainEventsModule,
        AttentionModule,
        VacanciesModule,
        KnowledgeModule,
        InterviewModule,
        InvitationsModule,
        AccessModule,
        PrivacyModule,
        ReviewRequestsModule,
        ...further,
      ],
      providers: [
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_PIPE, useClass: BodyPipe },
      ],
    };
  }

  constructor(private readonly events: DomainEvents) {}

  /** Refuses to start when a domain event that needs a handler has none. */
  onApplicationBootstrap(): void {
    this.events.assertComplete();
  }
}
