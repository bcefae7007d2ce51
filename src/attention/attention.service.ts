import { ColloquyError } from '../common/errors';
import { Injectable } from '@nestjs/common';
import {
  AttentionNotReplayableError,
  DomainEvents,
  DomainEventHandler,
  type PayloadOf,
} from '../common/events';
import type { Tx } from '../common/uow';
import type { AttentionItem } from './attention.entity';
import {
  type AttentionFilter,
  AttentionRepository,
  type ChangedItem,
} from './attention.repository';

/**
 * The one list of what needs a person. An item is added in the commit that makes it necessary, by
 * the event `attention.needed`; it is announced after that commit (see AttentionAlerts).
 */
@Injectable()
export class AttentionService {
  constructor(
    private readonly items: AttentionRepository,
    private readonly events: DomainEvents,
  ) {}

  @DomainEventHandler('attention.needed')
  async whenNeeded(tx: Tx, item: PayloadOf<'attention.needed'>): Promise<void> {
    await this.raise(tx, item);
  }

  @DomainEventHandler('attention.settled')
  async whenSettled(tx: Tx, settled: PayloadOf<'attention.settled'>): Promise<void> {
    await this.tellTeam(tx, await this.items.closeSubject(tx, settled));
  }

  /** Adds an item unless an open item of this kind and subject exists. */
  async raise(tx: Tx, item: PayloadOf<'attention.needed'>): Promise<{ isNew: boolean }> {
    const added = await this.items.add(tx, item);
    if (added !== null) await this.tellTeam(tx, [added]);
    return { isNew: added !== null };
  }

  /**
   * The open items of the kind `model`: each stands for all items that name its subject in `under`.
   */
  listModelItems(tx: Tx): Promise<AttentionItem[]> {
    return this.items.listKind(tx, 'model');
  }

  /**
   * Adds an item of the kind `model`, unless one is open. A person who has closed it within `restMs` knows
   * about it, so then it is not added again.
   */
  async raiseModelItem(
    tx: Tx,
    item: { readonly subject: string; readonly reason: string },
    restMs: number,
  ): Promise<void> {
    const needed = { kind: 'model', ...item } as const;
    if (!(await this.items.wasClosedByPerson(tx, needed, restMs))) await this.raise(tx, needed);
  }

  /** The open items that are listed under this one, oldest first; at most 200. */
  listUnder(
    tx: Tx,
    { kind, subject, closedAt }: AttentionItem,
    page: { afterId?: string; limit?: number } = {},
  ): Promise<AttentionItem[]> {
    if (kind !== 'model' || closedAt !== null) return Promise.resolve([]);
    return this.items.listUnder(tx, subject, { afterId: '0', limit: 100, ...page });
  }

  /** By the id of each item that has some, how many open items are listed under it. */
  async countUnder(tx: Tx, items: readonly AttentionItem[]): Promise<ReadonlyMap<string, number>> {
    const above = items.filter(({ kind, closedAt }) => kind === 'model' && closedAt === null);
    if (above.length === 0) return new Map();
    const counts = await this.items.countUnder(
      tx,
      above.map(({ subject }) => subject),
    );
    return new Map(above.map(({ id, subject }) => [id, counts.get(subject) ?? 0]));
  }

  /** Oldest first, at most 200; then go on with `afterId`. Without those that are listed under others. */
  list(tx: Tx, filter: AttentionFilter = {}): Promise<AttentionItem[]> {
    const page = { state: 'open', afterId: '0', limit: 100 } as const;
    const defaults = { ...page, vacancyIds: null, kind: null } as const;
    return this.items.list(tx, { ...defaults, ...filter });
  }

  /** Throws AttentionUnknownError. */
  async get(tx: Tx, id: string): Promise<AttentionItem> {
    const item = ID.test(id) ? await this.items.find(tx, id) : null;
    if (item === null) throw new AttentionUnknownError('no attention item has this id');
    return item;
  }

  /** Throws AttentionWithoutConversationError. */
  conversationOf({ conversationId }: AttentionItem): string {
    if (conversationId !== null) return conversationId;
    throw new AttentionWithoutConversationError('the item belongs to no conversation');
  }

  /** The open items about this conversation, oldest first. */
  openOf(tx: Tx, conversationId: string): Promise<AttentionItem[]> {
    return this.items.listOpenOf(tx, conversationId);
  }

  isReplayable(item: AttentionItem): boolean {
    return item.closedAt === null && this.topicOf(item) !== null;
  }

  /** Throws AttentionUnknownError, AttentionClosedError. */
  async close(tx: Tx, id: string, by: string, resolution: string): Promise<AttentionItem> {
    const item = await this.get(tx, id);
    const closed = await this.items.close(tx, item.id, { by, resolution });
    if (closed === null) throw new AttentionClosedError('the item is closed already');
    await this.tellTeam(tx, [closed]);
    return closed;
  }

  /** Closes the open items about a subject that needs no person any more. */
  settle(tx: Tx, subject: string, resolution: string): Promise<void> {
    return this.whenSettled(tx, { subject, resolution });
  }

  /** The team's pages show these items. */
  async tellTeam(tx: Tx, changed: readonly ChangedItem[]): Promise<void> {
    for (const { id, conversationId: interviewId } of changed) {
      const change = { kind: 'attention', id, interviewId, vacancyId: null } as const;
      await this.events.publish(tx, 'team.changed', change);
    }
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

/** The digits of a bigint. */
const ID = /^\d{1,18}$/;

/** There is no item with this id. */
export class AttentionUnknownError extends ColloquyError {
  readonly code = 'attention_unknown';
  readonly retryable = false;
}

/** The item belongs to no conversation, so there is nobody to reply to and nothing to return. */
export class AttentionWithoutConversationError extends ColloquyError {
  readonly code = 'attention_without_conversation';
  readonly retryable = false;
}

/** The item is closed already. */
export class AttentionClosedError extends ColloquyError {
  readonly code = 'attention_closed';
  readonly retryable = false;
}
