import { z } from 'zod';

/** Of a text message, in UTF-16 units. A client sends a longer text as several messages. */
const TEXT_LIMIT = 4096;
/** How far back from the limit a client looks for a space or a newline to split at. */
const LOOKED_BACK = 300;
/** The parts leave within milliseconds; Telegram dates messages in whole seconds. */
const LATEST_S = 1;

const LONG_TEXT = z.object({
  messageId: z.int(),
  /** Telegram's, in seconds. */
  date: z.number(),
  length: z.int(),
  endsInWord: z.boolean(),
});

/** The chat's last long text, which the client may have split: numbers, and none of its words. */
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
 * Null: too short to have a further part. `joiner`: what joins it to the part before it; Telegram has
 * trimmed that from its beginning, and it counts.
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
