export {
  AttentionNotReplayableError,
  EventBus,
  EventHandlerError,
  EventsModule,
  OnEvent,
} from './event-bus';
export {
  ATTENTION_KINDS,
  type AttentionKind,
  type InterviewCoverage,
  type InterviewReceipt,
  type InterviewSummary,
  type NoticeTiming,
  type PayloadOf,
  type ResultOf,
} from './event-types';
