import { ColloquyError } from '../common/errors';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';
import {
  ATTENTION_COLUMNS,
  type AttentionItem,
  type AttentionKind,
  type AttentionRow,
  itemOf,
} from './attention.entity';
import { AttentionReplays } from './attention-replays';

/** There is no item with this id. */
export class AttentionUnknownError extends ColloquyError {
  readonly code = 'attention_unknown';
  readonly retryable = false;
}

/** Somebody closed the item before. */
export class AttentionClosedError extends ColloquyError {
  readonly code = 'attention_closed';
  readonly retryable = false;
}

/** Nothing can be done again for an item of this kind: it can only be closed. */
export class AttentionNotReplayableError extends ColloquyError {
  readonly code = 'attention_not_replayable';
  readonly retryable = false;
}

/** The item is about no conversation: there is nobody to write to, and nothing to return. */
export class AttentionWithoutConversationError extends ColloquyError {
  readonly code = 'attention_without_conversation';
  readonly retryable = false;
}

/** A bigint's digits that are sure to fit one. */
const ID = /^\d{1,18}$/;
const MAX_LISTED = 200;

const RAISE = `
insert into attention (kind, subject, conversation_id, job_id, reason, created_at)
values ($1, $2, $3, $4, $5, coalesce($6::timestamptz, clock_timestamp()))
on conflict (kind, subject) where closed_at is null do nothing
returning id`;

const CLOSE = `
update attention set closed_at = coalesce($4::timestamptz, clock_timestamp()),
  closed_by = $2, resolution = $3
where id = $1 and closed_at is null
returning ${ATTENTION_COLUMNS}`;

/**
 * The one list of what needs a person. An item is raised in the commit that made it necessary; it
 * is announced after that commit (see AttentionAlerts). Nothing here sends anything.
 */
@Injectable()
export class AttentionService {
  constructor(
    private readonly clock: Clock,
    private readonly replays: AttentionReplays,
  ) {}

  /** Adds an item unless an open one of this kind and subject is there. */
  async raise(
    tx: Tx,
    item: {
      kind: AttentionKind;
      subject: string;
      conversationId?: string | null;
      jobId?: string | null;
      reason: string;
    },
  ): Promise<{ isNew: boolean }> {
    const rows = await tx.query(RAISE, [
      item.kind,
      item.subject,
      item.conversationId ?? null,
      item.jobId ?? null,
      item.reason,
      this.clock.databaseNow(),
    ]);
    return { isNew: rows.length > 0 };
  }

  /** Oldest first; at most 200, then go on with `afterId`. */
  async list(
    tx: Tx,
    filter: { state?: 'open' | 'closed' | 'all'; afterId?: string; limit?: number } = {},
  ): Promise<AttentionItem[]> {
    const rows = await tx.query<AttentionRow>(
      `select ${ATTENTION_COLUMNS} from attention
       where ($1 = 'all' or (closed_at is null) = ($1 = 'open')) and id > $2::bigint
       order by id limit $3`,
      [filter.state ?? 'open', filter.afterId ?? '0', Math.min(filter.limit ?? 100, MAX_LISTED)],
    );
    return rows.map(itemOf);
  }

  /** Throws AttentionUnknownError. */
  async get(tx: Tx, id: string): Promise<AttentionItem> {
    if (ID.test(id)) {
      const [row] = await tx.query<AttentionRow>(
        `select ${ATTENTION_COLUMNS} from attention where id = $1`,
        [id],
      );
      if (row !== undefined) return itemOf(row);
    }
    throw new AttentionUnknownError('there is no such item');
  }

  /** Throws AttentionUnknownError, AttentionWithoutConversationError. */
  async conversationOf(tx: Tx, id: string): Promise<string> {
    const { conversationId } = await this.get(tx, id);
    if (conversationId !== null) return conversationId;
    throw new AttentionWithoutConversationError('the item is about no conversation');
  }

  isReplayable(item: AttentionItem): boolean {
    return item.closedAt === null && this.replays.find(item) !== undefined;
  }

  /** Throws AttentionUnknownError, AttentionClosedError. */
  async close(tx: Tx, id: string, by: string, resolution: string): Promise<AttentionItem> {
    const item = await this.get(tx, id);
    const [row] = await tx.query<AttentionRow>(CLOSE, [
      item.id,
      by,
      resolution,
      this.clock.databaseNow(),
    ]);
    if (row === undefined) throw new AttentionClosedError('the item is closed already');
    return itemOf(row);
  }

  /** What was about this subject came right without a person: closes its open items. */
  async settle(tx: Tx, subject: string, resolution: string): Promise<void> {
    await tx.query(
      `update attention set closed_at = coalesce($3::timestamptz, clock_timestamp()),
         closed_by = 'colloquy', resolution = $2
       where subject = $1 and closed_at is null`,
      [subject, resolution, this.clock.databaseNow()],
    );
  }

  /**
   * Does the item's work again and closes it, or neither. The item is closed last: a flow that
   * raises it holds its conversation's lock already, and the replay needs that lock too.
   * Throws what `close` does, AttentionNotReplayableError, and the replay's own refusals.
   */
  async replay(tx: Tx, id: string, by: string): Promise<AttentionItem> {
    const item = await this.get(tx, id);
    if (item.closedAt !== null) throw new AttentionClosedError('the item is closed already');
    const replay = this.replays.find(item);
    if (replay === undefined) {
      throw new AttentionNotReplayableError(`an item "${item.kind}" can only be closed`);
    }
    await replay(tx, item);
    return this.close(tx, id, by, 'replayed');
  }
}
