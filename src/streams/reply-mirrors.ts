import { type LiveReply, LiveReplies } from './live-replies';
import { type ReplicaSignal, unpackSignals } from './reply-broadcast';
import { type RunningTurn, SegmentRepository } from './segment.repository';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Clock } from '../common/clock';
import { describeError } from '../common/errors';
import { UnitOfWorkFactory } from '../common/uow';
import { SignalConnection, type SignalListener } from '../persistence';

const TEND_MS = 250;

/**
 * Follows the replies that other replicas write, for readers that are connected here. It reads rows
 * when a reader comes, on a gap, on silence, and whenever signals may have been missed; otherwise
 * signals bring the text. Reads are batched: one statement for all conversations that need one.
 *
 * An idle reader learns of the next turn only by a signal. So every reader is woken once in 2 s
 * while the connection for signals is down, once more when it is up again, and once when another
 * replica reports lost signals.
 */
@Injectable()
export class ReplyMirrors implements SignalListener, OnModuleInit {
  private readonly logger = new Logger('Streams');
  private readonly mirrors = new Map<string, MirroredReply>();
  /** Pieces of replies whose rows are being read. */
  private readonly unplaced = new Map<string, TextSignal[]>();
  /** Ticks in which readers are still woken; in each tick those of one slot. */
  private wakeUpsLeft = 0;
  private slot = 0;
  private next: Batch | null = null;
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly live: LiveReplies,
    private readonly segments: SegmentRepository,
    private readonly units: UnitOfWorkFactory,
    private readonly signals: SignalConnection,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.signals.listen(this);
  }

  /**
   * Checks whether another replica writes a reply of this conversation, and mirrors it. Resolves
   * when that is known. When the database fails, it resolves too, and a later tick reads again.
   */
  follow(conversationId: string): Promise<void> {
    this.next ??= this.nextBatch();
    this.next.conversationIds.add(conversationId);
    return this.next.done;
  }

  onSignal(payload: string): void {
    for (const signal of unpackSignals(payload)) {
      if (signal.kind === 'lost') {
        this.onConnected();
        continue;
      }
      if (signal.kind === 'team' || signal.kind === 'reading') continue;
      const { conversationId } = signal;
      if (!this.live.isWatched(conversationId)) continue;
      if (signal.kind === 'text') this.receive(signal);
      else {
        if (this.find(conversationId) !== undefined) void this.follow(conversationId);
        this.live.changedElsewhere(conversationId);
      }
    }
  }

  onConnected(): void {
    for (const conversationId of this.mirrors.keys()) void this.follow(conversationId);
    this.wakeUpsLeft = WAKE_SLOTS;
  }

  @Interval(TEND_MS)
  tend(): void {
    void this.wakeIdleReaders();
    const nowMs = this.clock.monotonicMs();
    for (const [conversationId, mirror] of this.mirrors) {
      if (!this.live.isWatched(conversationId)) mirror.reply.breakOff();
      if (mirror.reply.end !== null) this.mirrors.delete(conversationId);
      else if (mirror.hasGap || nowMs - mirror.updatedAtMs >= SILENCE_MS) {
        mirror.updatedAtMs = nowMs;
        void this.follow(conversationId);
      }
    }
  }

  /** One tick: wakes the readers of the next slot, while readers have to be woken. */
  async wakeIdleReaders(): Promise<void> {
    const { isConnected } = this.signals;
    if (!isConnected) this.wakeUpsLeft = WAKE_SLOTS;
    if (this.wakeUpsLeft === 0) return;
    this.wakeUpsLeft -= 1;
    this.slot = (this.slot + 1) % WAKE_SLOTS;
    const { slot } = this;
    // A reader whose read fails is disconnected, so nobody is woken while the database is down.
    if (!isConnected && !(await this.canRead())) return;
    for (const conversationId of [...this.live.watched()]) {
      if (slotOf(conversationId) === slot) this.live.changedElsewhere(conversationId);
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

  private receive(signal: TextSignal): void {
    const { conversationId } = signal;
    const mirror = this.find(conversationId);
    if (mirror?.isOf(signal) === true) {
      mirror.updatedAtMs = this.clock.monotonicMs();
      mirror.receive(signal);
      return;
    }
    if (isOld(signal, mirror)) return;
    const unplaced = this.unplaced.get(conversationId) ?? [];
    this.unplaced.set(conversationId, [...unplaced, signal]);
    if (unplaced.length === 0) void this.follow(conversationId);
  }

  private find(conversationId: string): MirroredReply | undefined {
    const mirror = this.mirrors.get(conversationId);
    return mirror?.reply.end === null ? mirror : undefined;
  }

  /** Requests that come while a read is under way are read together after it. */
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
    } catch (error) {
      this.logger.debug(
        `replies of other replicas could not be read; trying again: ${describeError(error)}`,
      );
    } finally {
      // Pieces that came meanwhile are placed by the read that they requested.
      for (const conversationId of conversationIds) {
        if (this.next?.conversationIds.has(conversationId) !== true) {
          this.unplaced.delete(conversationId);
        }
      }
    }
  }

  private place(conversationId: string, turns: readonly RunningTurn[]): void {
    const known = this.find(conversationId);
    known?.apply(turns.find(({ turnId }) => turnId === known.reply.origin.turnId));
    const running = turns.find(({ isRunning }) => isRunning);
    const isWanted =
      this.live.isWatched(conversationId) && this.live.current(conversationId) === undefined;
    if (running !== undefined && isWanted) this.start(running);
    const mirror = this.find(conversationId);
    for (const signal of this.unplaced.get(conversationId) ?? []) {
      if (mirror?.isOf(signal) === true) mirror.receive(signal);
    }
  }

  private start(turn: RunningTurn): void {
    const { conversationId, turnId, epoch, messageId, answerIds } = turn;
    const reply = this.live.mirror({ conversationId, turnId, epoch, messageId, answerIds });
    const mirror = new MirroredReply(reply, this.clock.monotonicMs());
    this.mirrors.set(conversationId, mirror);
    mirror.apply(turn);
  }
}

/**
 * Within this many ticks each reader is woken once. Waking all at once would cause a burst of reads
 * on every replica just when the database is back.
 */
const WAKE_SLOTS = 8;
/** A reply is read again when nothing of it has arrived for so long. */
const SILENCE_MS = 2000;

/**
 * At most this many pieces wait for an earlier one that is missing; rows supply it in about a second.
 */
const MAX_EARLY = 500;

/**
 * A reply that another replica writes, assembled from rows and from pieces that arrive in any
 * order, repeatedly or not at all. Its end is read only from the turn's row.
 */
export class MirroredReply {
  private early: TextSignal[] = [];

  constructor(
    readonly reply: LiveReply,
    /** Monotonic time of the last piece or read. */
    public updatedAtMs: number,
  ) {}

  /** A piece is missing before those that arrived. */
  get hasGap(): boolean {
    return this.early.length > 0;
  }

  isOf({ turnId, epoch }: Pick<TextSignal, 'turnId' | 'epoch'>): boolean {
    const { origin } = this.reply;
    return origin.turnId === turnId && origin.epoch === epoch;
  }

  receive(signal: TextSignal): void {
    this.early.push(signal);
    this.settleEarly();
    if (this.early.length > MAX_EARLY) this.early.shift();
  }

  /** Applies the turn's row; undefined: the turn does not exist any more. */
  apply(turn: RunningTurn | undefined): void {
    const { reply } = this;
    if (turn === undefined) {
      reply.breakOff();
      return;
    }
    if (turn.epoch === reply.origin.epoch) reply.addParts(...turn.parts.slice(reply.parts.length));
    if (turn.replyText !== null) this.end(turn, turn.replyText);
    else if (turn.isRunning && turn.epoch === reply.origin.epoch) {
      reply.append(turn.text.slice(reply.length));
      this.settleEarly();
    } else reply.breakOff();
  }

  /** When the stored text differs from the text shown, breaks off, and readers read the row. */
  private end(turn: RunningTurn, whole: string): void {
    const { reply } = this;
    const { seq, createdAt, question } = turn;
    if (!whole.startsWith(reply.text)) {
      reply.breakOff();
      return;
    }
    reply.append(whole.slice(reply.length));
    const isStored = seq !== null && createdAt !== null;
    const isPartial = turn.isPartial === true;
    reply.close(isStored ? { seq, createdAt, isPartial, question } : null);
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

export type TextSignal = Extract<ReplicaSignal, { kind: 'text' }>;

interface Batch {
  readonly conversationIds: Set<string>;
  readonly done: Promise<void>;
}

/**
 * The tick in which a conversation's readers are woken. Ids are random, so readers are spread
 * evenly.
 */
function slotOf(conversationId: string): number {
  return conversationId.charCodeAt(conversationId.length - 1) % WAKE_SLOTS;
}

/** Whether a later epoch has replaced the signal's. */
function isOld({ turnId, epoch }: TextSignal, mirror: MirroredReply | undefined): boolean {
  const origin = mirror?.reply.origin;
  return origin?.turnId === turnId && epoch < origin.epoch;
}
