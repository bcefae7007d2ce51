export { BufferModule } from './buffer.module';
export type { BufferedMessage, PendingWork } from './buffer.repository';
export { BufferService } from './buffer.service';
export {
  CROSSED_LIMIT,
  type ConversationLimits,
  conversationLimitsOf,
  countedBytes,
} from './conversation-limits';
export {
  AudioFullError,
  ConversationClosedError,
  ConversationFullError,
  ConversationUnknownError,
  FilesFullError,
  type FullOf,
  MessageIdReusedError,
  MessageUnknownError,
  type NotOpen,
  NotOpenError,
  fullOf,
  notOpen,
} from './errors';
export { type DeadFlush, type Flush, FlushAdmission, FlushHandler } from './flush';
export {
  type AppendedMessage,
  type ContentType,
  MAX_MESSAGE_UNITS,
  type NewMessage,
  charsOf,
  isBlank,
} from './message';

declare module '../common/uow' {
  interface LabelAreas {
    buffer: 'buffer';
  }
}
