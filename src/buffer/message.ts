import type { ChannelName } from '../channels';
import { isStorable } from '../common/text';
import { BlankMessageError, InvalidTextError, MessageTooLongError } from './errors';

/*
 * A candidate's message as channels hand it over, and what its text has to be. Pure: what becomes of a
 * message is the work of BufferService.
 */

/** A text; a voice, whose text is its transcript; a file, whose text is its name. */
export type ContentType = 'TEXT' | 'VOICE' | 'FILE';

export interface NewMessage {
  readonly conversationId: string;
  readonly channel: ChannelName;
  /** The channel's own id of the message; unique together with conversation and channel. */
  readonly externalId: string;
  readonly text: string;
  readonly contentType?: ContentType;
  /** A voice whose transcript comes later by `settlePending`; until then its text is empty. */
  readonly isPending?: boolean;
  /** Size of a voice or a file, if it is known. */
  readonly mediaBytes?: number;
}

export interface AppendedMessage {
  readonly messageId: string;
  readonly seq: number;
  readonly answerId: string;
  /** When the buffer is due; for a redelivery after the claim, a time in the past. */
  readonly dueAt: Date;
  /** The same from now on; below 0 when it is overdue. */
  readonly dueInMs: number;
  /** False for a redelivery, which changed nothing. */
  readonly isNew: boolean;
  /** It made its answer long: the job that tells the candidate is stored. */
  readonly isLong: boolean;
}

export interface EditedMessage {
  readonly conversationId: string;
  readonly channel: ChannelName;
  readonly externalId: string;
  readonly text: string;
}

/** Longest message, in UTF-16 units. */
export const MAX_MESSAGE_UNITS = 16_000;

/** Anything but white space, control, zero-width and other invisible characters. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** How much a message counts towards the maximum of characters of its buffer. */
export function charsOf(text: string): number {
  return text.length;
}

/** Throws InvalidTextError, MessageTooLongError or BlankMessageError. */
export function assertMessageText(text: string): void {
  assertStorable(text, 'text');
  if (text.length > MAX_MESSAGE_UNITS) {
    throw new MessageTooLongError(
      `the message is too long: send at most ${MAX_MESSAGE_UNITS} characters`,
      { fields: { length: text.length, max: MAX_MESSAGE_UNITS } },
    );
  }
  if (isBlank(text)) throw new BlankMessageError('the message is blank');
}

/** Throws InvalidTextError. */
export function assertStorable(value: string, name: 'text' | 'id' | 'question'): void {
  if (isStorable(value)) return;
  throw new InvalidTextError(`the ${name} of the message has characters that cannot be stored`, {
    fields: { name },
  });
}

/** Whether the text has no visible character. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}
