import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';
import { Settings } from '../../common/config';
import { z } from 'zod';

/** Longer than Notion retries an event, and than an old event is accepted. */
const KEPT_MS = 3 * 24 * 3_600_000;
const SWEEP_BATCH = 5000;

export interface SeenEvent {
  /** The webhook and the event's id there. */
  readonly key: string;
  /** Null for an event of a data source. */
  readonly pageId: string | null;
  readonly happenedAt: Date | null;
}

/** The table `notion_event`: the events that were taken, so that each is taken once. */
@Injectable()
export class EventRepository {
  constructor(private readonly clock: Clock) {}

  /** Stores the events; returns the keys of those that were not taken before. */
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
   * The keys of those that are older than a known event of their page, because events come in any
   * order.
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

  /** Deletes a batch of old events; true: there may be more. */
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

/** Ids are read again after this time, because the event about a replaced property may be lost. */
const TRUSTED_MS = 3_600_000;
/** Ids that are younger are not written again. */
const FRESH_MS = 600_000;

const PROPERTY = z.object({ id: z.string() });

/** The ids under which events name the properties that the sync reads or writes. */
export interface OurIds {
  readonly all: ReadonlySet<string>;
  readonly assignee: string;
}

/**
 * The table `notion_property`: property ids as of the last reading of a page or of the data source's
 * schema. Events contain only ids.
 */
@Injectable()
export class PropertyIdRepository {
  private readonly assignee: string;
  /** The ids of every property whose change may change a board. */
  private readonly names: readonly string[];

  constructor(
    { notionBoard }: Settings,
    private readonly clock: Clock,
  ) {
    // No rank depends on a task's title.
    const { name: _, ...names } = notionBoard.names;
    this.assignee = names.assignee;
    this.names = Object.values(names).filter((name) => name !== null);
  }

  /** Null: not known, or too old. */
  async known(tx: Tx): Promise<OurIds | null> {
    const [row] = await tx.query<{ ids: Record<string, string | null> }>(
      `select ids from notion_property
       where learned_at > coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'`,
      [this.clock.databaseNow(), TRUSTED_MS],
    );
    const ids = row?.ids ?? {};
    const assignee = ids[this.assignee];
    if (assignee == null || this.names.some((name) => !Object.hasOwn(ids, name))) return null;
    return { all: new Set(this.names.flatMap((name) => ids[name] ?? [])), assignee };
  }

  /** Whether these properties, of a page, have all of ours. */
  areAllIn(properties: Readonly<Record<string, unknown>>): boolean {
    return this.names.every((name) => idIn(properties, name) !== null);
  }

  /** Learns the ids. `properties`: of the schema, which has all there are, or of a page with all of ours. */
  async learn(tx: Tx, properties: Readonly<Record<string, unknown>>): Promise<void> {
    const ids = Object.fromEntries(this.names.map((name) => [name, idIn(properties, name)]));
    await tx.query(
      `insert into notion_property as p (ids, learned_at)
       values ($1, coalesce($2::timestamptz, clock_timestamp()))
       on conflict (id) do update set ids = excluded.ids, learned_at = excluded.learned_at
       where p.ids <> excluded.ids
         or p.learned_at < excluded.learned_at - $3::float8 * interval '1 millisecond'`,
      [JSON.stringify(ids), this.clock.databaseNow(), FRESH_MS],
    );
  }

  /** The properties of the data source were changed. */
  async forget(tx: Tx): Promise<void> {
    await tx.query(`delete from notion_property`);
  }
}

function idIn(properties: Readonly<Record<string, unknown>>, name: string): string | null {
  if (!Object.hasOwn(properties, name)) return null;
  const { data } = PROPERTY.safeParse(properties[name]);
  return data === undefined ? null : plainId(data.id);
}

/** Notion URL-encodes property ids in some places and not in others. */
export function plainId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
