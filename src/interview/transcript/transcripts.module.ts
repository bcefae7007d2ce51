import { Module } from '@nestjs/common';
import { CandidatesModule } from '../../candidates';
import { VacanciesModule } from '../../vacancies';
import { InterviewRecordsModule } from '../interview-records.module';
import { MetadataService } from '../metadata/metadata.service';
import { TranscriptLines, TranscriptService } from './transcript.service';

/** Interviews to be read, without anything that runs them. Expects a global Clock and UnitOfWorkFactory. */
@Module({
  imports: [CandidatesModule, VacanciesModule, InterviewRecordsModule],
  providers: [MetadataService, TranscriptLines, TranscriptService],
  exports: [TranscriptService],
})
export class TranscriptsModule {}
