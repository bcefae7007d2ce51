const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};
const HEX_DIGITS = 4;
const SPECIAL = /["\\]/g;

/**
 * Decodes one JSON string unit by unit, from after its opening quote. Lenient, because half of it
 * is shown already when an error comes: raw line breaks are taken, an unknown escape is its own
 * letter, an unfinished \u is left out.
 */
export class JsonString {
  /** What stands after a backslash that is not complete yet; null outside an escape. */
  private escape: string | null = null;

  /** How many units from there on stand for themselves: most of a text, which is taken in one piece. */
  plainLength(text: string, from: number): number {
    if (this.escape !== null) return 0;
    SPECIAL.lastIndex = from;
    return (SPECIAL.exec(text)?.index ?? text.length) - from;
  }

  /** The decoded text that this unit completes (may be empty), or `end` at the closing quote. */
  push(unit: string): { readonly text: string } | 'end' {
    if (this.escape === null) {
      if (unit === '"') return 'end';
      if (unit !== '\\') return { text: unit };
      this.escape = '';
      return NOTHING;
    }
    return { text: this.pushEscape(this.escape, unit) };
  }

  private pushEscape(before: string, unit: string): string {
    if (before === '' && unit !== 'u') {
      this.escape = null;
      return ESCAPES[unit] ?? unit;
    }
    if (before !== '' && !/[0-9a-f]/i.test(unit)) {
      this.escape = null;
      return '';
    }
    const escape = before + unit;
    this.escape = escape.length > HEX_DIGITS ? null : escape;
    return this.escape === null ? String.fromCharCode(parseInt(escape.slice(1), 16)) : '';
  }
}

const NOTHING = { text: '' } as const;
