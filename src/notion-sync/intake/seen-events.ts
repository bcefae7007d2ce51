import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';

/** Longer than Notion tries to deliver an event, and than an old one is taken. */
const KEPT_MS = 3 * 24 * 3_600_000;
const SWEEP_BATCH = 5000;

export interface SeenEvent {
  /** Which of the two webhooks, and its id there. */
  readonly key: string;
  /** Null: of a data source. */
  readonly pageId: string | null;
  readonly happenedAt: Date | null;
}

/** `notion_event`: what was taken, so that it is taken once. */
@Injectable()
export class SeenEvents {
  constructor(private readonly clock: Clock) {}

  /** False: it was taken before. */
  async add(tx: Tx, { key, pageId, happenedAt }: SeenEvent): Promise<boolean> {
    const rows = await tx.query(
      `insert into notion_event (event_key, page_id, happened_at, received_at)
       values ($1, $2, $3, coalesce($4::timestamptz, clock_timestamp()))
       on conflict do nothing returning 1`,
      [key, pageId, happenedAt, this.clock.databaseNow()],
    );
    return rows.length > 0;
  }

  /** Whether something that happened to the page since then is known: events come in any order. */
  async isOvertaken(tx: Tx, { key, pageId, happenedAt }: SeenEvent): Promise<boolean> {
    if (happenedAt === null) return true;
    const rows = await tx.query(
      `select 1 from notion_event
       where page_id = $1 and happened_at >= $2 and event_key <> $3 limit 1`,
      [pageId, happenedAt, key],
    );
    return rows.length > 0;
  }

  /** Deletes old ones, a batch at a time; true: there may be more. */
  async sweep(tx: Tx): Promise<boolean> {
    const rows = await tx.query(
      `delete from notion_event where ctid = any(array(
         select ctid from notion_event
         where received_at < coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'
         limit $3)) returning 1`,
      [this.clock.databaseNow(), KEPT_MS, SWEEP_BATCH],
    );
    return rows.length === SWEEP_BATCH;
  }
}
