export { outcomeOf } from './attempt-outcome';
export { Embeddings } from './embeddings';
export { ModelAbortedError, ModelFailure, ModelUnavailableError } from './errors';
export { LlmLedgerRepository, type SettledAttempt } from './llm-ledger';
export { LlmMetrics } from './llm-metrics';
export { LlmModule } from './llm.module';
export { type ModelChunk, ModelClient, type ModelRequest, type OfferedTool } from './model-client';
export { RerankModel } from './rerank-model';
export { Transcriptions } from './transcriptions';
