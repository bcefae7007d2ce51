export { ledgerNote, outcomeOf } from './errors';
export { Embeddings } from './openai-embeddings';
export { ModelAbortedError, ModelFailure, ModelUnavailableError } from './errors';
export { LlmLedgerRepository, type SettledAttempt } from './llm-ledger.repository';
export { LlmMetrics } from './recorded-requests';
export { LlmModule } from './llm.module';
export { examineModel } from './model-check';
export {
  Completions,
  type ModelChunk,
  ModelClient,
  type ModelRequest,
  type OfferedTool,
} from './model-client';
export { endsReasoning, objectIn, ObjectStart, outputProper, Speech } from './model-output';
export { Transcriptions } from './openai-transcriptions';
export { type WrittenCall, writtenCalls } from './written-calls';
