export { BufferModule } from './buffer.module';
export type { BufferedMessage, PendingWork } from './buffer.repository';
export { BufferService } from './buffer.service';
export {
  AudioFullError,
  ConversationClosedError,
  ConversationFullError,
  ConversationUnknownError,
  FilesFullError,
  MessageIdReusedError,
  MessageUnknownError,
  type NotOpen,
  NotOpenError,
  notOpen,
} from './errors';
export { type DeadFlush, type Flush, FlushAdmission, FlushHandler } from './flush';
export {
  type AppendedMessage,
  type ContentType,
  MAX_MESSAGE_UNITS,
  type NewMessage,
  isBlank,
} from './message';

declare module '../common/uow' {
  interface LabelAreas {
    buffer: 'buffer';
  }
}
