/**
 * Reads one JSON object as it arrives and returns its top-level string values piece by piece.
 *
 *   start ─{─> key? ─"─> key ─"─> colon ─:─> value? ─"─> string ─"──> after ─,─> key?
 *                │                              └─ other ─> skipped ──┘  └─}─> done
 *                └─}─> done
 *
 * Nested objects, arrays, numbers and words are skipped; what comes after `done` is ignored.
 */
export class JsonObjectReader {
  private at:
    'start' | 'key?' | 'key' | 'colon' | 'value?' | 'string' | 'skipped' | 'after' | 'done' =
    'start';
  private key = '';
  private string = new JsonString();
  private depth = 0;
  private isInNestedString = false;
  private isEscaped = false;

  get isDone(): boolean {
    return this.at === 'done';
  }

  /** Throws NotAnObjectError where the text stops being JSON. */
  push(chunk: string): FieldPiece[] {
    const pieces: FieldPiece[] = [];
    let text = '';
    for (let at = 0; at < chunk.length;) {
      if (this.at === 'done') break;
      const plain = this.at === 'string' ? this.string.plainLength(chunk, at) : 0;
      if (plain > 0) {
        text += chunk.slice(at, at + plain);
        at += plain;
        continue;
      }
      const unit = chunk.charAt(at);
      at += 1;
      if (this.at !== 'string') {
        this.step(unit);
        continue;
      }
      const read = this.string.push(unit);
      if (read !== 'end') {
        text += read.text;
        continue;
      }
      pieces.push({ field: this.key, text, isWhole: true });
      text = '';
      this.at = 'after';
    }
    if (text !== '') pieces.push({ field: this.key, text, isWhole: false });
    return pieces;
  }

  private step(unit: string): void {
    if (this.at === 'key') {
      this.stepKey(unit);
      return;
    }
    if (this.at === 'skipped') {
      this.stepSkipped(unit);
      return;
    }
    if (/\s/.test(unit)) return;
    this.stepBetween(unit);
  }

  private stepBetween(unit: string): void {
    const found = `${this.at} ${unit}`;
    if (found === 'start {' || found === 'after ,') this.at = 'key?';
    else if (found === 'key? }' || found === 'after }') this.at = 'done';
    else if (found === 'colon :') this.at = 'value?';
    else if (found === 'key? "') this.beginKey();
    else if (found === 'value? "') this.beginString();
    else if (this.at === 'value?') this.beginSkipped(unit);
    else throw new NotAnObjectError(`expected something else after "${this.at}"`);
  }

  private beginKey(): void {
    this.at = 'key';
    this.key = '';
    this.string = new JsonString();
  }

  private beginString(): void {
    this.at = 'string';
    this.string = new JsonString();
  }

  private beginSkipped(unit: string): void {
    this.at = 'skipped';
    this.depth = 0;
    this.isInNestedString = false;
    this.stepSkipped(unit);
  }

  private stepKey(unit: string): void {
    const read = this.string.push(unit);
    if (read === 'end') this.at = 'colon';
    else this.key += read.text;
  }

  private stepSkipped(unit: string): void {
    if (this.isInNestedString) {
      this.stepNestedString(unit);
      return;
    }
    if (this.depth === 0 && (unit === ',' || unit === '}')) {
      this.at = 'after';
      this.stepBetween(unit);
      return;
    }
    if (unit === '"') this.isInNestedString = true;
    if (unit === '{' || unit === '[') this.depth += 1;
    if (unit === '}' || unit === ']') this.depth -= 1;
  }

  private stepNestedString(unit: string): void {
    if (this.isEscaped) this.isEscaped = false;
    else if (unit === '\\') this.isEscaped = true;
    else if (unit === '"') this.isInNestedString = false;
  }
}

/** A piece of a string value at the top level of the object. */
export interface FieldPiece {
  readonly field: string;
  readonly text: string;
  /** The value is complete with this piece. */
  readonly isWhole: boolean;
}

/** The text is not a JSON object. The message quotes nothing of it. */
export class NotAnObjectError extends Error {
  override readonly name = 'NotAnObjectError';
}

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
 * Decodes one JSON string unit by unit, from after its opening quote. It is lenient, because half of the
 * text is shown already when an error comes: raw line breaks are accepted, an unknown escape is its own
 * letter, and an unfinished \u is left out.
 */
class JsonString {
  /** The units after a backslash while the escape is incomplete; null outside an escape. */
  private escape: string | null = null;

  /** How many units from there on need no decoding, so that they are copied at once. */
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
