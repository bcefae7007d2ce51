import { Injectable } from '@nestjs/common';
import type { ChannelName } from '../channels';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { hashToken } from '../common/ids';
import type { Tx } from '../common/uow';
import { ConversationFullError, MessageUnknownError } from './errors';
import { MessageIntake, assertMessageText, weightOf } from './message-intake';
import * as sql from './buffer.repository';
import { lockConversation, run } from './debounce.repository';
import { activityWindowMs, limitsOf } from './debounce-windows';

export interface EditedMessage {
  readonly conversationId: string;
  readonly channel: ChannelName;
  readonly externalId: string;
  readonly text: string;
}

interface StoredMessage {
  readonly id: string;
  readonly externalId: string;
  readonly bufferId: string;
  readonly text: string;
  readonly questionContext: string | null;
  readonly isHeld: boolean;
}

/**
 * Changes to messages that are stored already. What is waiting may change until a claim seals its
 * buffer: the buffer's row is locked first, so that no model is asked about a text that changes
 * under it.
 */
@Injectable()
export class MessageEdits {
  private readonly limits;
  private readonly editWindowMs;
  private readonly maxChars;

  constructor(
    settings: Settings,
    private readonly clock: Clock,
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
    const [correction] = await run<StoredMessage>(
      tx,
      sql.lastCorrection(conversationId, message.id),
    );
    const current = correction ?? message;
    const result = correction === undefined ? 'edited' : 'amendment';
    if (current.text === text) return result;
    if (!current.isHeld && (await this.isOpen(tx, current))) {
      await this.changeText(tx, conversationId, current, text);
      return result;
    }
    // Named by what it replaces: an edit back to an earlier text is an amendment of its own.
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
    message: StoredMessage,
    text: string,
  ): Promise<void> {
    const weightChange = weightOf(text) - weightOf(message.text);
    await this.count(tx, conversationId, { chars: weightChange, maxChars: this.maxChars });
    await run(tx, sql.setText({ id: message.id, text, now: this.clock.databaseNow() }));
    await this.reweigh(tx, message, {
      weightChange,
      holdsReleased: 0,
      windowMs: this.editWindowMs,
    });
  }

  async settleHold(tx: Tx, transcript: EditedMessage): Promise<void> {
    const { conversationId, channel, text } = transcript;
    assertMessageText(text);
    const message = await this.findLocked(tx, transcript);
    if (!message.isHeld) return;
    const weight = weightOf(text);
    // Its voice was accepted: what was heard in it is never refused.
    await this.count(tx, conversationId, { chars: weight, maxChars: null });
    if (await this.isOpen(tx, message)) {
      await this.reweigh(tx, message, { weightChange: weight, holdsReleased: 1, windowMs: 0 });
    } else {
      const { bufferId } = await this.intake.join(tx, { conversationId, channel, weight });
      await run(tx, sql.moveTo(bufferId, message.id));
    }
    await run(tx, sql.setTranscript({ id: message.id, text }));
  }

  async dropHold(tx: Tx, dropped: EditedMessage): Promise<void> {
    const { text } = dropped;
    assertMessageText(text);
    const message = await this.findLocked(tx, dropped);
    if (!message.isHeld) return;
    if (await this.isOpen(tx, message)) {
      await this.reweigh(tx, message, { weightChange: 0, holdsReleased: 1, windowMs: 0 });
    }
    await run(tx, sql.takeOut({ id: message.id, text, now: this.clock.databaseNow() }));
  }

  private async findLocked(tx: Tx, named: EditedMessage): Promise<StoredMessage> {
    await run(tx, lockConversation(named.conversationId));
    const [message] = await run<StoredMessage>(tx, sql.find(named));
    if (message !== undefined) return message;
    throw new MessageUnknownError('there is no such message to change');
  }

  private async count(
    tx: Tx,
    conversationId: string,
    change: { chars: number; maxChars: number | null },
  ): Promise<void> {
    const rows = await run(tx, sql.countChars(conversationId, change));
    if (rows.length > 0) return;
    throw new ConversationFullError('this conversation takes no more characters', {
      fields: { limit: 'chars' },
    });
  }

  private async isOpen(tx: Tx, message: StoredMessage): Promise<boolean> {
    return (await run(tx, sql.lockOpenBuffer(message.bufferId))).length > 0;
  }

  private reweigh(
    tx: Tx,
    message: StoredMessage,
    change: { weightChange: number; holdsReleased: 0 | 1; windowMs: number },
  ): Promise<unknown> {
    return run(
      tx,
      sql.reweigh(message.bufferId, {
        ...change,
        limits: this.limits,
        now: this.clock.databaseNow(),
      }),
    );
  }
}
