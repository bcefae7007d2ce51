import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';
import { Jobs } from '../../jobs';

export interface SeenPage {
  readonly pageId: string;
  /** Notion users; may be empty. */
  readonly assigneeIds: readonly string[];
}

/**
 * The table `notion_page`: the assignees of each page when it was last read. Webhooks contain only ids,
 * and do not name previous assignees.
 */
@Injectable()
export class PageRepository {
  constructor(private readonly clock: Clock) {}

  /** By page, without pages that were never read. */
  async assigneesOf(tx: Tx, pageIds: readonly string[]): Promise<Map<string, readonly string[]>> {
    if (pageIds.length === 0) return new Map();
    const rows = await tx.query<SeenPage>(
      `select page_id as "pageId", assignee_ids as "assigneeIds" from notion_page
       where page_id = any($1::uuid[])`,
      [pageIds],
    );
    return new Map(rows.map(({ pageId, assigneeIds }) => [pageId, assigneeIds]));
  }

  /** The people who were assigned one of these pages and, by what was seen now, no longer are. */
  async formerAssignees(tx: Tx, pages: readonly SeenPage[]): Promise<string[]> {
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

  /** The people who, by what was seen now, are assigned one of these known pages and were not before. */
  async newAssignees(tx: Tx, pages: readonly SeenPage[]): Promise<string[]> {
    if (pages.length === 0) return [];
    const rows = await tx.query<{ userId: string }>(
      `select distinct new.id as "userId"
       from jsonb_to_recordset($1) as s("pageId" uuid, "assigneeIds" uuid[])
       join notion_page p on p.page_id = s."pageId"
       cross join unnest(s."assigneeIds") as new(id)
       where not new.id = any(p.assignee_ids) order by 1`,
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
   * A complete query of this person's board, begun `ago` milliseconds ago, has shown these pages. Other
   * pages that only this person had are closed, gone or reassigned.
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

export const READ_QUEUE = 'notion-read';
/** The queue's only key: pages are read one at a time. */
const READ_KEY = 'read:next';

const FIRST_DELAY_MS = 1000;
const MOST_DELAY_MS = 30_000;
/** A query of Notion may return an outdated page for this time. */
const QUERY_LAG_MS = 10_000;

export interface WaitingRead {
  readonly pageId: string;
  /** How often it was requested. */
  readonly requests: number;
  /** Failures that are the page's own. */
  readonly failures: number;
}

/**
 * The table `notion_read`: pages that wait to be read. They are read one at a time in the whole cluster,
 * so that boards always get calls, and in rounds: one page per author and round, so an author with
 * thousands of changes does not delay the others.
 */
@Injectable()
export class PageReadRepository {
  constructor(
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** Adds pages, with who changed each. A waiting page keeps the better of its places. */
  async add(tx: Tx, authors: ReadonlyMap<string, string>): Promise<void> {
    if (authors.size === 0) return;
    const given = [...authors].map(([pageId, author], place) => ({ pageId, author, place }));
    await tx.query(
      `with given as (
         select * from jsonb_to_recordset($1) as g("pageId" uuid, author text, place int)),
       authors as (
         select a.author, greatest(
           (select coalesce(min(turn), 0) from notion_read where due_at is null),
           (select coalesce(max(turn) + 1, 0) from notion_read o where o.author = a.author)) as turn
         from (select distinct author from given) a)
       insert into notion_read as r (page_id, author, turn, asked_at)
       select "pageId", author,
         a.turn + row_number() over (partition by author order by place) - 1,
         coalesce($2::timestamptz, clock_timestamp())
       from given join authors a using (author) order by 1
       on conflict (page_id) do update
       set asks = r.asks + 1, last_asked_at = excluded.asked_at, turn = least(r.turn, excluded.turn),
         author = case when excluded.turn < r.turn then excluded.author else r.author end`,
      [JSON.stringify(given), this.clock.databaseNow()],
    );
    await this.jobs.enqueue(tx, { queue: READ_QUEUE, key: READ_KEY, dueInMs: 0 });
  }

  /** The next page; null: none is due. */
  async next(tx: Tx): Promise<WaitingRead | null> {
    const [row] = await tx.query<WaitingRead>(
      `select page_id as "pageId", asks as requests, failures from notion_read
       where coalesce(due_at <= coalesce($1::timestamptz, now()), true)
       order by turn, asked_at limit 1`,
      [this.clock.databaseNow()],
    );
    return row ?? null;
  }

  /** Ends a read. A page that was requested meanwhile is read again. */
  async end(tx: Tx, { pageId, requests }: WaitingRead): Promise<void> {
    await tx.query(`delete from notion_read where page_id = $1 and asks = $2`, [pageId, requests]);
  }

  /**
   * A query that began `ago` milliseconds ago has shown these pages: they need no read, unless they were
   * requested since, or so shortly before that the query may have missed the change.
   */
  async spare(tx: Tx, query: { pageIds: readonly string[]; agoMs: number }): Promise<void> {
    if (query.pageIds.length === 0) return;
    await tx.query(
      `delete from notion_read where page_id in (
         select page_id from notion_read
         where page_id = any($1::uuid[]) and coalesce(last_asked_at, asked_at)
           < coalesce($2::timestamptz, clock_timestamp()) - $3::float8 * interval '1 millisecond'
         order by 1 for update)`,
      [query.pageIds, this.clock.databaseNow(), query.agoMs + QUERY_LAG_MS],
    );
  }

  /** The page could not be read: it is tried again after a growing pause, and others meanwhile. */
  async postpone(tx: Tx, pageId: string, { ownFailures }: { ownFailures: 0 | 1 }): Promise<void> {
    await tx.query(
      `update notion_read
       set tries = tries + 1, failures = failures + $3,
         due_at = coalesce($2::timestamptz, clock_timestamp()) + interval '1 millisecond'
           * least($5::float8, $4::float8 * 2 ^ least(tries, 20))
       where page_id = $1`,
      [pageId, this.clock.databaseNow(), ownFailures, FIRST_DELAY_MS, MOST_DELAY_MS],
    );
  }

  /** Milliseconds until the first waiting page is due; null: none waits. */
  async dueInMs(tx: Tx): Promise<number | null> {
    const [row] = await tx.query<{ ms: number | null }>(
      `select extract(epoch from
         min(coalesce(due_at, asked_at)) - coalesce($1::timestamptz, clock_timestamp())
       )::float8 * 1000 as ms from notion_read`,
      [this.clock.databaseNow()],
    );
    return row?.ms == null ? null : Math.max(0, row.ms);
  }
}
