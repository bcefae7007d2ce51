import { storable } from '../../common/text';
import { ModelFailure } from '../../llm';
import { type Verdict, isVerdict } from '../plan/verdicts';

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
export class JsonString {
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
    if (this.at === 'done' || /\s/.test(unit)) return;
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

/**
 * How an output begins, which decides how it is read: `json` from the brace on, `plain` text, or
 * `undecided` while it may still be either. White space, a code fence and a model's thinking in
 * `<think>` tags may come before a JSON object; thinking is not shown before plain text either.
 */
export type Opening =
  | { readonly kind: 'undecided' }
  | { readonly kind: 'json'; readonly rest: string }
  | { readonly kind: 'plain'; readonly rest: string };

const BLANK = /^[\s\uFEFF]+/;
const THINK = '<think>';
const THOUGHT = /^<think>[\s\S]*?<\/think>/;
const FENCE = /^```[a-z]*\s*/i;
/** A brace, then a key or the end: `{smile} hello` is plain text. */
const OBJECT = /^\{\s*["}]/;
const MAY_BECOME_OBJECT = /^(\{\s*|`{1,2}|```[a-z]*\s*(\{\s*)?)?$/i;

/** `isEnd`: nothing follows, so the result is not `undecided`. */
export function readOpening(output: string, isEnd: boolean): Opening {
  const start = output.replace(BLANK, '');
  const thought = THOUGHT.exec(start)?.[0];
  if (thought !== undefined) return readOpening(start.slice(thought.length), isEnd);
  if (start.startsWith(THINK)) return isEnd ? { kind: 'plain', rest: '' } : { kind: 'undecided' };
  const unfenced = start.replace(FENCE, '');
  if (OBJECT.test(unfenced)) return { kind: 'json', rest: unfenced };
  const isOpen = MAY_BECOME_OBJECT.test(start) || THINK.startsWith(start);
  return isOpen && !isEnd ? { kind: 'undecided' } : { kind: 'plain', rest: start };
}

const LAST_HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

/**
 * Turns text in arbitrary pieces into pieces of whole code points, without NUL and lone surrogates, which
 * PostgreSQL and browsers cannot hold. It holds back at most one code unit.
 */
export class WholeTextReader {
  private held = '';

  push(piece: string): string {
    const text = this.held + piece;
    this.held = LAST_HIGH_SURROGATE.exec(text)?.[0] ?? '';
    return storable(text.slice(0, text.length - this.held.length), '');
  }
}

/** Read in this order: exactly one verdict, then the text in pieces. */
export type ReplyEvent =
  | { readonly type: 'verdict'; readonly verdict: Verdict }
  | { readonly type: 'delta'; readonly text: string };

/** What the decision depends on besides the verdict. */
const NOTES = ['sources', 'asks', 'about', 'touches'] as const;

/**
 * Reads a model's output `{"verdict": "…", "sources": "…", "asks": "…", "about": "…", "touches": "…",
 * "text": "…", "labels": "…"}` while it arrives, cut anywhere.
 *
 *   undecided ──begins like an object──> json ──> the verdict when it is complete, then the text
 *       └──────anything else───────────> plain ─> verdict `answered`, then the output as it comes
 *
 * - Text that comes before the verdict is held back until the verdict is known. The verdict is returned
 *   when the fields that the decision depends on are known too, or when the text begins; `question` always
 *   waits for its sources.
 * - A verdict that is unknown, missing or no string is `answered`. Other keys are skipped, also
 *   `verdict` and `text` inside other objects; of a repeated key the first counts.
 * - Deltas end on whole code points and hold no NUL and no lone surrogate.
 * - At the end an object that lacks only its closing brace is taken. Any other broken or truncated
 *   object, or one with neither key, is ModelFailure `malformed`; no words at all are `empty`.
 *   Pieces returned before stay valid; the caller drops them with the attempt.
 */
export class ReplyReader {
  private undecided = '';
  private mode: 'undecided' | 'json' | 'plain' = 'undecided';
  private readonly object = new JsonObjectReader();
  private readonly whole = new WholeTextReader();
  /** The verdict that was returned. */
  private verdict: Verdict | null = null;
  private rawVerdict = '';
  private hasVerdict = false;
  private hasTextBegun = false;
  private isTextWhole = false;
  /** The other fields, as far as they are known; of a repeated one the first counts. */
  private readonly fields = new Map<string, string>();
  private readonly ended = new Set<string>();
  private held = '';

  /** A field as the model wrote it; empty when it wrote none. */
  field(name: (typeof NOTES)[number] | 'labels'): string {
    return this.fields.get(name) ?? '';
  }

  push(chunk: string): ReplyEvent[] {
    return this.mode === 'undecided' ? this.decide(chunk, false) : this.read(chunk);
  }

  /** Nothing follows any more. */
  end(): ReplyEvent[] {
    const events = this.mode === 'undecided' ? this.decide('', true) : [];
    if (this.mode !== 'json' || this.object.isDone) return events;
    if (!this.hasVerdict || !this.isTextWhole) throw new ModelFailure('malformed');
    return [...events, ...this.emitVerdict()];
  }

  private decide(chunk: string, isEnd: boolean): ReplyEvent[] {
    this.undecided += chunk;
    const opening = readOpening(this.undecided, isEnd);
    if (opening.kind === 'undecided') return [];
    if (isEnd && opening.rest === '') throw new ModelFailure('empty');
    this.undecided = '';
    this.mode = opening.kind;
    const first = opening.kind === 'plain' ? this.emit('answered') : [];
    return [...first, ...this.read(opening.rest)];
  }

  private read(chunk: string): ReplyEvent[] {
    if (this.mode === 'plain') return deltas(this.whole.push(chunk));
    const events = this.readPieces(chunk).flatMap((piece) => this.take(piece));
    if (!this.object.isDone || this.verdict !== null) return events;
    if (!this.hasVerdict && !this.hasText()) throw new ModelFailure('malformed');
    return [...events, ...this.emitVerdict()];
  }

  private readPieces(chunk: string): FieldPiece[] {
    try {
      return this.object.push(chunk);
    } catch (error) {
      if (error instanceof NotAnObjectError) throw new ModelFailure('malformed');
      throw error;
    }
  }

  private take({ field, text, isWhole }: FieldPiece): ReplyEvent[] {
    if (field === 'verdict' && !this.hasVerdict) {
      this.rawVerdict += text;
      this.hasVerdict = isWhole;
      return this.emitWhenReady();
    }
    if (field === 'labels' || NOTES.some((name) => name === field)) {
      if (!this.ended.has(field)) this.fields.set(field, (this.fields.get(field) ?? '') + text);
      if (isWhole) this.ended.add(field);
      return this.emitWhenReady();
    }
    if (field !== 'text' || this.isTextWhole) return [];
    this.hasTextBegun = true;
    const first = this.emitWhenReady();
    this.isTextWhole = isWhole;
    const readable = this.whole.push(text);
    if (this.verdict !== null) return [...first, ...deltas(readable)];
    this.held += readable;
    return [];
  }

  private emitWhenReady(): ReplyEvent[] {
    if (!this.hasVerdict || this.verdict !== null) return [];
    const isQuestion = verdictOf(this.rawVerdict) === 'question';
    if (isQuestion && !this.ended.has('sources')) return [];
    const isReady = this.hasTextBegun || NOTES.every((name) => this.ended.has(name));
    return isReady ? this.emitVerdict() : [];
  }

  /** A verdict that never came counts as `answered`. */
  private emitVerdict(): ReplyEvent[] {
    if (this.verdict !== null) return [];
    return this.emit(this.hasVerdict ? verdictOf(this.rawVerdict) : 'answered');
  }

  private emit(verdict: Verdict): ReplyEvent[] {
    this.verdict = verdict;
    const held = this.held;
    this.held = '';
    return [{ type: 'verdict', verdict }, ...deltas(held)];
  }

  private hasText(): boolean {
    return this.isTextWhole || this.held !== '';
  }
}

function deltas(text: string): ReplyEvent[] {
  return text === '' ? [] : [{ type: 'delta', text }];
}

/** `Off-topic` is meant as `off_topic`. */
function verdictOf(raw: string): Verdict {
  const name = raw
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  return isVerdict(name) ? name : 'answered';
}
