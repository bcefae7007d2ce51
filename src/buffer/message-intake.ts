import { type Channel, type ChannelName, ChannelRegistry } from '../channels';
import { Settings } from '../common/config';
import { type DebounceLimits, DebounceRepository } from '../jobs';
import { isStorable } from '../common/text';
import {
  BlankMessageError,
  InvalidTextError,
  MessageTooLongError,
  AudioFullError,
  ConversationFullError,
  FilesFullError,
  MessageIdReusedError,
  MessageUnknownError,
} from './errors';
import { Injectable } from '@nestjs/common';
import { newId, hashToken } from '../common/ids';
import { noteIds } from '../common/tracing';
import type { Tx } from '../common/uow';
import {
  type Addition,
  type AppendedRow,
  BufferRepository,
  type NotOpen,
  type BufferedMessage,
} from './buffer.repository';
import { ODDS_IN_ORDER, answerEnd, oddsOf, paceOf } from './answer-pace';

/** How long Done waits for messages that were sent before it and arrive after it. */
export const DONE_WINDOW_MS = 1000;

/** The same when the sender names the last message, so that nothing is missing. */
export const COMPLETE_DONE_WINDOW_MS = 200;

type BufferSettings = Settings['buffer'];

/** With the buffer switched off, one message fills it: it is due at once, as a job like any other. */
export function limitsOf(settings: BufferSettings): DebounceLimits {
  const { maxWaitMs, maxChars } = settings;
  return { maxWaitMs, maxSize: settings.enabled ? settings.maxSize : 1, maxChars };
}

/** Quiet time after a message. */
export function messageWindowMs(settings: BufferSettings, channel: Channel): number {
  return settings.enabled ? channel.quietMs(settings) : 0;
}

/** Quiet time after typing, recording or an edit. */
export function activityWindowMs(settings: BufferSettings): number {
  return settings.enabled ? settings.typingDebounceMs : 0;
}

/** Longest message, in UTF-16 units. */
export const MAX_MESSAGE_UNITS = 16_000;

/** Anything but white space, control, zero-width and other invisible characters. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** How much a message counts towards the maximum of characters of its buffer. */
export function weightOf(text: string): number {
  return text.length;
}

/** Throws InvalidTextError, MessageTooLongError or BlankMessageError. */
export function assertMessageText(text: string): void {
  assertStorable(text, 'text');
  if (text.length > MAX_MESSAGE_UNITS) {
    throw new MessageTooLongError(
      `the message is too long: send at most ${MAX_MESSAGE_UNITS} characters`,
      { fields: { length: text.length, max: MAX_MESSAGE_UNITS } },
    );
  }
  if (isBlank(text)) throw new BlankMessageError('the message is blank');
}

/** Throws InvalidTextError. */
export function assertStorable(value: string, name: 'text' | 'id' | 'question'): void {
  if (isStorable(value)) return;
  throw new InvalidTextError(`the ${name} of the message has characters that cannot be stored`, {
    fields: { name },
  });
}

/** Whether the text has no visible character. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text);
}

/** A text; a voice, whose text is its transcript; a file, whose text is its name. */
export type ContentType = 'TEXT' | 'VOICE' | 'FILE';

export interface NewMessage {
  readonly conversationId: string;
  readonly channel: ChannelName;
  /** The channel's own id of the message; unique together with conversation and channel. */
  readonly externalId: string;
  readonly text: string;
  readonly contentType?: ContentType;
  /** The question that was open when it arrived. */
  readonly questionContext?: string | null;
  /** A voice whose transcript comes later by `settleHold`; until then its text is empty. */
  readonly isHeld?: boolean;
  /** Size of a voice or a file, if it is known. */
  readonly mediaBytes?: number;
}

export interface AppendedMessage {
  readonly messageId: string;
  readonly seq: number;
  readonly bufferId: string;
  /** When the buffer is due; for a redelivery after the claim, a time in the past. */
  readonly dueAt: Date;
  /** The same from now on; below 0 when it is overdue. */
  readonly dueInMs: number;
  /** False for a redelivery, which changed nothing. */
  readonly isNew: boolean;
  /** It made its answer long: the job that tells the candidate is stored. */
  readonly isLong: boolean;
}

/** Stores messages and adds them to their buffers. */
@Injectable()
export class MessageIntake {
  private readonly settings;
  private readonly limits;
  private readonly pace;
  private readonly conversationLimits;

  constructor(
    settings: Settings,
    private readonly buffers: BufferRepository,
    private readonly channels: ChannelRegistry,
  ) {
    this.settings = settings.buffer;
    this.limits = limitsOf(settings.buffer);
    this.pace = paceOf(settings.buffer);
    this.conversationLimits = settings.conversationLimits;
  }

  /** A new message, or with `amends` the correction of a message whose buffer was claimed. */
  async store(tx: Tx, message: NewMessage, amends: string | null): Promise<AppendedMessage> {
    const stored = await this.append(tx, message, { amends, fromCandidate: false });
    if (typeof stored !== 'string') return stored;
    throw new Error('the message is for a conversation that does not exist');
  }

  /** A candidate's message, in one statement; it is stored only if the interview is open. */
  receive(tx: Tx, message: NewMessage): Promise<AppendedMessage | NotOpen> {
    return this.append(tx, message, { amends: null, fromCandidate: true });
  }

  private async append(
    tx: Tx,
    message: NewMessage,
    { amends, fromCandidate }: { amends: string | null; fromCandidate: boolean },
  ): Promise<AppendedMessage | NotOpen> {
    const { conversationId, channel, externalId, isHeld = false } = message;
    noteIds({ conversation: conversationId });
    const text = isHeld ? '' : message.text;
    if (!isHeld) assertMessageText(text);
    assertStorable(externalId, 'id');
    const id = newId();
    const row = await this.buffers.append(
      tx,
      {
        id,
        conversationId,
        channel,
        externalId,
        contentType: isHeld ? 'VOICE' : (message.contentType ?? 'TEXT'),
        text,
        questionContext: message.questionContext ?? null,
        amends,
        mediaBytes: message.mediaBytes ?? 0,
        fromCandidate,
        endOdds: oddsOf(answerEnd(text)),
      },
      this.additionOf(channel, weightOf(text), isHeld),
      this.conversationLimits,
      this.pace,
    );
    if (row === undefined) return 'unknown';
    const { messageId, seq, bufferId, dueAt, dueInMs, refusedBy, isLong } = row;
    // A text that reuses the id of a voice or a file is refused, because as a redelivery it would
    // be lost.
    if (refusedBy === 'other_text') throw reused(messageId);
    if (refusedBy !== null) return notOpen(refusedBy, message);
    return { messageId, seq, bufferId, dueAt, dueInMs, isNew: messageId === id, isLong };
  }

  /** As BufferService.learnQuietTime. */
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

  /** Adds a stored message of this weight to the open buffer. Under the conversation's lock. */
  join(
    tx: Tx,
    message: { conversationId: string; channel: ChannelName; weight: number },
  ): Promise<{ bufferId: string }> {
    const addition = this.additionOf(message.channel, message.weight, false);
    return this.buffers.join(tx, message.conversationId, addition);
  }

  private additionOf(channel: ChannelName, weight: number, isHeld: boolean): Addition {
    return {
      weight,
      holds: isHeld ? 1 : 0,
      windowMs: messageWindowMs(this.settings, this.channels.get(channel)),
      limits: this.limits,
    };
  }
}

/** Throws for a limit; returns why the interview is not open. */
function notOpen(
  refusedBy: Exclude<AppendedRow['refusedBy'], 'other_text' | null>,
  { contentType }: NewMessage,
): NotOpen {
  switch (refusedBy) {
    case 'audio':
      if (contentType === 'FILE') {
        throw new FilesFullError('this interview has reached its limit of files: send text');
      }
      throw new AudioFullError('this interview has reached its limit of audio: send text');
    case 'messages':
      throw new ConversationFullError('this interview has reached its limit of messages', {
        fields: { limit: refusedBy },
      });
    case 'chars':
      throw new ConversationFullError('this interview has reached its limit of characters', {
        fields: { limit: refusedBy },
      });
    case 'unknown':
    case 'closed':
    case 'consent':
    case 'profile':
      return refusedBy;
  }
}

function reused(messageId: string): MessageIdReusedError {
  return new MessageIdReusedError('this message id was used for another message', {
    fields: { messageId },
  });
}

export interface EditedMessage {
  readonly conversationId: string;
  readonly channel: ChannelName;
  readonly externalId: string;
  readonly text: string;
}

/**
 * Changes stored messages. A waiting message may change until a claim seals its buffer: the buffer's
 * row is locked first, so that the text of a model request cannot change while the request is made.
 */
@Injectable()
export class MessageEdits {
  private readonly limits;
  private readonly editWindowMs;
  private readonly maxChars;

  constructor(
    settings: Settings,
    private readonly buffers: BufferRepository,
    private readonly timers: DebounceRepository,
    private readonly intake: MessageIntake,
  ) {
    this.limits = limitsOf(settings.buffer);
    this.editWindowMs = activityWindowMs(settings.buffer);
    this.maxChars = settings.conversationLimits.chars;
  }

  async edit(tx: Tx, edited: EditedMessage): Promise<'edited' | 'amendment'> {
    const { conversationId, channel, externalId, text } = edited;
    assertMessageText(text);
    const message = await this.findLocked(tx, edited);
    const correction = await this.buffers.findLastCorrection(tx, conversationId, message.id);
    const current = correction ?? message;
    const result = correction === undefined ? 'edited' : 'amendment';
    if (current.text === text) return result;
    if (!current.isHeld && (await this.timers.lockOpen(tx, current.bufferId))) {
      await this.changeText(tx, conversationId, current, text);
      return result;
    }
    // Named after what it replaces, so that an edit back to an earlier text is stored as well.
    const id = `${externalId}:edit:${hashToken(current.externalId).slice(0, 32)}`;
    const { questionContext } = message;
    await this.intake.store(
      tx,
      { conversationId, channel, externalId: id, text, questionContext },
      message.id,
    );
    return 'amendment';
  }

  private async changeText(
    tx: Tx,
    conversationId: string,
    message: BufferedMessage,
    text: string,
  ): Promise<void> {
    const weightChange = weightOf(text) - weightOf(message.text);
    await this.count(tx, conversationId, { chars: weightChange, maxChars: this.maxChars });
    await this.buffers.setText(tx, { id: message.id, text });
    await this.timers.reweigh(tx, message.bufferId, {
      weightChange,
      holdsReleased: 0,
      windowMs: this.editWindowMs,
      limits: this.limits,
    });
  }

  async settleHold(tx: Tx, transcript: EditedMessage): Promise<void> {
    const { conversationId, channel, text } = transcript;
    assertMessageText(text);
    const message = await this.findLocked(tx, transcript);
    if (!message.isHeld) return;
    const weight = weightOf(text);
    // The voice was accepted, so its transcript is never refused.
    await this.count(tx, conversationId, { chars: weight, maxChars: null });
    if (await this.timers.lockOpen(tx, message.bufferId)) {
      await this.releaseHold(tx, message.bufferId, weight);
    } else {
      const { bufferId } = await this.intake.join(tx, { conversationId, channel, weight });
      await this.buffers.moveTo(tx, bufferId, message.id);
    }
    await this.buffers.setTranscript(tx, { id: message.id, text });
  }

  async dropHold(tx: Tx, dropped: EditedMessage): Promise<void> {
    const { text } = dropped;
    assertMessageText(text);
    const message = await this.findLocked(tx, dropped);
    if (!message.isHeld) return;
    if (await this.timers.lockOpen(tx, message.bufferId)) {
      await this.releaseHold(tx, message.bufferId, 0);
    }
    await this.buffers.takeOut(tx, { id: message.id, text });
  }

  private async findLocked(tx: Tx, named: EditedMessage): Promise<BufferedMessage> {
    await this.buffers.lockConversation(tx, named.conversationId);
    const message = await this.buffers.find(tx, named);
    if (message !== undefined) return message;
    throw new MessageUnknownError('the message to be changed does not exist');
  }

  private async count(
    tx: Tx,
    conversationId: string,
    change: { chars: number; maxChars: number | null },
  ): Promise<void> {
    if (await this.buffers.countChars(tx, conversationId, change)) return;
    throw new ConversationFullError('this interview has reached its limit of characters', {
      fields: { limit: 'chars' },
    });
  }

  private releaseHold(tx: Tx, bufferId: string, weightChange: number): Promise<void> {
    const { limits } = this;
    return this.timers.reweigh(tx, bufferId, {
      weightChange,
      holdsReleased: 1,
      windowMs: 0,
      limits,
    });
  }
}
