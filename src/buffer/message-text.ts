import { isStorable } from '../common/text';
import { BlankMessageError, InvalidTextError, MessageTooLongError } from './errors';

/** Longest message, in UTF-16 units. */
export const MAX_MESSAGE_UNITS = 16_000;

/** Anything but white space, control, zero-width and other invisible characters. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** What a message weighs in its buffer. */
export function weightOf(text: string): number {
  return text.length;
}

/** Throws InvalidTextError, MessageTooLongError or BlankMessageError. */
export function assertMessageText(text: string): void {
  assertStorable(text, 'text');
  if (text.length > MAX_MESSAGE_UNITS) {
    throw new MessageTooLongError(`a message has at most ${MAX_MESSAGE_UNITS} characters`, {
      fields: { length: text.length, max: MAX_MESSAGE_UNITS },
    });
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

/** Nothing in it that anybody could see. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}
