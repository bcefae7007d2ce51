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
export class NotionPages {
  constructor(private readonly clock: Clock) {}

  /** Null: never read. */
  async assigneesOf(tx: Tx, pageId: string): Promise<readonly string[] | null> {
    const [row] = await tx.query<{ assigneeIds: string[] }>(
      `select assignee_ids as "assigneeIds" from notion_page where page_id = $1`,
      [pageId],
    );
    return row?.assigneeIds ?? null;
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

  async forget(tx: Tx, pageId: string): Promise<void> {
    await tx.query(`delete from notion_page where page_id = $1`, [pageId]);
  }
}
