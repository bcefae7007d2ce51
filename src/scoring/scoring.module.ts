import { Module, type OnModuleInit } from '@nestjs/common';
import { InterviewModule, InterviewTerms } from '../interview';
import { JobsModule } from '../jobs';
import { LlmModule } from '../llm';
import { Calibration } from './calibration';
import { FairnessRun } from './fairness-run';
import { Receipts } from './receipts';
import { ScoringRecordsModule } from './records.module';
import { ScoreLimits } from './score-limits';
import { ScoreReplay } from './score-replay';
import { ScoreRequests, ScoreWorker } from './score.worker';

/** Rates the answers of finished interviews by the rubrics of their questions. Loaded only with SCORING. */
@Module({
  imports: [InterviewModule, JobsModule, LlmModule, ScoringRecordsModule],
  providers: [
    Calibration,
    FairnessRun,
    Receipts,
    ScoreLimits,
    ScoreReplay,
    ScoreRequests,
    ScoreWorker,
  ],
})
export class ScoringModule implements OnModuleInit {
  constructor(private readonly terms: InterviewTerms) {}

  onModuleInit(): void {
    this.terms.isRated = true;
  }
}
