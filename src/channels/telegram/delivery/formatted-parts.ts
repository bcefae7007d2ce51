import type { DeliveryPart } from '../../../delivery';

/** Of a message's text after its markup was read, in UTF-16 units. Source: Bot API, sendMessage. */
export const MAX_UNITS = 4096;
/** A break that leaves less than this of a part is not worth it. */
const SHORTEST_SHARE = 0.5;
/** Longest look back for the beginning of what people see as one character. */
const CLUSTER_UNITS = 64;

const BREAKS = [/\n\s*\n/g, /\n/g, /(?<=[.!?…])\s/g, /\s/g];

/**
 * A reply as Telegram takes it: parts of at most 4096 UTF-16 units, broken at a paragraph, else a
 * line, a sentence, a word, and never inside a character. As HTML, with `**bold**` and `` `code` ``
 * as such, and as the plain text beside it.
 */
export function formattedParts(text: string): DeliveryPart[] {
  return split(text.trim()).map((part) => ({ text: htmlOf(part), plain: plainOf(part) }));
}

export function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
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

/** The last boundary between characters, as people see them, within the first 4096 units. */
function clusterStart(text: string): number {
  const from = MAX_UNITS - CLUSTER_UNITS;
  const isHalf = isLowSurrogate(text, from);
  const near = text.slice(isHalf ? from - 1 : from, MAX_UNITS + CLUSTER_UNITS);
  const offset = isHalf ? from - 1 : from;
  let at = 0;
  for (const { index } of new Intl.Segmenter().segment(near)) {
    if (offset + index <= MAX_UNITS) at = offset + index;
  }
  if (at > offset) return at;
  return isLowSurrogate(text, MAX_UNITS) ? MAX_UNITS - 1 : MAX_UNITS;
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

function htmlOf(text: string): string {
  return escapeHtml(text)
    .replace(/`([^`\n]+)`/g, '<code>$1</code>')
    .replace(/\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*/g, '<b>$1</b>');
}

function plainOf(text: string): string {
  return text.replace(/`([^`\n]+)`/g, '$1').replace(/\*\*(?=\S)([^*\n]+?)(?<=\S)\*\*/g, '$1');
}
