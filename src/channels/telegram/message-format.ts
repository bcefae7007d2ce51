import type { DeliveryPart } from '../../channels';

/** Of a message's text after its markup was read, in UTF-16 units. Source: Bot API, sendMessage. */
const MAX_UNITS = 4096;
/** A break is not used if it makes a part shorter than this. */
const SHORTEST_SHARE = 0.5;
/** A little more text than fits, to see where the last character ends. */
const LOOKAHEAD_UNITS = 64;

const BREAKS = [/\n\s*\n/g, /\n/g, /(?<=[.!?…])\s/g, /\s/g];
const SEGMENTER = new Intl.Segmenter();

/**
 * A reply as Telegram takes it: parts of at most 4096 UTF-16 units, broken at a paragraph, else a
 * line, a sentence, a word, and never inside a character. As HTML, with `**bold**` and `` `code` ``
 * as such, and as plain text.
 */
export function formattedParts(text: string): DeliveryPart[] {
  return split(text.trim()).map(wholePart);
}

/** A reply that fits into one part, as that part. */
export function wholePart(text: string): DeliveryPart {
  const part = text.trim();
  return { text: htmlOf(part), plain: plainOf(part) };
}

/** The beginning of a reply that is still being written; '' when there is nothing to show yet. */
export function draftOf(text: string): string {
  const shown = text.trim();
  return plainOf(shown.length <= MAX_UNITS ? shown : shown.slice(0, clusterStart(shown)));
}

function split(text: string): string[] {
  const parts: string[] = [];
  let rest = text;
  while (rest.length > MAX_UNITS) {
    const at = breakOf(rest);
    parts.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return [...parts, rest].filter((part) => part !== '');
}

function breakOf(text: string): number {
  const head = text.slice(0, MAX_UNITS + 1);
  for (const pattern of BREAKS) {
    const last = [...head.matchAll(pattern)].at(-1);
    if (last !== undefined && last.index >= MAX_UNITS * SHORTEST_SHARE) return last.index;
  }
  return clusterStart(text);
}

/**
 * The last boundary between characters, as people see them, within the first 4096 units. Counted
 * from the beginning, because in the middle of a row of flags no boundary can be found.
 */
function clusterStart(text: string): number {
  const head = text.slice(0, MAX_UNITS + LOOKAHEAD_UNITS);
  let at = 0;
  for (const { index } of SEGMENTER.segment(head)) {
    if (index > MAX_UNITS) break;
    at = index;
  }
  if (at > 0) return at;
  // A single character longer than a message: at least no code point is split.
  return isLowSurrogate(text, MAX_UNITS) ? MAX_UNITS - 1 : MAX_UNITS;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** One pass makes both forms, so that they contain the same text and every tag is closed. */
function rendered(text: string, tag: (name: 'b' | 'code', content: string) => string): string {
  let shown = '';
  let at = 0;
  for (const { name, start, end } of marksIn(text)) {
    const width = WIDTH[name];
    shown += text.slice(at, start) + tag(name, text.slice(start + width, end - width));
    at = end;
  }
  return shown + text.slice(at);
}

interface Mark {
  readonly name: 'b' | 'code';
  /** The range with its signs; `end` is after the last one. */
  readonly start: number;
  readonly end: number;
}

const WIDTH = { b: 2, code: 1 } as const;
const BLANK = /^\s$/;

/**
 * `` `code` `` or `**bold**`, each in one line; marks inside code are ignored. It runs in linear time: from
 * an opening sign it reads to the next sign of its kind or the end of the line, so no character is visited
 * more than a few times.
 */
export function* marksIn(text: Pick<string, 'length' | 'charAt'>): Generator<Mark> {
  for (let at = 0; at < text.length;) {
    const mark = markAt(text, at);
    if (mark !== null) yield mark;
    at = mark?.end ?? at + 1;
  }
}

function markAt(text: Pick<string, 'length' | 'charAt'>, start: number): Mark | null {
  const sign = text.charAt(start);
  const isBold = sign === '*' && text.charAt(start + 1) === '*';
  if (sign !== '`' && !isBold) return null;
  const name = isBold ? 'b' : 'code';
  const from = start + WIDTH[name];
  let to = from;
  let hasInk = false;
  for (; to < text.length; to += 1) {
    const next = text.charAt(to);
    if (next === sign || next === '\n') break;
    hasInk ||= !BLANK.test(next);
  }
  const isClosed = text.charAt(to) === sign && (!isBold || text.charAt(to + 1) === sign);
  if (!isClosed || !hasInk) return null;
  const isTight = !BLANK.test(text.charAt(from)) && !BLANK.test(text.charAt(to - 1));
  return isBold && !isTight ? null : { name, start, end: to + WIDTH[name] };
}

function htmlOf(text: string): string {
  const escaped = text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  return rendered(escaped, (name, content) => `<${name}>${content}</${name}>`);
}

function plainOf(text: string): string {
  return rendered(text, (_name, content) => content);
}
