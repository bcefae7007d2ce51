import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';
import { QueueBreakers, Jobs } from '../jobs';
import { DeadDeliveryRepository, type DeadMessage, DueChats } from './dead-delivery.repository';
import { DeliveryRepository } from './delivery.repository';
import { type SendingChannel, ChannelRegistry } from './channel';
import { SettledPort } from './delivery-settled';

/** Where parts go, in order: a chat of a channel. */
export interface Chat {
  readonly channel: string;
  readonly chat: string;
}

/** The key of the chat's job in the queue `deliver`. */
export function keyOfChat({ channel, chat }: Chat): string {
  return `${channel}:${chat}`;
}

export function chatOfKey(key: string): Chat {
  const colon = key.indexOf(':');
  return { channel: key.slice(0, colon), chat: key.slice(colon + 1) };
}

const WEB = 'web';

/** What came of a try to send again. */
export type Resumed = 'resumed' | 'nothing_to_resume' | 'passed';

/**
 * What has to reach a candidate, as its callers see it: every method writes in the caller's
 * transaction, which holds the conversation's lock or takes it first. Sending is DeliverWorker's.
 */
@Injectable()
export class DeliveryService {
  constructor(
    private readonly channels: ChannelRegistry,
    private readonly rows: DeliveryRepository,
    private readonly dead: DeadDeliveryRepository,
    private readonly port: SettledPort,
    private readonly jobs: Jobs,
    private readonly due: DueChats,
    private readonly breakers: QueueBreakers,
  ) {}

  /** At boot, before the application has started. Throws UnknownChannelError for a second one. */
  register(channel: SendingChannel): void {
    this.channels.register(channel);
  }

  /** Whether messages of this channel have to be sent. */
  sends(channel: string): boolean {
    return this.channels.find(channel) !== undefined;
  }

  /**
   * Adds the parts of a stored message; `isDelivered` when nothing remains to be sent. `chat`:
   * where to, if the caller knows; else the channel does. Without a chat, a channel that sends or
   * a part, the message is delivered by its commit: the page shows it.
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
    const channel = this.channels.find(message.channel);
    const chat = message.chat ?? (await channel?.chatOf(tx, conversationId)) ?? null;
    const parts = channel?.parts(text) ?? [];
    if (channel === undefined || chat === null || parts.length === 0) {
      const shown = { ...message, channel: WEB, chat: conversationId };
      await this.rows.insert(tx, shown, [{ text, plain: text }], 'sent');
      return { isDelivered: true };
    }
    const to = { channel: channel.channel, chat };
    // The job first: until this commits, nobody else numbers parts of the chat.
    await this.makeDue(tx, to);
    await this.rows.insert(tx, { ...message, ...to }, parts, 'pending');
    return { isDelivered: false };
  }

  /**
   * The person does not take messages of the channel any more: what the conversation was to get in
   * the chat is given up. Locks the conversation.
   */
  async block(tx: Tx, chat: Chat, conversationId: string): Promise<void> {
    await this.rows.lockConversation(tx, conversationId);
    await this.rows.buryBlocked(tx, chat, [conversationId]);
    await this.port.settled.onBlocked(tx, { conversationId });
  }

  /**
   * The person takes messages of the channel again: in each conversation held in the chat, and in
   * `current`, the last reply that was given up because of the block is due, from its first unsent
   * part on. Locks those conversations. Answers how many replies are due.
   */
  async unblock(tx: Tx, chat: Chat, current: string | null = null): Promise<number> {
    const blocked = await this.dead.listBlocked(tx, chat);
    const conversationIds = [
      ...new Set([...blocked, ...(current === null ? [] : [current])]),
    ].sort();
    for (const id of conversationIds) await this.rows.lockConversation(tx, id);
    let count = 0;
    for (const conversationId of conversationIds) {
      const last = await this.dead.findLastBlocked(tx, conversationId);
      if ((await this.revive(tx, last)) === 'resumed') count += 1;
      await this.port.settled.onUnblocked(tx, { conversationId });
    }
    return count;
  }

  /** The conversation's last reply that a block kept back is due. Locks the conversation. */
  async resume(tx: Tx, conversationId: string): Promise<Resumed> {
    await this.rows.lockConversation(tx, conversationId);
    return this.revive(tx, await this.dead.findLastBlocked(tx, conversationId));
  }

  /** The message of a dead part is due, from its first unsent part on. Locks the conversation. */
  async replay(tx: Tx, deliveryId: string): Promise<Resumed> {
    const conversationId = await this.dead.conversationOf(tx, deliveryId);
    if (conversationId === undefined) return 'nothing_to_resume';
    await this.rows.lockConversation(tx, conversationId);
    return this.revive(tx, await this.dead.find(tx, deliveryId));
  }

  /**
   * Nothing of these conversations was ever to be sent. A send under way ends without a trace: its
   * chat's job is gone, unless somebody else's conversation is held there too. The caller holds the
   * conversations' locks.
   */
  async erase(tx: Tx, conversationIds: readonly string[]): Promise<void> {
    for (const chat of await this.rows.erase(tx, conversationIds)) {
      if ((await this.rows.findFirst(tx, chat)) !== undefined) continue;
      await this.jobs.erase(tx, { queue: 'deliver', keys: [keyOfChat(chat)] });
      // Another's part may have been on its way into the chat: the job that it came with is gone.
      if ((await this.rows.findFirst(tx, chat)) !== undefined) await this.makeDue(tx, chat);
    }
  }

  /** There is a channel, and as far as this process knows its server is not away. */
  get canSend(): boolean {
    return !this.channels.isEmpty && !this.breakers.isOpen('deliver');
  }

  /** Chats for which this replica has added or sent something, and that are due within that time. */
  countOwnChats(tx: Tx, withinMs: number): Promise<number> {
    return this.due.countOwn(tx, withinMs);
  }

  private async revive(tx: Tx, message: DeadMessage | undefined): Promise<Resumed> {
    if (message === undefined) return 'nothing_to_resume';
    if (message.isPassed) return 'passed';
    await this.makeDue(tx, message);
    await this.dead.revive(tx, message);
    return 'resumed';
  }

  private async makeDue(tx: Tx, chat: Chat): Promise<void> {
    await this.jobs.upsert(tx, { queue: 'deliver', key: keyOfChat(chat), dueInMs: 0 });
  }
}
