export { DecisionFileError, signingKey, verifiedFile } from './decision-file';
export { DecisionRepository } from './decision.repository';
export { Decisions } from './decisions';
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
