/**
 * Finds a passage whose typography a model has changed in the text that it was copied from. Equal are:
 *
 *   dashes of any length, with spaces around them or without
 *   quotation marks and apostrophes of any form
 *   no-break or repeated spaces, line breaks among them, and a space before a percent sign or punctuation
 *   an ellipsis and dots; letters in compatibility forms (ﬁ, ｆ); ё and е; characters that show nothing
 *   the case of the first and of the last word, and punctuation at both ends
 *
 * Nothing else is: another word, another alphabet, a digit in another form (² is no 2), or case in the
 * middle is another text. The stored text is what is found, shown and checked.
 */

/** A place in a text: UTF-16 units, end exclusive. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

interface PlainText {
  readonly text: string;
  /** By unit of `text`: where the character that it stands for begins and ends in the original. */
  readonly from: readonly number[];
  readonly to: readonly number[];
}

const INVISIBLE = /\p{Default_Ignorable_Code_Point}/u;
const NUMBER_FORM = /\p{No}/u;
const DASH = /[\p{Pd}\u2212\u2043]/u;
const QUOTE = /["'`´\u2018-\u201F\u2032-\u2037\u00AB\u00BB\u2039\u203A\u02B9-\u02BC\u301D-\u301F]/u;

/** The characters that a character is compared as; a space, a dash, a quotation mark and a dot have one form. */
function plainOf(character: string): string {
  if (INVISIBLE.test(character)) return '';
  if (/\s/u.test(character)) return ' ';
  if (DASH.test(character)) return '-';
  if (QUOTE.test(character)) return "'";
  if (character === 'ё') return 'е';
  if (character === 'Ё') return 'Е';
  if (NUMBER_FORM.test(character)) return character;
  const compatible = character.normalize('NFKC');
  return compatible === character ? character : Array.from(compatible, plainOf).join('');
}

/** Of these only one stands where several do; a space beside a dash is none. */
const RUNS = new Set([' ', '-', '.', "'"]);
/** A space before these is none. */
const TIGHT = new Set(['-', '%', ',', '.', ':', ';', '!', '?']);

function plain(original: string): PlainText {
  let text = '';
  const from: number[] = [];
  const to: number[] = [];
  let at = 0;
  for (const character of original) {
    const end = at + character.length;
    for (const unit of plainOf(character).split('')) {
      const last = text.at(-1);
      const isRun = (unit === last && RUNS.has(unit)) || (unit === ' ' && last === '-');
      if (isRun) {
        to[to.length - 1] = end;
        continue;
      }
      if (last === ' ' && TIGHT.has(unit)) {
        text = text.slice(0, -1);
        from.pop();
        to.pop();
      }
      text += unit;
      from.push(at);
      to.push(end);
    }
    at = end;
  }
  return { text, from, to };
}

const ENDS = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{M}%+#]+$/gu;

/** Without punctuation and spaces at both ends. */
function trimmed(text: string): string {
  return text.replace(ENDS, '');
}

/** In one case, of the same length: a letter whose other case is longer stays. */
function lowered(text: string): string {
  return text
    .split('')
    .map((unit) => (unit.toLowerCase().length === 1 ? unit.toLowerCase() : unit))
    .join('');
}

/** All places where the passage stands, but for its typography. */
export function placesOf(passage: string, original: string): Place[] {
  const wanted = trimmed(plain(passage).text);
  if (wanted === '') return [];
  const { text, from, to } = plain(original);
  const inner = innerOf(wanted);
  const low = lowered(text);
  const sought = lowered(wanted);
  const places: Place[] = [];
  for (let at = low.indexOf(sought); at >= 0; at = low.indexOf(sought, at + 1)) {
    const found = text.slice(at, at + wanted.length);
    if (found.slice(inner.start, inner.end) !== wanted.slice(inner.start, inner.end)) continue;
    const [start, end] = [from[at], to[at + wanted.length - 1]];
    if (start !== undefined && end !== undefined) places.push({ start, end });
  }
  return places;
}

/** What lies between the first and the last word. */
function innerOf(text: string): Place {
  const start = text.search(/[ -]/);
  const end = Math.max(text.lastIndexOf(' '), text.lastIndexOf('-'));
  return start < 0 ? { start: 0, end: 0 } : { start, end };
}

/** Whether two texts differ by typography only, and are not empty. */
export function isSameText(one: string, other: string): boolean {
  if (one.trim() === other.trim()) return one.trim() !== '';
  const [first, second] = [one, other].map((text) => lowered(trimmed(plain(text).text)));
  return first !== '' && first === second;
}
