export { BufferModule } from './buffer.module';
export { type BufferedMessage, BufferService, type PendingAnswers } from './buffer.service';
export {
  AudioFullError,
  ConversationFullError,
  FilesFullError,
  MessageIdReusedError,
  MessageUnknownError,
} from './errors';
export { FlushAdmission } from './flush';
export { type DeadFlush, type Flush, FlushHandler } from './flush-handler';
export { MAX_MESSAGE_UNITS, isBlank } from './message-intake';
export type { AppendedMessage, ContentType, NewMessage } from './message-intake';
export type { NotOpen } from './buffer.repository';
