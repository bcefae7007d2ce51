export { type AttemptOutcome, outcomeOf } from './attempt-outcome';
export {
  ModelAbortedError,
  ModelFailure,
  type ModelFailureKind,
  ModelUnavailableError,
} from './errors';
export { LlmLedger, type LlmPurpose, type OpenAttempt, type SettledAttempt } from './llm-ledger';
export { LlmModule } from './llm.module';
export { type ModelChunk, ModelClient, type ModelRequest } from './model-client';
