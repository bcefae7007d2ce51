import { z } from 'zod';
import type { Message } from 'telegraf/types';
import { COMMANDS } from '../texts/texts';
import { withAddresses } from './message-context';

/** As it was typed; null unless it is a text message. */
export function textOf(message: Message): string | null {
  return 'text' in message ? message.text : null;
}

export const CHANNEL = 'telegram';

/** A message of Telegram by its permanent name in the transcript. */
export interface MessageName {
  readonly conversationId: string;
  readonly channel: typeof CHANNEL;
  readonly externalId: string;
}

/** The name of the caption of a voice message or a file. */
export function captionName(named: MessageName): MessageName {
  return { ...named, externalId: `${named.externalId}:caption` };
}

/** Longest text message, in UTF-16 units. A client sends a longer text as several messages. */
const TEXT_LIMIT = 4096;
/** How far back from the limit a client looks for a space or a newline to split at. */
const LOOKED_BACK = 300;
/** The parts are sent within milliseconds; Telegram dates messages in whole seconds. */
const LATEST_S = 1;

const LONG_TEXT = z.object({
  messageId: z.int(),
  /** Telegram's, in seconds. */
  date: z.number(),
  length: z.int(),
  endsInWord: z.boolean(),
});

/** The chat's last long text, which the client may have split: only numbers, no text. */
export type LongText = z.infer<typeof LONG_TEXT>;

interface SentText {
  readonly messageId: number;
  readonly date: number;
  readonly text: string;
}

export function readLongText(stored: unknown): LongText | null {
  return LONG_TEXT.safeParse(stored).data ?? null;
}

/**
 * Null: too short to have a further part. `joiner` is the whitespace before this part, which Telegram
 * trimmed; it counts toward the length.
 */
export function longTextOf(
  { messageId, date, text }: SentText,
  joiner: string | null = null,
): LongText | null {
  const length = text.length + (joiner ?? '').length;
  if (length < TEXT_LIMIT - LOOKED_BACK) return null;
  return { messageId, date, length, endsInWord: /[\p{L}\p{N}]$/u.test(text) };
}

/**
 * What stood between two messages before the client split them; null: they were written as two.
 * Telegram trims both, so the space or the newline itself is lost:
 *
 *   at the limit   the client found nothing to split at, and nothing was lost inside a word
 *   before it      at the last space, if the next word would not have fitted
 *   even earlier   where it prefers to split: at the end of a line
 */
export function joinerOf(
  before: LongText | null,
  { messageId, date, text }: SentText,
): string | null {
  if (before === null || messageId !== before.messageId + 1) return null;
  if (date < before.date || date - before.date > LATEST_S) return null;
  const isInWord = before.endsInWord || !/^[\p{L}\p{N}]/u.test(text);
  if (before.length >= TEXT_LIMIT) return isInWord ? '' : ' ';
  const [word = ''] = text.split(/\s/, 1);
  return before.length + 1 + word.length > TEXT_LIMIT ? ' ' : '\n';
}

/** Bot API: what a deep link carries to `/start`. */
const PAYLOAD = /^[\w-]{1,64}$/;
/** Bot API: what a client marks as a command. */
const LONE_COMMAND = /^\/[a-z0-9_]{1,32}(@\w+)?$/i;
const KNOWN = new Set<string>(['start', ...COMMANDS]);

/** A command of the bot at the beginning of a message. */
export interface Command {
  /** The payload that a link adds to `/start`; '' without one. */
  readonly payload: string;
  /** The text after the command; '' without any, or with only another command. */
  readonly behind: string;
}

/** Null: the message does not begin with one. */
export function commandIn(message: Message): Command | null {
  if (!('text' in message)) return null;
  const { text } = message;
  const [mark] = message.entities ?? [];
  if (mark?.type !== 'bot_command' || mark.offset > 0) return null;
  const [name = ''] = text.slice(1, mark.length).split('@');
  if (!KNOWN.has(name)) return null;
  const payload = text.slice(mark.length).trim();
  if (name === 'start' && PAYLOAD.test(payload)) return { payload, behind: '' };
  if (LONE_COMMAND.test(payload)) return { payload: '', behind: '' };
  const behind = withAddresses(text, message.entities).slice(mark.length).trim();
  return { payload: '', behind };
}

/** A text that begins with a path, like `/etc`, is an answer; a single such word is not. */
export function isLoneCommand(message: Message): boolean {
  return 'text' in message && LONE_COMMAND.test(message.text.trim());
}
