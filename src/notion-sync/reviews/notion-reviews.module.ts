import { Module } from '@nestjs/common';
import { TasksModule } from '../../jobs';
import { NotionApiModule } from '../api/notion-api.module';
import { NotionEventsModule } from '../events';
import { NotionPagesModule } from '../pages';
import { NotionScheduleModule } from '../schedule/notion-schedule.module';
import { OperatorNotes } from './operator-notes';
import { RemovalWork } from './removal-work';
import { ReviewCalls } from './review-calls';
import { ReviewWork } from './review-work';
import { ReviewsModule } from './reviews.module';

/** Shows finished interviews in Notion. Expects some global module that provides a ReviewSource. */
@Module({
  imports: [
    NotionApiModule,
    NotionEventsModule,
    NotionPagesModule,
    NotionScheduleModule,
    ReviewsModule,
    TasksModule,
  ],
  providers: [OperatorNotes, RemovalWork, ReviewCalls, ReviewWork],
})
export class NotionReviewsModule {}
