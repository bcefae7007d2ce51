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
export class EventRepository {
  constructor(private readonly clock: Clock) {}

  /** The keys of those that were not taken before. */
  async add(tx: Tx, events: readonly SeenEvent[]): Promise<Set<string>> {
    if (events.length === 0) return new Set();
    const rows = await tx.query<{ key: string }>(
      `insert into notion_event (event_key, page_id, happened_at, received_at)
       select key, "pageId", "happenedAt", coalesce($2::timestamptz, clock_timestamp())
       from jsonb_to_recordset($1)
         as e(key text, "pageId" uuid, "happenedAt" timestamptz)
       order by key
       on conflict do nothing returning event_key as key`,
      [JSON.stringify(events), this.clock.databaseNow()],
    );
    return new Set(rows.map(({ key }) => key));
  }

  /**
   * The keys of those after which something happened to their page that is known: events come in
   * any order.
   */
  async overtaken(tx: Tx, events: readonly SeenEvent[]): Promise<Set<string>> {
    if (events.length === 0) return new Set();
    const rows = await tx.query<{ key: string }>(
      `select e.key
       from jsonb_to_recordset($1) as e(key text, "pageId" uuid, "happenedAt" timestamptz)
       where e."happenedAt" is null or exists (
         select from notion_event o
         where o.page_id = e."pageId" and o.happened_at >= e."happenedAt"
           and o.event_key <> e.key)`,
      [JSON.stringify(events)],
    );
    return new Set(rows.map(({ key }) => key));
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
