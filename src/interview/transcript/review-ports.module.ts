import { Global, Module } from '@nestjs/common';
import { CandidatesModule } from '../../candidates';
import { AttentionModule } from '../../attention';
import { VacanciesModule } from '../../vacancies';
import { ReviewSource } from '../../notion-sync/reviews';
import { InterviewRecordsModule } from '../interview-records.module';
import { JobsModule } from '../../jobs';
import { MetadataService } from '../metadata/metadata.service';
import { InterviewSummaries } from './interview-summary';
import { ReviewReplay } from './review-replay';

/** Finished interviews as Notion's boards want them. */
@Global()
@Module({
  imports: [CandidatesModule, AttentionModule, VacanciesModule, InterviewRecordsModule, JobsModule],
  providers: [
    MetadataService,
    ReviewReplay,
    { provide: ReviewSource, useClass: InterviewSummaries },
  ],
  exports: [ReviewSource],
})
export class ReviewPortsModule {}
