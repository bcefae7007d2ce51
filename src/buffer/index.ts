export { BufferModule } from './buffer.module';
export type { BufferedMessage, MessageName, NotOpen, PendingWork } from './buffer.repository';
export { BufferService } from './buffer.service';
export {
  AudioFullError,
  ConversationFullError,
  FilesFullError,
  MessageIdReusedError,
  MessageUnknownError,
} from './errors';
export { type DeadFlush, type Flush, FlushAdmission, FlushHandler } from './flush';
export {
  type AppendedMessage,
  type ContentType,
  MAX_MESSAGE_UNITS,
  type NewMessage,
  isBlank,
} from './message-intake';

declare module '../common/uow' {
  interface LabelAreas {
    buffer: 'buffer';
  }
}
