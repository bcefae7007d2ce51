import { ColloquyError } from '../common/errors';
import { Injectable } from '@nestjs/common';
import { AttentionNotReplayableError, EventBus, OnEvent, type PayloadOf } from '../common/events';
import type { Tx } from '../common/uow';
import type { AttentionItem } from './attention.entity';
import { AttentionRepository } from './attention.repository';

/** There is no item with this id. */
export class AttentionUnknownError extends ColloquyError {
  readonly code = 'attention_unknown';
  readonly retryable = false;
}

/** The item is closed already. */
export class AttentionClosedError extends ColloquyError {
  readonly code = 'attention_closed';
  readonly retryable = false;
}

/** The item belongs to no conversation, so there is nobody to reply to and nothing to return. */
export class AttentionWithoutConversationError extends ColloquyError {
  readonly code = 'attention_without_conversation';
  readonly retryable = false;
}

/** The digits of a bigint. */
const ID = /^\d{1,18}$/;

/**
 * The one list of what needs a person. An item is added in the commit that makes it necessary, by
 * the event `attention.needed`; it is announced after that commit (see AttentionAlerts).
 */
@Injectable()
export class AttentionService {
  constructor(
    private readonly items: AttentionRepository,
    private readonly events: EventBus,
  ) {}

  @OnEvent('attention.needed')
  async whenNeeded(tx: Tx, item: PayloadOf<'attention.needed'>): Promise<void> {
    await this.raise(tx, item);
  }

  @OnEvent('attention.settled')
  whenSettled(tx: Tx, { subject, resolution }: PayloadOf<'attention.settled'>): Promise<void> {
    return this.settle(tx, subject, resolution);
  }

  /** Adds an item unless an open item of this kind and subject exists. */
  async raise(tx: Tx, item: PayloadOf<'attention.needed'>): Promise<{ isNew: boolean }> {
    return { isNew: await this.items.add(tx, item) };
  }

  /** Oldest first; at most 200, then go on with `afterId`. */
  list(
    tx: Tx,
    filter: { state?: 'open' | 'closed' | 'all'; afterId?: string; limit?: number } = {},
  ): Promise<AttentionItem[]> {
    return this.items.list(tx, { state: 'open', afterId: '0', limit: 100, ...filter });
  }

  /** Throws AttentionUnknownError. */
  async get(tx: Tx, id: string): Promise<AttentionItem> {
    const item = ID.test(id) ? await this.items.find(tx, id) : null;
    if (item === null) throw new AttentionUnknownError('no attention item has this id');
    return item;
  }

  /** Throws AttentionUnknownError, AttentionWithoutConversationError. */
  async conversationOf(tx: Tx, id: string): Promise<string> {
    const { conversationId } = await this.get(tx, id);
    if (conversationId !== null) return conversationId;
    throw new AttentionWithoutConversationError('the item belongs to no conversation');
  }

  isReplayable(item: AttentionItem): boolean {
    return item.closedAt === null && this.topicOf(item) !== null;
  }

  /** Throws AttentionUnknownError, AttentionClosedError. */
  async close(tx: Tx, id: string, by: string, resolution: string): Promise<AttentionItem> {
    const item = await this.get(tx, id);
    const closed = await this.items.close(tx, item.id, { by, resolution });
    if (closed === null) throw new AttentionClosedError('the item is closed already');
    return closed;
  }

  /** Closes the open items about a subject that needs no person any more. */
  settle(tx: Tx, subject: string, resolution: string): Promise<void> {
    return this.items.closeSubject(tx, subject, resolution);
  }

  /**
   * Does the item's work again and closes it, or neither. The item is closed last: a flow that
   * raises it holds its conversation's lock already, and the replay needs that lock too.
   * Throws what `close` does, AttentionNotReplayableError, and the replay's own refusals.
   */
  async replay(tx: Tx, id: string, by: string): Promise<AttentionItem> {
    const item = await this.get(tx, id);
    if (item.closedAt !== null) throw new AttentionClosedError('the item is closed already');
    const topic = this.topicOf(item);
    if (topic === null) {
      throw new AttentionNotReplayableError(`an item "${item.kind}" can only be closed`);
    }
    await this.events.publishTo(tx, 'attention.replayed', topic, item);
    return this.close(tx, id, by, 'replayed');
  }

  /**
   * The topic of `attention.replayed`: the prefix of the item's subject when it has a handler, else
   * the item's kind when that has one. Null: nothing handles this item.
   */
  private topicOf({ kind, subject }: AttentionItem): string | null {
    const topics = [subject.split(':', 1)[0] ?? '', kind];
    return topics.find((topic) => this.events.handles('attention.replayed', topic)) ?? null;
  }
}
