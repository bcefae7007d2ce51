import { Module } from '@nestjs/common';
import { CandidatesModule } from '../../candidates';
import { VacanciesModule } from '../../vacancies';
import { InterviewRecordsModule } from '../interview-records.module';
import { MetadataService } from '../metadata/metadata.service';
import { InterviewSummaries } from './interview-summary';

/** Handles the event `interview.summary`. */
@Module({
  imports: [CandidatesModule, VacanciesModule, InterviewRecordsModule],
  providers: [MetadataService, InterviewSummaries],
})
export class ReviewPortsModule {}
