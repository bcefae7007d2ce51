import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';

export interface SeenPage {
  readonly pageId: string;
  /** Notion users; nobody: an empty list. */
  readonly assigneeIds: readonly string[];
}

/**
 * `notion_page`: to whom each page belonged when it was last read. Webhooks carry ids only, and say
 * nothing about whom a task was taken from.
 */
@Injectable()
export class PageRepository {
  constructor(private readonly clock: Clock) {}

  /** By page; those that were never read are left out. */
  async assigneesOf(tx: Tx, pageIds: readonly string[]): Promise<Map<string, readonly string[]>> {
    if (pageIds.length === 0) return new Map();
    const rows = await tx.query<SeenPage>(
      `select page_id as "pageId", assignee_ids as "assigneeIds" from notion_page
       where page_id = any($1::uuid[])`,
      [pageIds],
    );
    return new Map(rows.map(({ pageId, assigneeIds }) => [pageId, assigneeIds]));
  }

  /** Who had one of these pages and, as it is seen now, has it no more. */
  async losers(tx: Tx, pages: readonly SeenPage[]): Promise<string[]> {
    if (pages.length === 0) return [];
    const rows = await tx.query<{ userId: string }>(
      `select distinct old.id as "userId"
       from jsonb_to_recordset($1) as s("pageId" uuid, "assigneeIds" uuid[])
       join notion_page p on p.page_id = s."pageId"
       cross join unnest(p.assignee_ids) as old(id)
       where not old.id = any(s."assigneeIds") order by 1`,
      [JSON.stringify(pages)],
    );
    return rows.map(({ userId }) => userId);
  }

  async remember(tx: Tx, pages: readonly SeenPage[]): Promise<void> {
    if (pages.length === 0) return;
    await tx.query(
      `insert into notion_page (page_id, assignee_ids, seen_at)
       select "pageId", "assigneeIds", coalesce($2::timestamptz, clock_timestamp())
       from jsonb_to_recordset($1) as p("pageId" uuid, "assigneeIds" uuid[])
       order by 1
       on conflict (page_id) do update
       set assignee_ids = excluded.assignee_ids, seen_at = excluded.seen_at
       where notion_page.assignee_ids is distinct from excluded.assignee_ids`,
      [JSON.stringify(pages), this.clock.databaseNow()],
    );
  }

  /**
   * A query of this person's whole board, begun so long ago, has shown these pages: of what they
   * alone had before it, all the others are closed, gone or somebody else's.
   */
  async forgetOthers(
    tx: Tx,
    query: { userId: string; seen: readonly SeenPage[]; agoMs: number },
  ): Promise<void> {
    await tx.query(
      `delete from notion_page where page_id in (
         select page_id from notion_page
         where assignee_ids @> array[$1::uuid] and cardinality(assignee_ids) = 1
           and not page_id = any($2::uuid[])
           and seen_at < coalesce($3::timestamptz, clock_timestamp())
             - $4::float8 * interval '1 millisecond'
         order by 1 for update)`,
      [query.userId, query.seen.map(({ pageId }) => pageId), this.clock.databaseNow(), query.agoMs],
    );
  }

  async forget(tx: Tx, pageIds: readonly string[]): Promise<void> {
    if (pageIds.length === 0) return;
    await tx.query(
      `delete from notion_page where page_id in (
         select page_id from notion_page where page_id = any($1::uuid[])
         order by 1 for update)`,
      [pageIds],
    );
  }
}
