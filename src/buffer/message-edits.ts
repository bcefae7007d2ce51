import { Injectable } from '@nestjs/common';
import type { ChannelName } from '../channels';
import { Settings } from '../common/config';
import { hashToken } from '../common/ids';
import type { Tx } from '../common/uow';
import { DebounceRepository } from '../jobs';
import { BufferRepository, type BufferedMessage } from './buffer.repository';
import {
  activityWindowMs,
  limitsOf,
  MessageIntake,
  assertMessageText,
  weightOf,
} from './message-intake';
import { ConversationFullError, MessageUnknownError } from './errors';

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
    throw new ConversationFullError('this conversation takes no more characters', {
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
