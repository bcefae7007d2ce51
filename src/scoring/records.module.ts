import { Module } from '@nestjs/common';
import { InterviewModule } from '../interview';
import { VacanciesModule } from '../vacancies';
import { CalibrationRepository } from './calibration.repository';
import { HiringDecisionRepository } from './hiring-decision.repository';
import { HiringDecisions } from './hiring-decisions';
import { LetterReminders } from './letter-reminders';
import { PersonRatings } from './person-ratings';
import { ProgramRecords } from './program-records';
import { RecordRetentionRepository } from './retention.repository';
import { ScoringRepository } from './scoring.repository';
import { ShownScores } from './shown-scores';
import { StoredRatings, StoredScores } from './stored-scores';

const PROVIDERS = [
  CalibrationRepository,
  HiringDecisionRepository,
  HiringDecisions,
  PersonRatings,
  ScoringRepository,
  ShownScores,
];

/**
 * What is there also while SCORING is off: the rows of a time when it was on, which a person's export and
 * erasure reach, and what people decide. It asks no model.
 */
@Module({
  imports: [InterviewModule, VacanciesModule],
  providers: [
    ...PROVIDERS,
    LetterReminders,
    ProgramRecords,
    RecordRetentionRepository,
    StoredRatings,
    StoredScores,
  ],
  exports: PROVIDERS,
})
export class ScoringRecordsModule {}
