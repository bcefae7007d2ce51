import { GrowingText, storable } from '../../common/text';
import {
  endsReasoning,
  ModelFailure,
  objectIn,
  ObjectStart,
  type OfferedTool,
  outputProper,
  Speech,
  type WrittenCall,
  writtenCalls,
} from '../../llm';
import { type Verdict, isVerdict } from '../plan/verdicts';
import { type FieldPiece, JsonObjectReader, NotAnObjectError } from './json-object-reader';

/** Read in this order: exactly one verdict, then the text in pieces. */
export type ReplyEvent =
  | { readonly type: 'verdict'; readonly verdict: Verdict }
  | { readonly type: 'delta'; readonly text: string };

/** What the decision depends on besides the verdict. */
const NOTES = ['sources', 'asks', 'about', 'touches'] as const;

/** How an output ends: the rest of its reply, or the calls of tools that the model wrote as text. */
export type OutputEnd =
  | { readonly kind: 'reply'; readonly events: readonly ReplyEvent[] }
  | { readonly kind: 'calls'; readonly calls: readonly WrittenCall[] };

/**
 * Reads a model's output. Only an object with a known verdict is a reply; whatever else a model writes is
 * never shown.
 *
 *   before ──an object begins the output, or follows reasoning──> object ──> verdict, then the text
 *      │                                       not JSON, no verdict │
 *      └───────────────────────────> whole <────────────────────────┘
 *                                      └─ at the end: the last reply in it, else calls, else `malformed`
 *
 * An object behind other text may be a draft or a quotation, so it is read at the end only, and not where
 * `said`, the candidate's own words, contain it. ModelFailure: `malformed`, or `empty` without any words.
 * Pieces returned before stay valid; the caller drops them with the attempt.
 */
export class ReplyReader {
  private readonly start = new ObjectStart();
  private mode: 'before' | 'object' | 'whole' = 'before';
  private object = new ReplyObject();
  private readonly written = new GrowingText();
  /** Where the object that is read as it arrives begins in `output`. */
  private begunAt = 0;

  constructor(private readonly said = '') {}

  /** A field as the model wrote it; empty when it wrote none. */
  field(name: (typeof NOTES)[number] | 'labels'): string {
    return this.object.field(name);
  }

  /** Every word of the text was returned. */
  get isTextWhole(): boolean {
    return this.object.isTextWhole;
  }

  push(chunk: string): ReplyEvent[] {
    this.written.append(chunk);
    if (this.mode === 'object') return this.read(chunk);
    const begun = this.mode === 'before' ? this.start.push(chunk) : null;
    if (begun === null) return [];
    this.mode = 'object';
    this.begunAt = this.written.length - begun.length;
    return this.read(begun);
  }

  /** Nothing follows any more. `tools` may be called. */
  end(tools: readonly OfferedTool[] = []): OutputEnd {
    if (this.mode === 'object') {
      const { isWhole, events } = this.object.end();
      const hasReply = this.object.hasBegun;
      // What stood before the end of reasoning was part of it.
      if (hasReply && (!isWhole || endsReasoning(this.output.slice(this.begunAt))))
        throw new ModelFailure('malformed');
      if (hasReply) return { kind: 'reply', events };
    }
    return this.endOfWhole(tools);
  }

  private endOfWhole(tools: readonly OfferedTool[]): OutputEnd {
    if (outputProper(this.output).trim() === '') throw new ModelFailure('empty');
    const accept = (value: unknown): object | null => (isReply(value) ? value : null);
    const reply = objectIn(this.output, accept, [this.said]);
    if (reply !== null) {
      this.object = new ReplyObject();
      const events = this.object.push(JSON.stringify(stringsOf(reply)));
      return { kind: 'reply', events };
    }
    const calls = writtenCalls(this.output, tools);
    if (calls.length === 0) throw new ModelFailure('malformed');
    return { kind: 'calls', calls };
  }

  private get output(): string {
    return this.written.toString();
  }

  private read(chunk: string): ReplyEvent[] {
    try {
      return this.object.push(chunk);
    } catch (error) {
      if (!(error instanceof NotAnObjectError)) throw error;
      if (this.object.hasBegun) throw new ModelFailure('malformed');
      this.mode = 'whole';
      return [];
    }
  }
}

/**
 * Reads one object `{"verdict": "…", "sources": "…", "asks": "…", "about": "…", "touches": "…", "text": "…",
 * "labels": "…"}` while it arrives, cut anywhere.
 *
 * - Text that comes before the verdict is held back until the verdict is known. The verdict is returned
 *   when the fields that the decision depends on are known too, or when the text begins; `question` always
 *   waits for its sources.
 * - Without a known verdict nothing is returned. Other keys are skipped, also `verdict` and `text` inside
 *   other objects; of a repeated key the first counts.
 * - Deltas end on whole code points and hold no NUL and no lone surrogate.
 * - Marks of reasoning and calls in the text are ModelFailure `malformed`; see Speech.
 */
class ReplyObject {
  private readonly object = new JsonObjectReader();
  private readonly whole = new WholeTextReader();
  /** The verdict that was returned. */
  private verdict: Verdict | null = null;
  private rawVerdict = '';
  private hasVerdict = false;
  private hasTextBegun = false;
  private isWhole = false;
  private readonly speech = new Speech();
  /** The other fields, as far as they are known; of a repeated one the first counts. */
  private readonly fields = new Map<string, string>();
  private readonly ended = new Set<string>();
  private held = '';

  get hasBegun(): boolean {
    return this.verdict !== null;
  }

  get isTextWhole(): boolean {
    return this.isWhole && this.hasBegun;
  }

  field(name: string): string {
    return this.fields.get(name) ?? '';
  }

  /** Throws NotAnObjectError where the text stops being JSON. */
  push(chunk: string): ReplyEvent[] {
    const events = this.object.push(chunk).flatMap((piece) => this.take(piece));
    return this.object.isDone ? [...events, ...this.emitVerdict()] : events;
  }

  /** Nothing follows. True for an object that is whole, or lacks only its closing brace. */
  end(): { readonly isWhole: boolean; readonly events: readonly ReplyEvent[] } {
    const isWhole = this.object.isDone || (this.hasVerdict && this.isWhole);
    return { isWhole, events: isWhole ? this.emitVerdict() : [] };
  }

  private take({ field, text, isWhole }: FieldPiece): ReplyEvent[] {
    if (field === 'verdict' && !this.hasVerdict) {
      this.rawVerdict += text;
      this.hasVerdict = isWhole;
      return this.emitWhenReady();
    }
    if (field === 'labels' || NOTES.some((name) => name === field)) {
      if (!this.ended.has(field)) this.fields.set(field, this.field(field) + text);
      if (isWhole) this.ended.add(field);
      return this.emitWhenReady();
    }
    if (field !== 'text' || this.isWhole) return [];
    this.hasTextBegun = true;
    const first = this.emitWhenReady();
    this.isWhole = isWhole;
    const readable = this.speech.push(this.whole.push(text), isWhole);
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

  private emitVerdict(): ReplyEvent[] {
    const verdict = this.hasVerdict && this.verdict === null ? verdictOf(this.rawVerdict) : null;
    if (verdict === null) return [];
    this.verdict = verdict;
    const held = this.held;
    this.held = '';
    return [{ type: 'verdict', verdict }, ...deltas(held)];
  }
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

function isReply(value: unknown): value is object {
  const { verdict } = value as { readonly verdict?: unknown };
  return typeof verdict === 'string' && verdictOf(verdict) !== null;
}

/** What is read of an object; whatever else a model writes may be nested without end. */
function stringsOf(reply: object): object {
  return Object.fromEntries(Object.entries(reply).filter(([, value]) => typeof value === 'string'));
}

function deltas(text: string): ReplyEvent[] {
  return text === '' ? [] : [{ type: 'delta', text }];
}

/** In UTF-16 units, with blanks and marks around it. */
const LONGEST_VERDICT = 60;

/** `Off-topic` and `offTopic` are meant as `off_topic`; null: no known verdict. */
function verdictOf(raw: string): Verdict | null {
  if (raw.length > LONGEST_VERDICT) return null;
  const name = raw
    .trim()
    .replace(/^["'`*]+|["'`*.]+$/g, '')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  return isVerdict(name) ? name : null;
}
