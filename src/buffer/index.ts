export { BufferModule } from './buffer.module';
export { type BufferedMessage, BufferService } from './buffer.service';
export {
  BlankMessageError,
  InvalidTextError,
  MessageIdReusedError,
  MessageTooLongError,
  MessageUnknownError,
} from './errors';
export { type DeadFlush, type Flush, FlushHandler } from './flush-handler';
export type { EditedMessage } from './message-changes';
export type { AppendedMessage, NewMessage } from './message-intake';
export type { Channel } from './windows';
