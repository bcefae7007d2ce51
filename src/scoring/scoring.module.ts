import { Module } from '@nestjs/common';
import { InterviewRecordsModule } from '../interview';
import { JobsModule } from '../jobs';
import { LlmModule } from '../llm';
import { ScoreRequests } from './score-requests';
import { ScoreWorker } from './score.worker';
import { ScoringMetrics } from './scoring.metrics';
import { ScoringRepository } from './scoring.repository';

/** What commands need: the records of scores, and their part of a person's export. */
@Module({
  imports: [JobsModule],
  providers: [ScoreRequests, ScoringRepository],
  exports: [ScoringRepository],
})
export class ScoringRecordsModule {}

/** Rates the answers of finished interviews by the rubrics of their questions. */
@Module({
  imports: [InterviewRecordsModule, JobsModule, LlmModule, ScoringRecordsModule],
  providers: [ScoreWorker, ScoringMetrics],
})
export class ScoringModule {}
