import { type LiveReply, LiveReplies } from './live-replies';
import { type Notice, unpackNotices } from './reply-broadcast';
import { type RunningTurn, SegmentRepository } from './segment.repository';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../common/clock';
import { UnitOfWorkFactory } from '../common/uow';
import { NoticeConnection, type NoticeListener } from '../persistence';
import { StreamMetrics } from './stream.metrics';

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

const TEND_MS = 250;
/**
 * In so many turns of `tend` each reader looks once: all of them at once would be a burst of reads,
 * on every replica, just when the database is back.
 */
const LOOK_TURNS = 8;
/** A reply of which nothing is heard for so long is read again. */
const SILENCE_MS = 2000;

interface Batch {
  readonly conversationIds: Set<string>;
  readonly done: Promise<void>;
}

/**
 * Follows the replies that other replicas write, for readers that are connected here. Rows are
 * read when a reader comes, on a gap, on silence, and whenever notices may have been missed;
 * between that, notices bring the text. Reads are batched: one statement for all that wait.
 *
 * A reader who waits for nothing hears of the next turn only by a notice. So while there is no
 * contact every reader looks again, once in 2 s, and once more when there is contact, or when
 * another replica says that its notices were lost.
 */
@Injectable()
export class ReplyMirrors implements NoticeListener, OnModuleInit {
  private readonly logger = new Logger('Streams');
  private readonly mirrors = new Map<string, MirroredReply>();
  /** Pieces of replies whose rows are being read. */
  private readonly unplaced = new Map<string, TextNotice[]>();
  /** Turns in which readers still look again; in each those whose slot it is. */
  private looksLeft = 0;
  private turn = 0;
  private next: Batch | null = null;
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly live: LiveReplies,
    private readonly segments: SegmentRepository,
    private readonly units: UnitOfWorkFactory,
    private readonly notices: NoticeConnection,
    private readonly clock: Clock,
    private readonly metrics: StreamMetrics,
  ) {}

  onModuleInit(): void {
    this.notices.listen(this);
  }

  /**
   * Looks whether another replica writes a reply of this conversation, and mirrors it. Resolves
   * when that is known; a database that is away is asked again later, and nobody is told.
   */
  follow(conversationId: string): Promise<void> {
    this.next ??= this.nextBatch();
    this.next.conversationIds.add(conversationId);
    return this.next.done;
  }

  onNotice(payload: string): void {
    for (const notice of unpackNotices(payload)) {
      if (notice.kind === 'lost') {
        this.onConnected();
        continue;
      }
      const { conversationId } = notice;
      if (!this.live.isWatched(conversationId)) continue;
      if (notice.kind === 'text') this.hear(notice);
      else {
        if (this.find(conversationId) !== undefined) void this.follow(conversationId);
        this.live.committedElsewhere(conversationId);
      }
    }
  }

  onConnected(): void {
    for (const conversationId of this.mirrors.keys()) void this.follow(conversationId);
    this.looksLeft = LOOK_TURNS;
  }

  @Interval(TEND_MS)
  tend(): void {
    void this.letLookAgain();
    const nowMs = this.clock.monotonicMs();
    for (const [conversationId, mirror] of this.mirrors) {
      if (!this.live.isWatched(conversationId)) mirror.reply.breakOff();
      if (mirror.reply.end !== null) this.mirrors.delete(conversationId);
      else if (mirror.hasGap || nowMs - mirror.heardAtMs >= SILENCE_MS) {
        mirror.heardAtMs = nowMs;
        void this.follow(conversationId);
      }
    }
  }

  /** A turn in which the readers whose it is look again, if any reader has to. */
  async letLookAgain(): Promise<void> {
    const { isConnected } = this.notices;
    if (!isConnected) this.looksLeft = LOOK_TURNS;
    if (this.looksLeft === 0) return;
    this.looksLeft -= 1;
    this.turn = (this.turn + 1) % LOOK_TURNS;
    const { turn } = this;
    // A look that fails cuts its reader off: with the whole database away nobody looks.
    if (!isConnected && !(await this.canRead())) return;
    for (const conversationId of [...this.live.watched()]) {
      if (slotOf(conversationId) === turn) this.live.committedElsewhere(conversationId);
    }
  }

  private async canRead(): Promise<boolean> {
    try {
      await this.units.run('stream.probe', (uow) =>
        uow.commitOne('stream.probe', (tx) => this.segments.probe(tx)),
      );
      return true;
    } catch {
      return false;
    }
  }

  private hear(notice: TextNotice): void {
    const { conversationId } = notice;
    const mirror = this.find(conversationId);
    if (mirror?.isOf(notice) === true) {
      mirror.heardAtMs = this.clock.monotonicMs();
      mirror.hear(notice);
      if (mirror.hasGap) this.metrics.gapSeen();
      return;
    }
    if (isOld(notice, mirror)) return;
    const unplaced = this.unplaced.get(conversationId) ?? [];
    this.unplaced.set(conversationId, [...unplaced, notice]);
    if (unplaced.length === 0) void this.follow(conversationId);
  }

  private find(conversationId: string): MirroredReply | undefined {
    const mirror = this.mirrors.get(conversationId);
    return mirror?.reply.end === null ? mirror : undefined;
  }

  /** What is asked for while a read is under way is read together after it. */
  private nextBatch(): Batch {
    const conversationIds = new Set<string>();
    const done = this.last.then(() => {
      this.next = null;
      return this.read(conversationIds);
    });
    this.last = done;
    return { conversationIds, done };
  }

  private async read(conversationIds: ReadonlySet<string>): Promise<void> {
    const turnIds = [...conversationIds].flatMap(
      (conversationId) => this.find(conversationId)?.reply.origin.turnId ?? [],
    );
    this.metrics.followRead();
    try {
      const turns = await this.units.run('stream.follow', (uow) =>
        uow.commitOne('stream.follow', (tx) =>
          this.segments.readTurns(tx, { conversationIds: [...conversationIds], turnIds }),
        ),
      );
      for (const conversationId of conversationIds) {
        this.place(
          conversationId,
          turns.filter((turn) => turn.conversationId === conversationId),
        );
      }
    } catch {
      this.logger.debug('replies of other replicas could not be read; they are read again');
    } finally {
      // What came meanwhile is placed by the read that it has asked for.
      for (const conversationId of conversationIds) {
        if (this.next?.conversationIds.has(conversationId) !== true) {
          this.unplaced.delete(conversationId);
        }
      }
    }
  }

  private place(conversationId: string, turns: readonly RunningTurn[]): void {
    const known = this.find(conversationId);
    known?.read(turns.find(({ turnId }) => turnId === known.reply.origin.turnId));
    const running = turns.find(({ isRunning }) => isRunning);
    const isWanted =
      this.live.isWatched(conversationId) && this.live.current(conversationId) === undefined;
    if (running !== undefined && isWanted) this.start(running);
    const mirror = this.find(conversationId);
    for (const notice of this.unplaced.get(conversationId) ?? []) {
      if (mirror?.isOf(notice) === true) mirror.hear(notice);
    }
  }

  private start(turn: RunningTurn): void {
    const { conversationId, turnId, epoch, messageId, bufferIds } = turn;
    const reply = this.live.mirror({ conversationId, turnId, epoch, messageId, bufferIds });
    const mirror = new MirroredReply(reply, this.clock.monotonicMs());
    this.mirrors.set(conversationId, mirror);
    mirror.read(turn);
  }
}

/** The turn in which a conversation's readers look again: ids are random, so they are spread. */
function slotOf(conversationId: string): number {
  return conversationId.charCodeAt(conversationId.length - 1) % LOOK_TURNS;
}

/** Of an epoch that another has replaced. */
function isOld({ turnId, epoch }: TextNotice, mirror: MirroredReply | undefined): boolean {
  const origin = mirror?.reply.origin;
  return origin?.turnId === turnId && epoch < origin.epoch;
}
