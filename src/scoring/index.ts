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
