import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs';
import { NotionApiModule } from '../api/notion-api.module';
import { NotionEventsModule } from '../sync/notion-events.module';
import { NotionPagesModule } from '../sync/notion-pages.module';
import { NotionScheduleModule } from '../sync/notion-schedule.module';
import { OnceLogger } from './review-page';
import { ReviewRemovalWorker } from './review-removal.worker';
import { ReviewCalls } from './review-calls';
import { ReviewWorker } from './review-work';
import { ReviewRequestsModule } from './review-requests';

/** Shows finished interviews in Notion. Expects some global module that provides a ReviewSource. */
@Module({
  imports: [
    NotionApiModule,
    NotionEventsModule,
    NotionPagesModule,
    NotionScheduleModule,
    ReviewRequestsModule,
    JobsModule,
  ],
  providers: [OnceLogger, ReviewRemovalWorker, ReviewCalls, ReviewWorker],
})
export class NotionReviewsModule {}
