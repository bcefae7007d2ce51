import { Injectable } from '@nestjs/common';
import { type ChannelName, ChannelRegistry } from '../channels';
import { Settings } from '../common/config';
import { DomainEvents } from '../common/events';
import { hashToken, newId } from '../common/ids';
import { noteIds } from '../common/tracing';
import type { Tx } from '../common/uow';
import { DebounceRepository, type JobKey, Jobs } from '../jobs';
import {
  COMPLETE_DONE_WINDOW_MS,
  DONE_WINDOW_MS,
  ODDS_IN_ORDER,
  activityWindowMs,
  answerEnd,
  limitsOf,
  messageWindowMs,
  oddsOf,
  paceOf,
} from './answer-pace';
import { BufferMetrics } from './buffer.metrics';
import {
  type AppendRules,
  BufferRepository,
  type BufferedMessage,
  type LastMessage,
  type MessageName,
  type PendingWork,
} from './buffer.repository';
import { conversationLimitsOf } from './conversation-limits';
import {
  ConversationUnknownError,
  MessageIdReusedError,
  MessageUnknownError,
  fullOf,
  isLimit,
  notOpen,
} from './errors';
import {
  type AppendedMessage,
  type EditedMessage,
  type NewMessage,
  assertMessageText,
  assertStorable,
  charsOf,
} from './message';

const QUEUE = 'flush';

/** The queue of the jobs that note_long_answer (persistence/sql) stores; interview handles it. */
const LONG_ANSWER_QUEUE = 'long-answer';

/**
 * Receives the messages of candidates and collects those of one answer until the candidate has finished. A
 * message is a row, and the timer is the `flush` job of its conversation; both are written in the caller's
 * transaction, and the job worker is woken after the commit. It makes no remote call and writes no reply:
 * that is the work of the handler of queue `flush`.
 *
 * A waiting message may change until a claim seals its buffer: the buffer's row is locked first, so that the
 * text of a model request cannot change while the request is made.
 */
@Injectable()
export class BufferService {
  private readonly settings;
  private readonly limits;
  private readonly pace;
  private readonly rules: AppendRules;

  constructor(
    settings: Settings,
    private readonly buffers: BufferRepository,
    private readonly timers: DebounceRepository,
    private readonly jobs: Jobs,
    private readonly channels: ChannelRegistry,
    private readonly metrics: BufferMetrics,
    private readonly events: DomainEvents,
  ) {
    this.settings = settings.buffer;
    this.limits = limitsOf(settings.buffer);
    this.pace = paceOf(settings.buffer);
    const { learning, longChars, longMs } = this.pace;
    this.rules = {
      ...this.limits,
      ...conversationLimitsOf(settings),
      ...(learning ?? { enough: null, floorMs: 0, ceilingMs: 0 }),
      longChars,
      longMs,
    };
  }

  /**
   * Stores a candidate's message, which then is on its channel, and makes its answer due after the quiet time.
   * In one statement. A redelivery changes nothing, also after the end of the interview. Throws NotOpenError
   * if the interview takes no message, BlankMessageError, MessageTooLongError, InvalidTextError,
   * MessageIdReusedError, ConversationFullError, AudioFullError, FilesFullError.
   */
  append(tx: Tx, message: NewMessage): Promise<AppendedMessage> {
    return this.metrics.watch('append', () => this.store(tx, message));
  }

  /** `amended`: the message whose buffer was claimed before this correction came. */
  private async store(
    tx: Tx,
    message: NewMessage,
    amended?: BufferedMessage,
  ): Promise<AppendedMessage> {
    const { conversationId, channel, externalId, isPending = false } = message;
    noteIds({ conversation: conversationId });
    const text = isPending ? '' : message.text;
    if (!isPending) assertMessageText(text);
    assertStorable(externalId, 'id');
    const messageId = newId();
    const appended = {
      messageId,
      conversationId,
      channel,
      externalId,
      contentType: isPending ? 'VOICE' : (message.contentType ?? 'TEXT'),
      text,
      amends: amended?.id ?? null,
      amendedQuestion: amended?.questionContext ?? null,
      chars: charsOf(text),
      pending: isPending ? 1 : 0,
      mediaBytes: message.mediaBytes ?? 0,
      windowMs: messageWindowMs(this.settings, this.channels.get(channel)),
      endOdds: oddsOf(answerEnd(text)),
    } as const;
    const row = await this.buffers.append(tx, appended, this.rules, this.timers.addedBy(QUEUE));
    if (row === undefined) throw new ConversationUnknownError('there is no such conversation');
    const { refusedBy, ...stored } = row;
    // A text that reuses the id of a voice or a file is refused, because as a redelivery it would be lost.
    if (refusedBy === 'other_text') throw reused(stored.messageId);
    if (refusedBy !== null) {
      const isFile = message.contentType === 'FILE';
      throw isLimit(refusedBy) ? fullOf(refusedBy, isFile) : notOpen(refusedBy);
    }
    if (stored.isLong) this.jobs.wakeAfter(tx, LONG_ANSWER_QUEUE);
    await this.changed(tx, conversationId, stored.dueInMs);
    return { ...stored, isNew: stored.messageId === messageId };
  }

  async isStored(tx: Tx, message: MessageName): Promise<boolean> {
    return (await this.buffers.find(tx, message)) !== undefined;
  }

  /**
   * A message that its sender has edited: changes the buffer while it is open; after the claim it is
   * stored as an amendment, a new message. Throws MessageUnknownError and what `append` throws.
   */
  edit(tx: Tx, edited: EditedMessage): Promise<'edited' | 'amendment'> {
    return this.metrics.watch('edit', async () => {
      const { conversationId, channel, externalId, text } = edited;
      assertMessageText(text);
      const message = await this.findLocked(tx, edited);
      const correction = await this.buffers.findLastCorrection(tx, conversationId, message.id);
      const current = correction ?? message;
      const result = correction === undefined ? 'edited' : 'amendment';
      if (current.text === text) return result;
      if (!current.isPending && (await this.timers.lockOpen(tx, current.answerId))) {
        await this.changeText(tx, conversationId, current, text);
        return result;
      }
      // Named after what it replaces, so that an edit back to an earlier text is stored as well.
      const id = `${externalId}:edit:${hashToken(current.externalId).slice(0, 32)}`;
      await this.store(tx, { conversationId, channel, externalId: id, text }, message);
      return 'amendment';
    });
  }

  /**
   * The transcript of a held voice, or the text that stands for a failed one: releases its buffer,
   * or joins the then open buffer if its own got its reply without it. A second transcript changes
   * nothing.
   */
  settlePending(tx: Tx, transcript: EditedMessage): Promise<void> {
    return this.metrics.watch('settle_pending', async () => {
      const { conversationId, channel, text } = transcript;
      assertMessageText(text);
      const message = await this.findLocked(tx, transcript);
      if (!message.isPending) return;
      const chars = charsOf(text);
      // The voice was accepted, so its transcript is never refused.
      await this.count(tx, conversationId, chars, null);
      if (await this.timers.lockOpen(tx, message.answerId)) {
        await this.releasePending(tx, message.answerId, chars);
      } else {
        const windowMs = messageWindowMs(this.settings, this.channels.get(channel));
        const added = { chars, windowMs, limits: this.limits };
        const answerId = await this.timers.add(tx, keyOf(transcript), added);
        await this.buffers.moveTo(tx, answerId, message.id);
      }
      await this.buffers.setTranscript(tx, { id: message.id, text });
    });
  }

  /**
   * A held voice that will have no transcript: releases its buffer and removes the message from
   * every answer; the transcript of the conversation shows `text` for it. The caller asks a person
   * to listen to it.
   */
  dropPending(tx: Tx, dropped: EditedMessage): Promise<void> {
    return this.metrics.watch('drop_pending', async () => {
      const { text } = dropped;
      assertMessageText(text);
      const message = await this.findLocked(tx, dropped);
      if (!message.isPending) return;
      if (await this.timers.lockOpen(tx, message.answerId)) {
        await this.releasePending(tx, message.answerId, 0);
      }
      await this.buffers.takeOut(tx, { id: message.id, text });
    });
  }

  /** The stored message; readers and the worker are told of the change. */
  private async findLocked(tx: Tx, named: EditedMessage): Promise<BufferedMessage> {
    await this.changed(tx, named.conversationId);
    await this.buffers.lockConversation(tx, named.conversationId);
    const message = await this.buffers.find(tx, named);
    if (message !== undefined) return message;
    throw new MessageUnknownError('the message to be changed does not exist');
  }

  private async changeText(
    tx: Tx,
    conversationId: string,
    message: BufferedMessage,
    text: string,
  ): Promise<void> {
    const charsChange = charsOf(text) - charsOf(message.text);
    await this.count(tx, conversationId, charsChange, this.rules.limitChars);
    await this.buffers.setText(tx, { id: message.id, text });
    await this.timers.resize(tx, message.answerId, {
      charsChange,
      pendingReleased: 0,
      windowMs: activityWindowMs(this.settings),
      limits: this.limits,
    });
  }

  private async count(
    tx: Tx,
    conversationId: string,
    chars: number,
    limitChars: number | null,
  ): Promise<void> {
    const added = { conversationId, chars, limitChars };
    if (!(await this.buffers.countChars(tx, added))) throw fullOf('chars');
  }

  private releasePending(tx: Tx, answerId: string, charsChange: number): Promise<void> {
    const { limits } = this;
    const change = { charsChange, pendingReleased: 1, windowMs: 0, limits } as const;
    return this.timers.resize(tx, answerId, change);
  }

  /**
   * Learns how long this candidate pauses, from what came since the answer before: the quiet time of
   * the next one follows from it (buffer_quiet_time.sql). Belongs in the commit that opens the turn of an
   * answer, under the conversation's lock. Repeating it changes nothing. Without learning it does
   * nothing.
   */
  async learnQuietTime(
    tx: Tx,
    of: { conversationId: string; channel: ChannelName },
  ): Promise<void> {
    const { learning } = this.pace;
    if (learning === null) return;
    await this.buffers.learnQuietTime(tx, of.conversationId, {
      settingMs: messageWindowMs(this.settings, this.channels.get(of.channel)),
      enough: learning.enough,
      endOdds: ODDS_IN_ORDER,
    });
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
    const { conversationId } = activity;
    const noted = await this.buffers.noteActivity(tx, {
      ...this.limits,
      ...this.timers.addedBy(QUEUE),
      key: conversationId,
      windowMs,
      learns: this.pace.learning !== null,
      longMs: this.pace.longMs,
    });
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
    return { dueAt: await this.timers.finish(tx, keyOf(done), { windowMs, limits }) };
  }

  /** The messages that wait for a reply, in order; of one buffer, or of all. */
  getMessages(
    tx: Tx,
    of: { conversationId: string; answerId?: string },
  ): Promise<BufferedMessage[]> {
    return this.buffers.listWaiting(tx, { answerId: null, ...of });
  }

  hasBuffer(tx: Tx, of: { conversationId: string; answerId?: string }): Promise<boolean> {
    return this.buffers.hasWaiting(tx, { answerId: null, ...of });
  }

  /**
   * Belongs in the commit that delivers the buffer's reply, and in no other. The caller holds the
   * conversation's lock. The next buffer is due again if it was put back to wait for this; with
   * `conversationId` also when the messages were cleared before, as by their age before a replay.
   */
  async clearBuffer(
    tx: Tx,
    { answerId, conversationId }: { answerId: string; conversationId?: string },
  ): Promise<void> {
    const cleared = await this.buffers.clear(tx, [answerId]);
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
  lockOpen(tx: Tx, { answerId }: { answerId: string }): Promise<boolean> {
    return this.timers.lockOpen(tx, answerId);
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
    const answerIds = await this.jobs.cancel(tx, { queue: QUEUE, key: conversationId });
    if (answerIds.length > 0) await this.buffers.clear(tx, answerIds);
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

function reused(messageId: string): MessageIdReusedError {
  return new MessageIdReusedError('this message id was used for another message', {
    fields: { messageId },
  });
}
