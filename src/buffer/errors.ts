import { ColloquyError } from '../common/errors';

/** The message has no visible character. */
export class BlankMessageError extends ColloquyError {
  readonly code = 'blank_message';
  readonly retryable = false;
}

/** The message is longer than MAX_MESSAGE_UNITS. */
export class MessageTooLongError extends ColloquyError {
  readonly code = 'message_too_long';
  readonly retryable = false;
}

/**
 * The conversation has its maximum of messages or characters. A shorter message may still fit, and
 * a redelivery of a stored message is never refused.
 */
export class ConversationFullError extends ColloquyError {
  readonly code = 'conversation_full';
  readonly retryable = false;
}

/** The conversation has its maximum of bytes of audio and files; text may still fit. */
export class AudioFullError extends ColloquyError {
  readonly code = 'audio_full';
  readonly retryable = false;
}

/** The conversation has its maximum of bytes of audio and files; text may still fit. */
export class FilesFullError extends ColloquyError {
  readonly code = 'files_full';
  readonly retryable = false;
}

/** The text has a NUL or half a surrogate pair, which PostgreSQL cannot store. */
export class InvalidTextError extends ColloquyError {
  readonly code = 'invalid_text';
  readonly retryable = false;
}

/** The message id was used before with another text. The first message is kept. */
export class MessageIdReusedError extends ColloquyError {
  readonly code = 'message_id_reused';
  readonly retryable = false;
}

/** An edit or a transcript of a message that was never received. */
export class MessageUnknownError extends ColloquyError {
  readonly code = 'message_unknown';
  readonly retryable = false;
}
