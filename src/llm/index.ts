export { ledgerNote, outcomeOf } from './errors';
export { Embeddings } from './embeddings';
export { ModelAbortedError, ModelFailure, ModelUnavailableError } from './errors';
export {
  LlmLedgerRepository,
  type RecentOutcome,
  type SettledAttempt,
} from './llm-ledger.repository';
export { LlmMetrics } from './llm.metrics';
export { InterviewModels, type TakenServer } from './interview-models';
export { clientOf, LlmModule } from './llm.module';
export { examineServer, type ReplyServer, replyServers } from './model-check';
export {
  type Choice,
  Completions,
  type ModelChunk,
  ModelClient,
  type ModelRequest,
  type OfferedTool,
  toldIn,
  type UnsupportedFeature,
} from './model-client';
export { endsReasoning, objectIn, ObjectStart, outputProper, Speech } from './model-output';
export { modelSpan, type ResponseFacts } from './model-span';
export { Transcriptions } from './transcriptions';
export { type WrittenCall, writtenCalls } from './written-calls';

declare module '../common/uow' {
  interface LabelAreas {
    llm: 'llm';
  }
}
