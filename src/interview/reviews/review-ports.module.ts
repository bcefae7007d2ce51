import { Global, Module } from '@nestjs/common';
import { AccountsModule } from '../../candidates';
import { AttentionModule } from '../../attention';
import { HiringModule } from '../../vacancies';
import { ReviewSource } from '../../notion-sync/reviews';
import { PersistenceModule } from '../../persistence';
import { TasksModule } from '../../jobs';
import { ConversationMetadataStore } from '../metadata';
import { InterviewReviews } from './interview-reviews';
import { ReviewReplay } from './review-replay';

/** Finished interviews as Notion's boards want them. */
@Global()
@Module({
  imports: [AccountsModule, AttentionModule, HiringModule, PersistenceModule, TasksModule],
  providers: [
    ConversationMetadataStore,
    ReviewReplay,
    { provide: ReviewSource, useClass: InterviewReviews },
  ],
  exports: [ReviewSource],
})
export class ReviewPortsModule {}
