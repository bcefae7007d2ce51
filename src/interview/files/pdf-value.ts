/** A number, a name with its slash, a string's bytes, a reference, an array, a dictionary. */
export type PdfValue =
  number | boolean | null | string | Buffer | PdfReference | readonly PdfValue[] | PdfDictionary;

/** Reads one value (ISO 32000-2, 7.3) from bytes given as latin1. */
export class PdfReader {
  private at = 0;

  constructor(private readonly text: string) {}

  /** Undefined: no whole value stands here. */
  read(depth = 0): PdfValue | undefined {
    this.take(BLANK);
    if (depth > MAX_DEPTH) return undefined;
    if (this.accepts('<<')) return this.dictionary(depth);
    if (this.accepts('[')) return this.array(depth);
    if (this.accepts('(')) return this.literal();
    const hex = this.take(HEX)?.[1]?.replace(/[^\da-f]/gi, '');
    if (hex !== undefined) return Buffer.from(hex.length % 2 === 0 ? hex : `${hex}0`, 'hex');
    const name = this.take(NAME)?.[0];
    if (name !== undefined) return unescapedName(name);
    const reference = this.take(REFERENCE);
    if (reference !== null)
      return { object: Number(reference[1]), generation: Number(reference[2]) };
    return wordOf(this.take(WORD)?.[0]);
  }

  private dictionary(depth: number): PdfDictionary | undefined {
    const entries = new Map<string, PdfValue>();
    for (;;) {
      this.take(BLANK);
      if (this.accepts('>>')) return entries;
      const key = this.take(NAME)?.[0];
      const value = key === undefined ? undefined : this.read(depth + 1);
      if (key === undefined || value === undefined) return undefined;
      entries.set(unescapedName(key).slice(1), value);
    }
  }

  private array(depth: number): PdfValue[] | undefined {
    const values: PdfValue[] = [];
    for (;;) {
      this.take(BLANK);
      if (this.accepts(']')) return values;
      const value = this.read(depth + 1);
      if (value === undefined) return undefined;
      values.push(value);
    }
  }

  /** Parentheses may nest; a line feed after a backslash is none, any other line end is a line feed. */
  private literal(): Buffer | undefined {
    let text = '';
    for (let open = 1; this.at < this.text.length;) {
      const sign = this.text.charAt(this.at);
      this.at += 1;
      if (sign === '(') open += 1;
      if (sign === ')') open -= 1;
      if (open === 0) return Buffer.from(text, 'latin1');
      if (sign === '\\') text += this.escaped();
      else if (sign === '\r') {
        this.accepts('\n');
        text += '\n';
      } else text += sign;
    }
    return undefined;
  }

  private escaped(): string {
    const octal = this.take(/[0-7]{1,3}/y)?.[0];
    if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8) & 255);
    if (this.accepts('\r\n') || this.accepts('\n') || this.accepts('\r')) return '';
    const sign = this.text.charAt(this.at);
    this.at += 1;
    return ESCAPES[sign] ?? sign;
  }

  private accepts(sign: string): boolean {
    const isHere = this.text.startsWith(sign, this.at);
    if (isHere) this.at += sign.length;
    return isHere;
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found !== null) this.at = pattern.lastIndex;
    return found;
  }
}

const BLANK = /(?:[\0\t\n\f\r ]|%[^\r\n]*)*/y;
const REFERENCE = /(\d{1,10})[\0\t\n\f\r ]+(\d{1,5})[\0\t\n\f\r ]+R(?![\w])/y;
const WORD = /[^\0\t\n\f\r ()<>[\]{}/%]+/y;
const NAME = /\/[^\0\t\n\f\r ()<>[\]{}/%]*/y;
const HEX = /<([\da-fA-F\0\t\n\f\r ]*)>/y;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
const MAX_DEPTH = 20;

export interface PdfReference {
  readonly object: number;
  readonly generation: number;
}

export type PdfDictionary = ReadonlyMap<string, PdfValue>;

function unescapedName(name: string): string {
  return name.replace(/#([\da-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
}

function wordOf(word: string | undefined): PdfValue | undefined {
  if (word === 'true' || word === 'false') return word === 'true';
  if (word === 'null') return null;
  const number = Number(word);
  return word === undefined || Number.isNaN(number) ? undefined : number;
}

export function isDictionary(value: PdfValue | undefined): value is PdfDictionary {
  return value instanceof Map;
}

export function isArray(value: PdfValue | undefined): value is readonly PdfValue[] {
  return Array.isArray(value);
}

export function isReference(value: PdfValue | undefined): value is PdfReference {
  return typeof value === 'object' && value !== null && 'object' in value;
}
