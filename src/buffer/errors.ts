import { ColloquyError } from '../common/errors';

/** Why an interview takes no message of its candidate (`why_not_open` in persistence/sql). */
export type NotOpen = 'closed' | 'consent' | 'profile';

/** The interview takes no message of its candidate. A message that is stored already is never refused. */
export abstract class NotOpenError extends ColloquyError {
  readonly retryable = false;
}

export class ConversationUnknownError extends NotOpenError {
  readonly code = 'conversation_unknown';
}

/** Declined or withdrawn. */
export class ConversationClosedError extends NotOpenError {
  readonly code = 'conversation_closed';
}

export class ConsentRequiredError extends NotOpenError {
  readonly code = 'consent_required';
}

/** Name or contact are not known yet. */
export class ProfileRequiredError extends NotOpenError {
  readonly code = 'profile_required';
}

/** The error that the candidate sees. */
export function notOpen(why: NotOpen): NotOpenError {
  switch (why) {
    case 'closed':
      return new ConversationClosedError('this conversation is closed');
    case 'consent':
      return new ConsentRequiredError('please read and accept the disclosure first');
    case 'profile':
      return new ProfileRequiredError('please say who you are first');
  }
}

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

/** The limits of a conversation that a message may cross. */
const LIMITS = ['messages', 'chars', 'audio'] as const;

export type FullOf = (typeof LIMITS)[number];

export function isLimit(why: string): why is FullOf {
  return LIMITS.some((limit) => limit === why);
}

export function fullOf(limit: FullOf, isFile = false): ColloquyError {
  switch (limit) {
    case 'audio':
      return isFile
        ? new FilesFullError('this interview has reached its limit of files: send text')
        : new AudioFullError('this interview has reached its limit of audio: send text');
    case 'messages':
      return new ConversationFullError('this interview has reached its limit of messages', {
        fields: { limit },
      });
    case 'chars':
      return new ConversationFullError('this interview has reached its limit of characters', {
        fields: { limit },
      });
  }
}
