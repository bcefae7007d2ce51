import { Module } from '@nestjs/common';
import { JobsModule } from '../../jobs';
import { ReviewRepository } from './review-table';
import { ReviewRequests } from './reviews';

/** What others say to the reviews; nothing of Notion is loaded for it. Expects a global Settings and Clock. */
@Module({
  imports: [JobsModule],
  providers: [ReviewRequests, ReviewRepository],
  exports: [ReviewRequests, ReviewRepository],
})
export class ReviewRequestsModule {}
