import { Injectable } from '@nestjs/common';
import { type ContentType, conversationLimitsOf, fullOf } from '../../buffer';
import { type ChannelName, ChannelRegistry } from '../../channels';
import { Settings } from '../../common/config';
import { DomainEvents } from '../../common/events';
import { newId } from '../../common/ids';
import type { Tx } from '../../common/uow';
import { DeliveryService } from '../../delivery';
import type { QuestionMark } from '../../streams';
import { type ConversationRow, ConversationRepository } from '../conversation.repository';
import { MessageRepository } from './message.repository';

/** Messages of code outside of a turn: stored in the transcript and sent on the candidate's channel. */
@Injectable()
export class SystemMessages {
  constructor(
    private readonly messages: MessageRepository,
    private readonly deliveries: DeliveryService,
    private readonly events: DomainEvents,
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

/** What came with a text; `group` names what was sent as one, such as an album. */
export interface Attachment {
  readonly kind: string;
  readonly group?: string;
  readonly [other: string]: unknown;
}

/**
 * Messages of a candidate that are stored for people and get no reply: content that no model reads, such as
 * a photo, and what came after the conversation had closed.
 */
@Injectable()
export class RetainedMessages {
  private readonly limits;

  constructor(
    private readonly conversations: ConversationRepository,
    private readonly messages: MessageRepository,
    private readonly events: DomainEvents,
    private readonly channels: ChannelRegistry,
    settings: Settings,
  ) {
    this.limits = conversationLimitsOf(settings);
  }

  /**
   * Locks the conversation. A redelivery changes nothing. Throws ConversationUnknownError,
   * ConversationFullError or UnknownChannelError.
   */
  async keep(
    tx: Tx,
    line: {
      conversationId: string;
      channel: ChannelName;
      externalId: string;
      text: string;
      attachment: Attachment | null;
    },
  ): Promise<void> {
    this.channels.get(line.channel);
    await this.conversations.lockKnown(tx, line.conversationId);
    const kept = { ...line, id: newId() };
    const crossed = await this.messages.keep(tx, kept, this.limits);
    if (crossed !== null) throw fullOf(crossed);
    const { conversationId } = line;
    await this.events.publish(tx, 'conversation.changed', { conversationId });
    await this.events.publish(tx, 'interview.changed', { conversationIds: [conversationId] });
  }

  /** Sets the attachment of a stored message. */
  attach(tx: Tx, messageId: string, attachment: Attachment): Promise<void> {
    return this.messages.attach(tx, messageId, attachment);
  }

  /** The client split one text: this was joined to the message before it. */
  joinToPrevious(tx: Tx, messageId: string, joiner: string): Promise<void> {
    return this.messages.setJoiner(tx, messageId, joiner);
  }

  /** The number of the line that a message of the channel is, or that it sent to the candidate. */
  findSeq(
    tx: Tx,
    of: { conversationId: string; channel: ChannelName; externalId: string; sentId: string },
  ): Promise<number | null> {
    return this.messages.findSeq(tx, of);
  }

  isKnown(
    tx: Tx,
    of: { conversationId: string; channel: ChannelName; externalId: string },
  ): Promise<boolean> {
    return this.messages.isKnown(tx, of);
  }

  /** Something of the group is there already, as a message of that type. */
  isOfKnownGroup(
    tx: Tx,
    conversationId: string,
    { group }: Attachment,
    contentType: ContentType,
  ): Promise<boolean> {
    if (group === undefined) return Promise.resolve(false);
    return this.messages.hasAttachmentOfGroup(tx, { conversationId, group, contentType });
  }
}
