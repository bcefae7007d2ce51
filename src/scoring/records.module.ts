import { Module } from '@nestjs/common';
import { InterviewModule } from '../interview';
import { VacanciesModule } from '../vacancies';
import { CalibrationRepository } from './calibration.repository';
import { CommentRepository } from './comment.repository';
import { HiringDecisionRepository } from './hiring-decision.repository';
import { HiringDecisions } from './hiring-decisions';
import { LetterReminders } from './letter-reminders';
import { PersonComments } from './person-comments';
import { PersonRatings } from './person-ratings';
import { ProgramRecords } from './program-records';
import { RecordRetentionRepository } from './retention.repository';
import { ScoringRepository } from './scoring.repository';
import { ShownScores } from './shown-scores';
import { StoredComments, StoredRatings, StoredScores } from './stored-scores';

const PROVIDERS = [
  CalibrationRepository,
  CommentRepository,
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
    PersonComments,
    ProgramRecords,
    RecordRetentionRepository,
    StoredComments,
    StoredRatings,
    StoredScores,
  ],
  exports: PROVIDERS,
})
export class ScoringRecordsModule {}
