import { Injectable } from '@nestjs/common';
import { ChannelRegistry } from '../channels';
import { DomainEvents, DomainEventHandler, type PayloadOf } from '../common/events';
import type { Tx } from '../common/uow';
import { QueueBreakers, Jobs } from '../jobs';
import {
  DeadDeliveryRepository,
  type DeadMessage,
  DeliveryRepository,
} from './delivery.repository';

/**
 * What has to reach a candidate. Every method writes in the caller's transaction, which holds the
 * conversation's lock or takes it first. DeliverWorker sends.
 */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly channels: ChannelRegistry,
    private readonly deliveries: DeliveryRepository,
    private readonly dead: DeadDeliveryRepository,
    private readonly jobs: Jobs,
    private readonly events: DomainEvents,
    private readonly breakers: QueueBreakers,
  ) {}

  /** Whether messages of this channel are sent. Throws UnknownChannelError. */
  sends(channel: string): boolean {
    return this.channels.sends(channel);
  }

  /**
   * Adds the parts of a stored message; `isDelivered` when nothing remains to be sent. `chat`: where
   * to send it; without it the channel finds the chat. When the channel is off, or there is no chat
   * or no part, this commit delivers the message, because the page shows it. Throws
   * UnknownChannelError.
   */
  async add(
    tx: Tx,
    message: {
      conversationId: string;
      turnId: string | null;
      messageId: string;
      kind: 'reply' | 'notice';
      channel: string;
      chat?: string;
      text: string;
    },
  ): Promise<{ isDelivered: boolean }> {
    const { conversationId, text } = message;
    const channel = this.channels.get(message.channel);
    const own = channel.isOn ? channel.parts(text) : [];
    const chat = message.chat ?? (await channel.chatOf(tx, conversationId));
    if (chat === null || own.length === 0) {
      const shown = { ...message, channel: PAGE, chat: conversationId };
      await this.deliveries.insert(tx, shown, [{ text, plain: text }], 'sent');
      return { isDelivered: true };
    }
    const heading = (await channel.headingOf?.(tx, conversationId, chat)) ?? null;
    const sent = heading === null ? text : `${heading}\n\n${text}`;
    const parts = heading === null ? own : channel.parts(sent);
    const to = { channel: channel.name, chat };
    // The job first: its row lock keeps other commits from adding parts to the chat meanwhile.
    await this.makeDue(tx, to);
    await this.deliveries.insert(tx, { ...message, ...to, text: sent }, parts, 'pending');
    return { isDelivered: false };
  }

  /**
   * The candidate takes no messages of the channel any more: gives up what the conversation had to
   * send in the chat. Locks the conversation.
   */
  async block(tx: Tx, chat: Chat, conversationId: string): Promise<void> {
    await this.deliveries.lockConversation(tx, conversationId);
    await this.deliveries.markBlocked(tx, chat, [conversationId]);
    await this.events.publish(tx, 'delivery.blocked', { conversationId });
  }

  /**
   * The candidate takes messages of the channel again: in each conversation of the chat, and in
   * `current`, makes the last reply that the block gave up due from its first unsent part. Locks
   * those conversations. Returns how many replies are due.
   */
  async unblock(tx: Tx, chat: Chat, current: string | null = null): Promise<number> {
    const blocked = await this.dead.listBlocked(tx, chat);
    const conversationIds = [
      ...new Set([...blocked, ...(current === null ? [] : [current])]),
    ].sort();
    for (const id of conversationIds) await this.deliveries.lockConversation(tx, id);
    let count = 0;
    for (const conversationId of conversationIds) {
      const last = await this.dead.findLastBlocked(tx, conversationId);
      if ((await this.revive(tx, last)) === 'resumed') count += 1;
      await this.events.publish(tx, 'delivery.unblocked', { conversationId });
    }
    return count;
  }

  /** Makes the conversation's last reply that a block gave up due. Locks the conversation. */
  async resume(tx: Tx, conversationId: string): Promise<ResumeOutcome> {
    await this.deliveries.lockConversation(tx, conversationId);
    return this.revive(tx, await this.dead.findLastBlocked(tx, conversationId));
  }

  /** Makes the message of a dead part due from its first unsent part. Locks the conversation. */
  async replay(tx: Tx, deliveryId: string): Promise<ResumeOutcome> {
    const conversationId = await this.dead.conversationOf(tx, deliveryId);
    if (conversationId === undefined) return 'nothing_to_resume';
    await this.deliveries.lockConversation(tx, conversationId);
    return this.revive(tx, await this.dead.find(tx, deliveryId));
  }

  /**
   * Deletes everything that these conversations had to send. A send that runs stores nothing,
   * because its chat's job is deleted, unless another conversation has parts in the chat. The caller
   * holds the conversations' locks.
   */
  @DomainEventHandler('conversation.erased', { order: 50 })
  async onErased(tx: Tx, { conversationIds }: PayloadOf<'conversation.erased'>): Promise<void> {
    for (const chat of await this.deliveries.erase(tx, conversationIds)) {
      if ((await this.deliveries.findFirst(tx, chat)) !== undefined) continue;
      await this.jobs.erase(tx, { queue: DELIVERY_QUEUE, keys: [keyOfChat(chat)] });
      // Another commit may have added a part meanwhile, and its job was deleted with this one.
      if ((await this.deliveries.findFirst(tx, chat)) !== undefined) await this.makeDue(tx, chat);
    }
  }

  /** A channel that sends is on, and as far as this process knows its server responds. */
  get canSend(): boolean {
    return this.channels.hasSender && !this.breakers.isOpen(DELIVERY_QUEUE);
  }

  /** Chats that this replica added parts to or sends to, and that run or are due within that time. */
  countOwnChats(tx: Tx, withinMs: number): Promise<number> {
    return this.jobs.countOwnDue(tx, { queue: DELIVERY_QUEUE, withinMs });
  }

  private async revive(tx: Tx, message: DeadMessage | undefined): Promise<ResumeOutcome> {
    if (message === undefined) return 'nothing_to_resume';
    if (message.isPassed) return 'passed';
    await this.makeDue(tx, message);
    await this.dead.revive(tx, message);
    return 'resumed';
  }

  private async makeDue(tx: Tx, chat: Chat): Promise<void> {
    await this.jobs.enqueue(tx, { queue: DELIVERY_QUEUE, key: keyOfChat(chat), dueInMs: 0 });
  }
}

/** Its jobs send what has to reach candidates; the key names a chat. */
export const DELIVERY_QUEUE = 'deliver';
/** Where a message is delivered by storing it: the candidate's page shows it. */
const PAGE = 'web';

/** A chat of a channel: its parts are sent in order. */
export interface Chat {
  readonly channel: string;
  readonly chat: string;
}

/** `passed`: a later reply was delivered, so the earlier one is not sent any more. */
export type ResumeOutcome = 'resumed' | 'nothing_to_resume' | 'passed';

/** The key of the chat's job in this queue. */
export function keyOfChat({ channel, chat }: Chat): string {
  return `${channel}:${chat}`;
}

export function chatOfKey(key: string): Chat {
  const colon = key.indexOf(':');
  return { channel: key.slice(0, colon), chat: key.slice(colon + 1) };
}
