export {
  AttentionNotReplayableError,
  DomainEvents,
  EventHandlerError,
  DomainEventsModule,
  DomainEventHandler,
} from './domain-events';
export {
  ATTENTION_KINDS,
  type AttentionKind,
  type InterviewCoverage,
  type InterviewReceipt,
  type InterviewSummary,
  type DecisionFilter,
  type ExportedFile,
  type ListedDecision,
  type NoticeTiming,
  type PayloadOf,
  type ResultOf,
  type ShownScoring,
} from './event-types';
