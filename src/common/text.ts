/**
 * Characters that PostgreSQL can store neither as text nor in JSON: NUL, and half a surrogate pair. With the flag
 * u, `\p{Surrogate}` matches only halves without their other half.
 */
const UNSTORABLE = /[\0\p{Surrogate}]/u;
const EACH_UNSTORABLE = new RegExp(UNSTORABLE, 'gu');

/** Whether PostgreSQL can store the text unchanged. */
export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/** The text with each character that cannot be stored replaced by `instead`. */
export function storable(text: string, instead: '' | ' '): string {
  return text.replace(EACH_UNSTORABLE, instead);
}

/**
 * A query of PostgreSQL's text search for texts with all of these words, each perhaps only begun; empty when there
 * is no word. The texts are indexed with е in place of ё, because people write either.
 */
export function wordPrefixes(text: string): string {
  const words =
    text
      .replaceAll('ё', 'е')
      .replaceAll('Ё', 'Е')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word) => `${word}:*`).join(' & ');
}

/**
 * A text that grows by short pieces. V8 keeps a sum of texts as a tree, with some 100 bytes for each piece; here
 * many pieces at a time are joined.
 */
export class GrowingText {
  private joined = '';
  private pieces: string[] = [];
  private units = 0;

  append(piece: string): void {
    this.units += piece.length;
    this.pieces.push(piece);
    if (this.pieces.length === MOST_PIECES) this.join();
  }

  /** In UTF-16 units. */
  get length(): number {
    return this.units;
  }

  toString(): string {
    this.join();
    return this.joined;
  }

  private join(): void {
    if (this.pieces.length === 0) return;
    this.joined += this.pieces.join('');
    this.pieces = [];
  }
}

const MOST_PIECES = 32;
