import { Injectable } from '@nestjs/common';
import { EventBus } from '../../common/events';
import { newId } from '../../common/ids';
import type { Tx } from '../../common/uow';
import type { QuestionMark } from '../../streams';
import { DeliveryService } from '../../delivery';
import { type ConversationRow } from '../conversation.repository';
import { MessageRepository } from './message.repository';

/** Messages of code outside of a turn: stored in the transcript and sent on the candidate's channel. */
@Injectable()
export class SystemMessages {
  constructor(
    private readonly messages: MessageRepository,
    private readonly deliveries: DeliveryService,
    private readonly events: EventBus,
  ) {}

  /** Whether a message with this external id exists. */
  isKnown(tx: Tx, conversationId: string, externalId: string): Promise<boolean> {
    return this.messages.isKnown(tx, { conversationId, channel: 'code', externalId });
  }

  /** Under the conversation's lock. False: a message with this external id exists already. */
  async send(
    tx: Tx,
    { id: conversationId, channel }: Pick<ConversationRow, 'id' | 'channel'>,
    line: {
      role: 'assistant' | 'system';
      externalId: string;
      text: string;
      isFromPerson?: boolean;
      question?: QuestionMark | null;
      /** Another text for channels that send, because they show no author. */
      sentAs?: string;
    },
  ): Promise<boolean> {
    const { sentAs: text = line.text, ...said } = line;
    const stored = await this.messages.add(tx, {
      ...said,
      id: newId(),
      conversationId,
    });
    if (stored === undefined) return false;
    await this.events.publish(tx, 'conversation.changed', { conversationId });
    if (!this.deliveries.sends(channel)) return true;
    const message = { conversationId, messageId: stored.id, channel, text, turnId: null };
    await this.deliveries.add(tx, { ...message, kind: 'notice' });
    return true;
  }
}
