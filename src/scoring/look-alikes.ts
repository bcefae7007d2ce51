/**
 * Texts in a form in which they are equal when a reader sees the same words: without case, marks, invisible
 * characters, punctuation and spaces, with one letter for those that look alike in the Latin, Cyrillic and
 * Greek alphabets. It serves to compare, never to show.
 */

/** Each pair: letters of other alphabets, and the small Latin ones that they look like, in order. */
const LOOK_ALIKES: readonly (readonly [string, string])[] = [
  // Cyrillic; the capitals of these look like the same Latin letters, or are no other letter's look-alike.
  ['авекмнорстухіјѕһԁԛԝгпиєґ', 'abekmhopctyxljshdqwrnuer'],
  // Greek capitals, which look like other letters than the small ones, and those.
  ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ', 'abezhlkmnoptyx'],
  ['αβγεηικμνορτυχω', 'abyenlkuvoptuxw'],
  // Latin letters and digits that other ones are written for.
  ['i1ı0øłđɑɡ', 'lllooldag'],
];

const LATIN = new Map(
  LOOK_ALIKES.flatMap(([letters, latin]) =>
    Array.from(letters, (letter, index) => [letter, latin[index] ?? letter] as const),
  ),
);

const MARKS_AND_INVISIBLE = /[\p{M}\p{Default_Ignorable_Code_Point}]/gu;
const GREEK_CAPITAL = /[Α-Ω]/gu;
const WORD = /[\p{L}\p{N}]+/gu;

/** With one letter for all that look alike; words and punctuation stay. */
export function withoutLookAlikes(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(MARKS_AND_INVISIBLE, '')
    .replace(GREEK_CAPITAL, (letter) => LATIN.get(letter) ?? letter)
    .toLowerCase();
  return Array.from(plain, (letter) => LATIN.get(letter) ?? letter).join('');
}

const SHARED = { latin: 'abekmhopctyxi', cyrillic: 'авекмнорстухі' } as const;

/** The text with the letters that both alphabets share written in this one. */
export function inAlphabet(alphabet: keyof typeof SHARED, text: string): string {
  const other = alphabet === 'latin' ? SHARED.cyrillic : SHARED.latin;
  return Array.from(text, (letter) => SHARED[alphabet][other.indexOf(letter)] ?? letter).join('');
}

/** A text as the letters of its words, with the places where words begin and end. */
export interface FoldedText {
  readonly compact: string;
  /** Where words begin, in order. */
  readonly starts: readonly number[];
  readonly ends: ReadonlySet<number>;
  /** By where a word begins: which part it belongs to of those between spaces. */
  readonly partAt: ReadonlyMap<number, number>;
}

export function folded(text: string): FoldedText {
  let compact = '';
  const starts: number[] = [];
  const ends = new Set<number>();
  const partAt = new Map<number, number>();
  for (const [part, between] of withoutLookAlikes(text).split(/\s+/u).entries()) {
    for (const [word] of between.matchAll(WORD)) {
      starts.push(compact.length);
      partAt.set(compact.length, part);
      compact += word;
      ends.add(compact.length);
    }
  }
  return { compact, starts, ends, partAt };
}

/** How many words begin between two places. */
export function wordsBetween({ starts }: FoldedText, from: number, to: number): number {
  return starts.filter((start) => start >= from && start < to).length;
}
