import { Module } from '@nestjs/common';
import { InterviewRecordsModule } from '../interview';
import { VacanciesModule } from '../vacancies';
import { JobsModule } from '../jobs';
import { LlmModule } from '../llm';
import { Calibration } from './calibration';
import { CalibrationRepository } from './calibration.repository';
import { DecisionRepository } from './decision.repository';
import { Decisions } from './decisions';
import { FairnessRun } from './fairness-run';
import { LetterReminders } from './letter-reminders';
import { Receipts } from './receipts';
import { ScoreReplay } from './score-replay';
import { ScoreRequests, ScoreWorker } from './score.worker';
import { ScoringMetrics } from './scoring.metrics';
import { ScoringRepository } from './scoring.repository';
import { ShownScores } from './shown-scores';

/** What commands need: the records of scores and ratings, and their part of a person's export. */
@Module({
  imports: [InterviewRecordsModule, JobsModule, VacanciesModule],
  providers: [
    Calibration,
    CalibrationRepository,
    DecisionRepository,
    Decisions,
    ScoreRequests,
    ScoringRepository,
    ShownScores,
  ],
  exports: [DecisionRepository, Decisions, ScoringRepository],
})
export class ScoringRecordsModule {}

/** Asks a model outside of jobs, for the commands `colloquy replay` and `colloquy fairness`. */
@Module({
  imports: [InterviewRecordsModule, LlmModule, ScoringRecordsModule],
  providers: [FairnessRun, ScoreReplay],
  exports: [FairnessRun, ScoreReplay],
})
export class ScoreToolsModule {}

/** What a candidate may see of the scoring of their own interview. */
@Module({
  imports: [InterviewRecordsModule, ScoringRecordsModule],
  providers: [Receipts],
  exports: [Receipts],
})
export class ReceiptsModule {}

/** Rates the answers of finished interviews by the rubrics of their questions. */
@Module({
  imports: [InterviewRecordsModule, JobsModule, LlmModule, ScoringRecordsModule],
  providers: [LetterReminders, ScoreWorker, ScoringMetrics],
})
export class ScoringModule {}
