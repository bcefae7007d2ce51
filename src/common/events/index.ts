export { EventBus, EventHandlerError, OnEvent } from './event-bus';
export {
  ATTENTION_KINDS,
  type AttentionKind,
  type EventName,
  type InterviewCoverage,
  type InterviewSummary,
  type PayloadOf,
} from './event-types';
export { EventsModule } from './events.module';
