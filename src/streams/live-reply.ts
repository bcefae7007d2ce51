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
  private readonly told: ReplyPart[] = [];
  private ending: ReplyEnd | null = null;

  constructor(
    readonly origin: LiveReplyOrigin,
    private readonly onChange: (reply: LiveReply) => void,
  ) {}

  /** All that was generated so far, in whole code points. */
  get text(): string {
    return this.current;
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
