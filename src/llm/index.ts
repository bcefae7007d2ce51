export { outcomeOf } from './attempt-outcome';
export { MAX_AUDIO_BYTES } from './audio-upload';
export { Embeddings } from './embeddings';
export { ModelAbortedError, ModelFailure, ModelUnavailableError } from './errors';
export { LlmLedger, type SettledAttempt } from './llm-ledger';
export { LlmModule } from './llm.module';
export { type ModelChunk, ModelClient, type ModelRequest, type OfferedTool } from './model-client';
export { RerankModel } from './rerank-model';
export { Transcriptions } from './transcriptions';
