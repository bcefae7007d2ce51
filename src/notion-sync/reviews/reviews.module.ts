import { Module } from '@nestjs/common';
import { TasksModule } from '../../jobs';
import { ReviewTable } from './review-table';
import { Reviews } from './reviews';

/** What others say to the reviews; nothing of Notion is loaded for it. Expects a global Settings and Clock. */
@Module({
  imports: [TasksModule],
  providers: [Reviews, ReviewTable],
  exports: [Reviews, ReviewTable],
})
export class ReviewsModule {}
