import type { ReplyPart } from './reply-part';

/** Who and what a reply that is being generated belongs to. */
export interface LiveReplyOrigin {
  readonly conversationId: string;
  readonly turnId: string;
  /** The answers that this reply is to: usually one. */
  readonly bufferIds: readonly string[];
  readonly messageId: string;
  /** One generation of the reply's text; a new attempt starts the text again. */
  readonly epoch: number;
}

/** How a reply ended: its line of the transcript, or without one. */
type ReplyEnd = StoredReply | 'empty' | 'broken';

/** A piece of the text, as it was appended. */
interface Piece {
  readonly at: number;
  readonly text: string;
}

/** A second or two of a fast model. */
const RECENT = 32;

/** How a reply was stored: the line of the transcript it became. */
export interface StoredReply {
  readonly seq: number;
  readonly createdAt: Date;
  readonly isPartial: boolean;
}

/**
 * A reply in memory while it is generated, here or on another replica.
 *
 *   streaming ──close()──> stored   (only after its commit: readers may now end well)
 *   streaming ──close(null)──> empty  (stopped before its first word: over, and nothing stored)
 *   streaming ──breakOff()──> broken  (this epoch ends without a stored text; another may follow)
 *
 * Readers keep a reference and a cursor of their own and read `text` beyond it, so a slow reader
 * costs no queue and holds up nobody.
 */
export class LiveReply {
  private current = '';
  /** The end of the text in its pieces: reading news from `current` would copy all of it each time. */
  private readonly recent: Piece[] = [];
  private readonly told: ReplyPart[] = [];
  private ending: ReplyEnd | null = null;

  constructor(
    readonly origin: LiveReplyOrigin,
    private readonly onChange: (reply: LiveReply) => void,
    /** Another replica writes it: what it has said there may not be known here yet. */
    readonly isMirrored = false,
  ) {}

  /** All that was generated so far, in whole code points. */
  get text(): string {
    return this.current;
  }

  /** UTF-16 units of the text. */
  get length(): number {
    return this.current.length;
  }

  /** The text from there on; costs next to nothing for whoever has kept up. */
  textFrom(offset: number): string {
    if (offset >= this.current.length) return '';
    const last = this.recent.at(-1);
    if (last?.at === offset) return last.text;
    const first = this.recent[0];
    if (first === undefined || offset < first.at) return this.current.slice(offset);
    const from = this.recent.findLastIndex(({ at }) => at <= offset);
    const news = this.recent
      .slice(from)
      .map(({ at, text }) => text.slice(Math.max(0, offset - at)));
    return news.join('');
  }

  /** What belongs to it beside its text, in its order; only ever grows. */
  get parts(): readonly ReplyPart[] {
    return this.told;
  }

  /** Null while it streams. */
  get end(): ReplyEnd | null {
    return this.ending;
  }

  append(delta: string): void {
    if (this.ending !== null || delta === '') return;
    this.recent.push({ at: this.current.length, text: delta });
    if (this.recent.length > RECENT) this.recent.shift();
    this.current += delta;
    this.onChange(this);
  }

  tell(...parts: readonly ReplyPart[]): void {
    if (this.ending !== null || parts.length === 0) return;
    this.told.push(...parts);
    this.onChange(this);
  }

  close(stored: StoredReply | null): void {
    this.finish(stored ?? 'empty');
  }

  breakOff(): void {
    this.finish('broken');
  }

  private finish(end: ReplyEnd): void {
    if (this.ending !== null) return;
    this.ending = end;
    this.onChange(this);
  }
}
