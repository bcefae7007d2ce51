import { Injectable } from '@nestjs/common';
import type { ChannelName } from '../channels';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import type { Tx } from '../common/uow';
import {
  type ContentType,
  type AppendedMessage,
  MessageIntake,
  type NewMessage,
} from './message-intake';
import { ReplicaId, Jobs } from '../jobs';
import { BufferMetrics } from './buffer.metrics';
import { type EditedMessage, MessageEdits } from './message-edits';
import type { NotOpen } from './buffer.repository';
import * as flushSql from './flush.repository';
import * as messageSql from './buffer.repository';
import { lockConversation, run } from './debounce.repository';
import * as timerSql from './debounce.repository';
import { DONE_WINDOW_MS, activityWindowMs, limitsOf } from './debounce-windows';

/** A message that waits for a reply. */
export interface BufferedMessage {
  readonly id: string;
  readonly seq: number;
  readonly bufferId: string;
  readonly channel: ChannelName;
  readonly externalId: string;
  readonly contentType: ContentType;
  readonly text: string;
  readonly questionContext: string | null;
  readonly receivedAt: Date;
  readonly editedAt: Date | null;
  /** It came before the previous reply was delivered: an addition to the previous answer. */
  readonly beforeReply: boolean;
  /** The message that it corrects. */
  readonly amends: string | null;
  /** Its transcript is still to come. */
  readonly isHeld: boolean;
}

/** The open buffer's timer, if there is one, and what else is in work. */
export interface PendingAnswers {
  readonly dueAt: Date | null;
  readonly isAnswering: boolean;
  /** Voices whose transcript is still to come. */
  readonly transcribing: number;
  /** Files that another channel still has to hand out. */
  readonly filesArriving: number;
}

/**
 * Collects the messages of one answer until the candidate has finished. A message is a row and the
 * timer is the `flush` job of its conversation; both live in the caller's transaction. It calls
 * nobody and never answers: a due buffer is the FlushHandler's.
 */
@Injectable()
export class BufferService {
  private readonly settings;
  private readonly limits;

  constructor(
    settings: Settings,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    private readonly replica: ReplicaId,
    private readonly intake: MessageIntake,
    private readonly changes: MessageEdits,
    private readonly metrics: BufferMetrics,
  ) {
    this.settings = settings.buffer;
    this.limits = limitsOf(settings.buffer);
  }

  /**
   * Stores a message and makes its buffer due after the quiet time. A redelivery changes nothing.
   * Throws BlankMessageError, MessageTooLongError, InvalidTextError, MessageIdReusedError.
   */
  append(tx: Tx, message: NewMessage): Promise<AppendedMessage> {
    this.jobs.wakeAfter(tx, 'flush');
    return this.metrics.watch('append', () => this.intake.store(tx, message, null));
  }

  /**
   * The same, in one statement, for what a candidate writes into their interview: the interview is
   * on the message's channel from then on. Answers why it is not open instead of storing.
   */
  receive(tx: Tx, message: NewMessage): Promise<AppendedMessage | NotOpen> {
    this.jobs.wakeAfter(tx, 'flush');
    return this.metrics.watch('append', () => this.intake.receive(tx, message));
  }

  /**
   * A message edited by its sender: changes the buffer while it is open, and is an amendment, a new
   * message, once it was claimed. Throws MessageUnknownError and what `append` throws.
   */
  edit(tx: Tx, edited: EditedMessage): Promise<'edited' | 'amendment'> {
    this.jobs.wakeAfter(tx, 'flush');
    return this.metrics.watch('edit', () => this.changes.edit(tx, edited));
  }

  /**
   * The transcript of a held voice, or what stands for one that failed: releases its buffer, or
   * joins the then open one if the buffer could not wait. A second one changes nothing.
   */
  settleHold(tx: Tx, transcript: EditedMessage): Promise<void> {
    this.jobs.wakeAfter(tx, 'flush');
    return this.metrics.watch('settle_hold', () => this.changes.settleHold(tx, transcript));
  }

  /**
   * Nobody will hear this held voice: releases its buffer and takes the message out of every
   * answer, with a text that stands for it. It is before a person; the caller sees to that.
   */
  dropHold(tx: Tx, dropped: EditedMessage): Promise<void> {
    this.jobs.wakeAfter(tx, 'flush');
    return this.metrics.watch('drop_hold', () => this.changes.dropHold(tx, dropped));
  }

  /** Typing or recording. It only ever extends; null when there was nothing to extend. */
  async noteActivity(
    tx: Tx,
    activity: { conversationId: string; kind: 'typing' | 'recording' },
  ): Promise<{ dueAt: Date | null }> {
    this.metrics.activity(activity.kind);
    const rows = await run<{ dueAt: Date }>(
      tx,
      timerSql.extend(activity.conversationId, {
        windowMs: activityWindowMs(this.settings),
        limits: this.limits,
        now: this.clock.databaseNow(),
      }),
    );
    return { dueAt: rows[0]?.dueAt ?? null };
  }

  /** Done: the open buffer is due in a second, or when its last voice is ready. */
  async finish(tx: Tx, done: { conversationId: string }): Promise<{ dueAt: Date | null }> {
    this.jobs.wakeAfter(tx, 'flush');
    await run(tx, lockConversation(done.conversationId));
    const rows = await run<{ dueAt: Date }>(
      tx,
      timerSql.seal(done.conversationId, {
        windowMs: DONE_WINDOW_MS,
        limits: this.limits,
        now: this.clock.databaseNow(),
      }),
    );
    return { dueAt: rows[0]?.dueAt ?? null };
  }

  /** The messages that wait for a reply, in order; of one buffer, or of all. */
  getMessages(
    tx: Tx,
    of: { conversationId: string; bufferId?: string },
  ): Promise<BufferedMessage[]> {
    return run<BufferedMessage>(tx, messageSql.waiting({ bufferId: null, ...of }));
  }

  async hasBuffer(tx: Tx, of: { conversationId: string; bufferId?: string }): Promise<boolean> {
    const rows = await run<{ hasBuffer: boolean }>(
      tx,
      messageSql.hasWaiting({ bufferId: null, ...of }),
    );
    return rows[0]?.hasBuffer === true;
  }

  /**
   * Part of the commit in which the buffer's reply is delivered, and of no other. The caller holds
   * the conversation's lock: the next buffer, if it waited for this, is due again.
   */
  async clearBuffer(tx: Tx, { bufferId }: { bufferId: string }): Promise<void> {
    const now = this.clock.databaseNow();
    const cleared = await run<{ conversationId: string }>(
      tx,
      messageSql.clear({ bufferIds: [bufferId], now }),
    );
    const conversations = [...new Set(cleared.map((message) => message.conversationId))];
    if (conversations.length > 0)
      await run(tx, flushSql.wake(conversations, { limits: this.limits, now }));
  }

  /**
   * The reply that the conversation's next buffer waits for is not delivered any more: the buffer
   * is due when its quiet time says so. The caller holds the conversation's lock.
   */
  async stopWaiting(tx: Tx, { conversationId }: { conversationId: string }): Promise<void> {
    const now = this.clock.databaseNow();
    await run(tx, flushSql.wake([conversationId], { limits: this.limits, now }));
  }

  /** When the open buffer is due; null without one. */
  async dueAt(tx: Tx, of: { conversationId: string }): Promise<Date | null> {
    return (await this.pending(tx, [of.conversationId])).get(of.conversationId)?.dueAt ?? null;
  }

  /** By conversation, what waits there; conversations where nothing waits are left out. */
  async pending(tx: Tx, conversationIds: readonly string[]): Promise<Map<string, PendingAnswers>> {
    const rows = await run<timerSql.PendingRow>(tx, timerSql.pending(conversationIds));
    return new Map(rows.map(({ conversationId, ...pending }) => [conversationId, pending]));
  }

  /** The interview is over: what waits is kept in the transcript and not answered any more. */
  async cancel(tx: Tx, { conversationId }: { conversationId: string }): Promise<void> {
    await run(tx, lockConversation(conversationId));
    const bufferIds = await this.jobs.cancel(tx, { queue: 'flush', key: conversationId });
    if (bufferIds.length === 0) return;
    await run(tx, messageSql.clear({ bufferIds, now: this.clock.databaseNow() }));
  }

  /**
   * Makes open buffers due now, those with a voice to come excepted; with `appendedHere` only
   * those whose last message this replica stored. Answers how many.
   */
  async makeOpenBuffersDue(tx: Tx, which: { appendedHere: boolean }): Promise<number> {
    this.jobs.wakeAfter(tx, 'flush');
    const rows = await run(
      tx,
      timerSql.makeDue({
        replica: which.appendedHere ? this.replica.value : null,
        now: this.clock.databaseNow(),
      }),
    );
    return rows.length;
  }

  /**
   * Buffers that this replica collects or is answering, due or not; without those that wait for a
   * voice.
   */
  async countOwnBuffers(tx: Tx): Promise<number> {
    const [row] = await run<{ count: number }>(tx, timerSql.countOwn(this.replica.value));
    return row?.count ?? 0;
  }
}
