import { ModelFailure } from '../../llm';
import { type Verdict, isVerdict } from '../plan/verdict';
import { type FieldPiece, JsonObjectReader, NotAnObjectError } from './json-object';
import { readOpening } from './opening';
import { WholeTextReader } from './whole-text';

/** Read in this order: exactly one verdict, then the text in pieces. */
export type ReplyEvent =
  | { readonly type: 'verdict'; readonly verdict: Verdict }
  | { readonly type: 'delta'; readonly text: string };

/**
 * Reads a model's output `{"verdict": "…", "sources": "…", "text": "…"}` while it arrives, cut
 * anywhere.
 *
 *   undecided ──begins like an object──> json ──> the verdict when it is complete, then the text
 *       └──────anything else───────────> plain ─> verdict `answered`, then the output as it comes
 *
 * - Text that comes before the verdict is held until the verdict is known. The verdict `question`
 *   is told when the sources are known too: what code makes of it depends on them.
 * - A verdict that is unknown, missing or no string is `answered`. Other keys are skipped, also
 *   `verdict` and `text` inside other objects; of a repeated key the first counts.
 * - Deltas end on whole code points and hold no NUL and no lone surrogate.
 * - At the end an object that lacks only its closing brace is taken. Any other broken or truncated
 *   object, or one with neither key, is ModelFailure `malformed`; no words at all are `empty`.
 *   What was told before stays told: the caller drops it with the attempt.
 */
export class ReplyReader {
  private undecided = '';
  private mode: 'undecided' | 'json' | 'plain' = 'undecided';
  private readonly object = new JsonObjectReader();
  private readonly whole = new WholeTextReader();
  /** As it was told. */
  private verdict: Verdict | null = null;
  private rawVerdict = '';
  private hasVerdict = false;
  private isTextWhole = false;
  private rawSources = '';
  private hasSources = false;
  private held = '';

  /** What the model named as its sources; empty when it named none. */
  get sources(): string {
    return this.rawSources;
  }

  push(chunk: string): ReplyEvent[] {
    return this.mode === 'undecided' ? this.decide(chunk, false) : this.read(chunk);
  }

  /** Nothing follows any more. */
  end(): ReplyEvent[] {
    const events = this.mode === 'undecided' ? this.decide('', true) : [];
    if (this.mode !== 'json' || this.object.isDone) return events;
    if (!this.hasVerdict || !this.isTextWhole) throw new ModelFailure('malformed');
    return [...events, ...this.tellVerdict()];
  }

  private decide(chunk: string, isEnd: boolean): ReplyEvent[] {
    this.undecided += chunk;
    const opening = readOpening(this.undecided, isEnd);
    if (opening.kind === 'undecided') return [];
    if (isEnd && opening.rest === '') throw new ModelFailure('empty');
    this.undecided = '';
    this.mode = opening.kind;
    const first = opening.kind === 'plain' ? this.tell('answered') : [];
    return [...first, ...this.read(opening.rest)];
  }

  private read(chunk: string): ReplyEvent[] {
    if (this.mode === 'plain') return deltas(this.whole.push(chunk));
    const events = this.readPieces(chunk).flatMap((piece) => this.take(piece));
    if (!this.object.isDone || this.verdict !== null) return events;
    if (!this.hasVerdict && !this.hasText()) throw new ModelFailure('malformed');
    return [...events, ...this.tellVerdict()];
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
      const mustWait = verdictOf(this.rawVerdict) === 'question' && !this.hasSources;
      return isWhole && !mustWait ? this.tellVerdict() : [];
    }
    if (field === 'sources' && !this.hasSources) {
      this.rawSources += text;
      this.hasSources = isWhole;
      return isWhole && this.hasVerdict && this.verdict === null ? this.tellVerdict() : [];
    }
    if (field !== 'text' || this.isTextWhole) return [];
    this.isTextWhole = isWhole;
    const readable = this.whole.push(text);
    if (this.verdict !== null) return deltas(readable);
    this.held += readable;
    return [];
  }

  /** A verdict that never came counts as `answered`. */
  private tellVerdict(): ReplyEvent[] {
    if (this.verdict !== null) return [];
    return this.tell(this.hasVerdict ? verdictOf(this.rawVerdict) : 'answered');
  }

  private tell(verdict: Verdict): ReplyEvent[] {
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
