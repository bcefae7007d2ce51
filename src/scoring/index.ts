export { DecisionFileError, signingKey, verifiedFile } from './decision-file';
export { HiringDecisionRepository } from './hiring-decision.repository';
export { HiringDecisions } from './hiring-decisions';
export { FairnessRun } from './fairness-run';
export { LetterReminders } from './letter-reminders';
export { ScoringModule } from './scoring.module';
export { ScoringRepository } from './scoring.repository';
export { ShownScores } from './shown-scores';

declare module '../common/uow' {
  interface LabelAreas {
    scoring: 'calibrate' | 'decision' | 'fairness' | 'replay';
  }
}
