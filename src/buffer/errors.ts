import { ColloquyError } from '../common/errors';

/** Nothing visible in it: there is no answer to keep. */
export class BlankMessageError extends ColloquyError {
  readonly code = 'blank_message';
  readonly retryable = false;
}

/** More than one message may hold. */
export class MessageTooLongError extends ColloquyError {
  readonly code = 'message_too_long';
  readonly retryable = false;
}

/**
 * The conversation holds as many messages or characters as it takes. What it holds stays; a
 * shorter message may still fit, and a redelivery of a stored one is never refused.
 */
export class ConversationFullError extends ColloquyError {
  readonly code = 'conversation_full';
  readonly retryable = false;
}

/** The conversation holds as much audio as it takes; text may still fit. */
export class AudioFullError extends ColloquyError {
  readonly code = 'audio_full';
  readonly retryable = false;
}

/** The conversation holds as many bytes of audio and files as it takes; text may still fit. */
export class FilesFullError extends ColloquyError {
  readonly code = 'files_full';
  readonly retryable = false;
}

/** NUL or half a surrogate pair: PostgreSQL cannot store it. */
export class InvalidTextError extends ColloquyError {
  readonly code = 'invalid_text';
  readonly retryable = false;
}

/** The same message id arrived before with another text. The first one is kept. */
export class MessageIdReusedError extends ColloquyError {
  readonly code = 'message_id_reused';
  readonly retryable = false;
}

/** An edit or a transcript of a message that was never received. */
export class MessageUnknownError extends ColloquyError {
  readonly code = 'message_unknown';
  readonly retryable = false;
}
