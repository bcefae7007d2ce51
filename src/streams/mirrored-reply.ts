import type { LiveReply } from './live-reply';
import type { Notice } from './notice';
import type { RunningTurn } from './segments';

export type TextNotice = Extract<Notice, { kind: 'text' }>;

/** Pieces that wait for a hole before them to be filled; rows fill it within a second or so. */
const MAX_EARLY = 500;

/**
 * A reply that another replica writes, put together from rows and from pieces that arrive in any
 * order, doubled or not at all. Its end comes only from the turn's row.
 */
export class MirroredReply {
  private early: TextNotice[] = [];

  constructor(
    readonly reply: LiveReply,
    /** Monotonic time of the last word about it. */
    public heardAtMs: number,
  ) {}

  /** Some pieces wait for what is missing before them. */
  get hasGap(): boolean {
    return this.early.length > 0;
  }

  isOf({ turnId, epoch }: Pick<TextNotice, 'turnId' | 'epoch'>): boolean {
    const { origin } = this.reply;
    return origin.turnId === turnId && origin.epoch === epoch;
  }

  hear(notice: TextNotice): void {
    this.early.push(notice);
    this.settleEarly();
    if (this.early.length > MAX_EARLY) this.early.shift();
  }

  /** What the turn's row says now; undefined: there is no such turn any more. */
  read(turn: RunningTurn | undefined): void {
    const { reply } = this;
    if (turn === undefined) {
      reply.breakOff();
      return;
    }
    if (turn.epoch === reply.origin.epoch) reply.tell(...turn.parts.slice(reply.parts.length));
    if (turn.replyText !== null) this.end(turn, turn.replyText);
    else if (turn.isRunning && turn.epoch === reply.origin.epoch) {
      reply.append(turn.text.slice(reply.length));
      this.settleEarly();
    } else reply.breakOff();
  }

  /** A text that went on otherwise than it was shown is told as a whole, from its row. */
  private end(turn: RunningTurn, whole: string): void {
    const { reply } = this;
    const { seq, createdAt } = turn;
    if (!whole.startsWith(reply.text)) {
      reply.breakOff();
      return;
    }
    reply.append(whole.slice(reply.length));
    const isStored = seq !== null && createdAt !== null;
    reply.close(isStored ? { seq, createdAt, isPartial: turn.isPartial === true } : null);
  }

  private settleEarly(): void {
    const { reply } = this;
    this.early.sort((a, b) => a.offset - b.offset);
    this.early = this.early.filter(({ offset, text }) => {
      if (offset > reply.length) return true;
      reply.append(text.slice(reply.length - offset));
      return false;
    });
  }
}
