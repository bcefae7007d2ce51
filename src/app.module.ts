import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_PIPE } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { type Core, CoreModule } from './bootstrap/core.module';
import { ChannelsModule } from './channels';
import { WebModule } from './channels/web';
import { EventsModule } from './common/events';
import { BodyPipe, ProblemFilter } from './common/http';
import { AdminModule } from './admin';
import { AttentionModule } from './attention';
import { HealthModule } from './health';
import { ReviewRequestsModule } from './notion-sync/reviews';
import { ScoringModule } from './scoring';
import { VacanciesModule } from './vacancies';
import { InterviewModule } from './interview';
import { KnowledgeModule } from './knowledge';

/** The whole application on one database. */
@Module({})
export class AppModule {
  /** `furtherModules`: those of the channels other than the web, and others that settings turn on. */
  static on(core: Core, furtherModules: readonly DynamicModule[]): DynamicModule {
    return {
      module: AppModule,
      imports: [
        CoreModule.of(core),
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
        WebModule,
        ...furtherModules,
        AdminModule,
      ],
      providers: [
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_PIPE, useClass: BodyPipe },
      ],
    };
  }
}
