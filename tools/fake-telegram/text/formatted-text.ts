import type { MessageEntity, ParseMode } from '@grammyjs/types';
import { ApiError } from '../api-error';
import { type FormattedText, parseHtml } from './html';

export const TEXT_LIMIT = 4096;
export const CAPTION_LIMIT = 1024;

/** A text as a bot sends it. */
export interface TextSource {
  readonly text: string;
  readonly parse_mode?: ParseMode | undefined;
  readonly entities?: readonly MessageEntity[] | undefined;
}

/**
 * The visible form of a bot's text: entities parsed, white space at both ends removed. Only HTML is
 * supported; another parse mode is refused.
 */
export function readText({ text, parse_mode, entities = [] }: TextSource): FormattedText {
  const clean = text.replaceAll('\r', '');
  if (parse_mode === undefined)
    return trimmed({ text: clean, entities: withCommands(clean, entities) });
  if (parse_mode !== 'HTML') {
    throw ApiError.badRequest(`this test server supports only HTML, not ${parse_mode}`);
  }
  const parsed = parseHtml(clean);
  return trimmed({ text: parsed.text, entities: withCommands(parsed.text, parsed.entities) });
}

/** A message's text. Limit in UTF-16 units after the entities are read. */
export function messageText(source: TextSource): FormattedText {
  const read = readText(source);
  if (read.text === '') throw ApiError.badRequest('message text is empty');
  if (read.text.length > TEXT_LIMIT) throw ApiError.badRequest('message is too long');
  return read;
}

/** A caption; may be empty. */
export function captionText(source: TextSource): FormattedText {
  const read = readText(source);
  if (read.text.length > CAPTION_LIMIT) throw ApiError.badRequest('message caption is too long');
  return read;
}

/** Adds the entities of the commands (`/start`) in a text that somebody typed. */
export function withCommands(
  text: string,
  entities: readonly MessageEntity[] = [],
): readonly MessageEntity[] {
  const found = [...text.matchAll(/(?<=^|\s)\/[a-z0-9_]{1,64}(?:@\w+)?(?=\s|$)/gi)].map(
    (match): MessageEntity => ({
      type: 'bot_command',
      offset: match.index,
      length: match[0].length,
    }),
  );
  const isFree = ({ offset, length }: MessageEntity): boolean =>
    entities.every(
      (other) => offset >= other.offset + other.length || other.offset >= offset + length,
    );
  return [...entities, ...found.filter(isFree)].sort((a, b) => a.offset - b.offset);
}

function trimmed({ text, entities }: FormattedText): FormattedText {
  const kept = text.trim();
  const shift = text.length - text.trimStart().length;
  const moved = entities.flatMap((entity): MessageEntity[] => {
    const offset = Math.max(0, entity.offset - shift);
    const end = Math.min(kept.length, entity.offset + entity.length - shift);
    return end > offset ? [{ ...entity, offset, length: end - offset }] : [];
  });
  return { text: kept, entities: moved };
}
