import { Injectable } from '@nestjs/common';
import type { ChannelName } from '../channels';
import { Settings } from '../common/config';
import { EventBus } from '../common/events';
import type { Tx } from '../common/uow';
import { DebounceRepository, type JobKey, Jobs } from '../jobs';
import { paceOf } from './answer-pace';
import { BufferMetrics } from './buffer.metrics';
import {
  BufferRepository,
  type BufferedMessage,
  type LastMessage,
  type NotOpen,
  type PendingWork,
  type MessageName,
} from './buffer.repository';
import {
  COMPLETE_DONE_WINDOW_MS,
  DONE_WINDOW_MS,
  activityWindowMs,
  limitsOf,
  type AppendedMessage,
  MessageIntake,
  type NewMessage,
  type EditedMessage,
  MessageEdits,
} from './message-intake';

const QUEUE = 'flush';

/** The queue of the jobs that note_long_answer (persistence/sql) stores; interview handles it. */
const LONG_ANSWER_QUEUE = 'long-answer';

/**
 * Collects the messages of one answer until the candidate has finished. A message is a row, and the
 * timer is the `flush` job of its conversation; both are written in the caller's transaction, and
 * the job worker is woken after the commit. It makes no remote call and writes no reply: that is
 * the work of the handler of queue `flush`.
 */
@Injectable()
export class BufferService {
  private readonly settings;
  private readonly limits;
  private readonly pace;

  constructor(
    settings: Settings,
    private readonly buffers: BufferRepository,
    private readonly timers: DebounceRepository,
    private readonly jobs: Jobs,
    private readonly intake: MessageIntake,
    private readonly edits: MessageEdits,
    private readonly metrics: BufferMetrics,
    private readonly events: EventBus,
  ) {
    this.settings = settings.buffer;
    this.limits = limitsOf(settings.buffer);
    this.pace = paceOf(settings.buffer);
  }

  /**
   * Stores a message and makes its buffer due after the quiet time. A redelivery changes nothing.
   * Throws BlankMessageError, MessageTooLongError, InvalidTextError, MessageIdReusedError,
   * ConversationFullError, AudioFullError, FilesFullError.
   */
  async append(tx: Tx, message: NewMessage): Promise<AppendedMessage> {
    const appended = await this.metrics.watch('append', () => this.intake.store(tx, message, null));
    await this.appended(tx, message.conversationId, appended);
    return appended;
  }

  async isStored(tx: Tx, message: MessageName): Promise<boolean> {
    return (await this.buffers.find(tx, message)) !== undefined;
  }

  /**
   * As append, in one statement, for a message of a candidate to their interview, which is on the
   * message's channel from then on. If the interview is not open, nothing is stored and the reason
   * is returned. A message that is stored already is found in both cases, and changes nothing. Throws
   * as `append`.
   */
  async receive(tx: Tx, message: NewMessage): Promise<AppendedMessage | NotOpen> {
    const received = await this.metrics.watch('append', () => this.intake.receive(tx, message));
    if (typeof received === 'string') return received;
    await this.appended(tx, message.conversationId, received);
    return received;
  }

  /**
   * A message that its sender has edited: changes the buffer while it is open; after the claim it is
   * stored as an amendment, a new message. Throws MessageUnknownError and what `append` throws.
   */
  async edit(tx: Tx, edited: EditedMessage): Promise<'edited' | 'amendment'> {
    await this.changed(tx, edited.conversationId);
    return this.metrics.watch('edit', () => this.edits.edit(tx, edited));
  }

  /**
   * The transcript of a held voice, or the text that stands for a failed one: releases its buffer,
   * or joins the then open buffer if its own got its reply without it. A second transcript changes
   * nothing.
   */
  async settleHold(tx: Tx, transcript: EditedMessage): Promise<void> {
    await this.changed(tx, transcript.conversationId);
    return this.metrics.watch('settle_hold', () => this.edits.settleHold(tx, transcript));
  }

  /**
   * A held voice that will have no transcript: releases its buffer and removes the message from
   * every answer; the transcript of the conversation shows `text` for it. The caller asks a person
   * to listen to it.
   */
  async dropHold(tx: Tx, dropped: EditedMessage): Promise<void> {
    await this.changed(tx, dropped.conversationId);
    return this.metrics.watch('drop_hold', () => this.edits.dropHold(tx, dropped));
  }

  /**
   * Learns how long this candidate pauses, from what came since the answer before: the quiet time of
   * the next one follows from it (buffer_quiet_time.sql). Belongs in the commit that opens the turn of an
   * answer, under the conversation's lock. Repeating it changes nothing. Without learning it does
   * nothing.
   */
  learnQuietTime(tx: Tx, of: { conversationId: string; channel: ChannelName }): Promise<void> {
    return this.intake.learnQuietTime(tx, of);
  }

  /**
   * Typing or recording. It only extends the wait; null when there was nothing to extend. The first
   * sign after a message ends the pause that is learned.
   */
  async noteActivity(
    tx: Tx,
    activity: { conversationId: string; kind: 'typing' | 'recording' },
  ): Promise<{ dueAt: Date | null }> {
    this.metrics.activity(activity.kind);
    const windowMs = activityWindowMs(this.settings);
    const { limits, pace } = this;
    const { conversationId } = activity;
    const noted = await this.buffers.noteActivity(tx, conversationId, { windowMs, limits }, pace);
    if (noted === undefined) return { dueAt: null };
    if (noted.isLong) this.jobs.wakeAfter(tx, LONG_ANSWER_QUEUE);
    await this.changed(tx, conversationId, windowMs);
    return { dueAt: noted.dueAt };
  }

  /**
   * Done: the open buffer is due in a second, or when its last voice has a transcript. With `lastMessage`,
   * the last one that its sender has had acknowledged, it is due sooner, because no message sent before
   * Done can still be on its way. If a newer message is stored, the full second is waited.
   */
  async finish(
    tx: Tx,
    done: { conversationId: string; lastMessage?: LastMessage },
  ): Promise<{ dueAt: Date | null }> {
    const { conversationId, lastMessage } = done;
    await this.buffers.lockConversation(tx, conversationId);
    const isComplete =
      lastMessage !== undefined && (await this.buffers.isNewest(tx, conversationId, lastMessage));
    const windowMs = isComplete ? COMPLETE_DONE_WINDOW_MS : DONE_WINDOW_MS;
    await this.changed(tx, conversationId, windowMs);
    const { limits } = this;
    return { dueAt: await this.timers.seal(tx, keyOf(done), { windowMs, limits }) };
  }

  /** The messages that wait for a reply, in order; of one buffer, or of all. */
  getMessages(
    tx: Tx,
    of: { conversationId: string; bufferId?: string },
  ): Promise<BufferedMessage[]> {
    return this.buffers.listWaiting(tx, { bufferId: null, ...of });
  }

  hasBuffer(tx: Tx, of: { conversationId: string; bufferId?: string }): Promise<boolean> {
    return this.buffers.hasWaiting(tx, { bufferId: null, ...of });
  }

  /**
   * Belongs in the commit that delivers the buffer's reply, and in no other. The caller holds the
   * conversation's lock. The next buffer is due again if it was put back to wait for this; with
   * `conversationId` also when the messages were cleared before, as by their age before a replay.
   */
  async clearBuffer(
    tx: Tx,
    { bufferId, conversationId }: { bufferId: string; conversationId?: string },
  ): Promise<void> {
    const cleared = await this.buffers.clear(tx, [bufferId]);
    const conversationIds = conversationId === undefined ? cleared : [conversationId];
    if (conversationIds.length > 0) await this.releaseNext(tx, conversationIds);
  }

  /**
   * The reply that the conversation's next buffer waits for will not be delivered: that buffer is
   * due as its quiet time says. The caller holds the conversation's lock.
   */
  async stopWaiting(tx: Tx, { conversationId }: { conversationId: string }): Promise<void> {
    await this.releaseNext(tx, [conversationId]);
  }

  private async releaseNext(tx: Tx, keys: readonly string[]): Promise<void> {
    await this.timers.releasePutBack(tx, { queue: QUEUE, keys }, this.limits);
  }

  /** Locks the buffer if it is still collecting an answer; false: it was claimed or is gone. */
  lockOpen(tx: Tx, { bufferId }: { bufferId: string }): Promise<boolean> {
    return this.timers.lockOpen(tx, bufferId);
  }

  /** When the open buffer is due; null without one. */
  async dueAt(tx: Tx, of: { conversationId: string }): Promise<Date | null> {
    return (await this.pending(tx, [of.conversationId])).get(of.conversationId)?.dueAt ?? null;
  }

  /** By conversation, what is pending; conversations with nothing pending are left out. */
  async pending(tx: Tx, conversationIds: readonly string[]): Promise<Map<string, PendingWork>> {
    const rows = await this.buffers.pending(tx, conversationIds);
    return new Map(rows.map(({ conversationId, ...pending }) => [conversationId, pending]));
  }

  /** The interview is over: what waits stays in the transcript and gets no reply. */
  async cancel(tx: Tx, { conversationId }: { conversationId: string }): Promise<void> {
    await this.buffers.lockConversation(tx, conversationId);
    const bufferIds = await this.jobs.cancel(tx, { queue: QUEUE, key: conversationId });
    if (bufferIds.length > 0) await this.buffers.clear(tx, bufferIds);
  }

  /**
   * Makes open buffers due now, except those that wait for a transcript; with `appendedHere` only
   * those whose last message this replica stored. Returns how many.
   */
  async makeOpenBuffersDue(tx: Tx, which: { appendedHere: boolean }): Promise<number> {
    this.jobs.wakeAfter(tx, QUEUE);
    return this.timers.makeOpenDue(tx, QUEUE, { ownOnly: which.appendedHere });
  }

  /** Buffers that this replica collects or replies to, due or not, except those with a held voice. */
  countOwnBuffers(tx: Tx): Promise<number> {
    return this.timers.countOwn(tx, QUEUE);
  }

  private appended(
    tx: Tx,
    conversationId: string,
    { dueInMs, isLong }: AppendedMessage,
  ): Promise<void> {
    if (isLong) this.jobs.wakeAfter(tx, LONG_ANSWER_QUEUE);
    return this.changed(tx, conversationId, dueInMs);
  }

  /**
   * After the commit: the worker claims a buffer that may be due within `dueInMs`, and readers read
   * the conversation.
   */
  private changed(tx: Tx, conversationId: string, dueInMs = 0): Promise<void> {
    this.jobs.wakeAfter(tx, QUEUE, dueInMs);
    return this.events.publish(tx, 'conversation.changed', { conversationId });
  }
}

function keyOf({ conversationId }: { conversationId: string }): JobKey {
  return { queue: QUEUE, key: conversationId };
}
