export {
  Calibration,
  RATING_COLUMNS,
  RatingRefusedError,
  type RubricFigures,
  markIn,
  refusals,
} from './calibration';
export { CalibrationRepository } from './calibration.repository';
export { CsvError, csvText } from './csv';
export { DecisionRepository } from './decision.repository';
export { DecisionFileError, assertChain, verifiedFile } from './decision-file';
export { Decisions } from './decisions';
export { publicKeyFile, signingKey } from './signing-key';
export { type Receipt, Receipts } from './receipts';
export { ScoreReplay } from './score-replay';
export {
  ReceiptsModule,
  ScoreReplayModule,
  ScoringModule,
  ScoringRecordsModule,
} from './scoring.module';
export { ScoringRepository } from './scoring.repository';
export { type ShownRun, RatingMissingError, ShownScores } from './shown-scores';
export type { CriterionResult, Overall } from './scorecard';
