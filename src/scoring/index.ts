export { Calibration, RATING_COLUMNS, type RubricFigures, markIn, refusals } from './calibration';
export { CalibrationRepository } from './calibration.repository';
export { CsvError, type CsvRow, csvText, readCsv } from './csv';
export { signed } from './fairness';
export type { BankAnswer } from './fairness-edits';
export { FairnessRun, type RubricFairness } from './fairness-run';
export { type CategoryRates, SELECTED, selectionRates } from './selection-rates';
export { DecisionRepository, subjectOfLetter } from './decision.repository';
export { DecisionFileError, type NamedLink, assertChain, verifiedFile } from './decision-file';
export { Decisions } from './decisions';
export { publicKeyFile, signingKey } from './decision-file';
export { LetterReminders } from './letter-reminders';
export { type Receipt, Receipts } from './receipts';
export { ScoreReplay } from './score-replay';
export {
  ReceiptsModule,
  ScoreToolsModule,
  ScoringModule,
  ScoringRecordsModule,
} from './scoring.module';
export { ScoringRepository } from './scoring.repository';
export { type ShownRun, ShownScores } from './shown-scores';
export type { CriterionResult, Overall } from './scorecard';

declare module '../common/uow' {
  interface LabelAreas {
    scoring: 'calibrate' | 'decision' | 'fairness' | 'replay';
  }
}
