import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';
import { Jobs } from '../../jobs';

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

export const READ_QUEUE = 'notion-read';
/** The queue's only key: pages are read one at a time. */
const READ_KEY = 'read:next';

const FIRST_DELAY_MS = 1000;
const MOST_DELAY_MS = 30_000;
/** A query of Notion may answer with what a page was a moment ago. */
const QUERY_LAG_MS = 10_000;

export interface WaitingRead {
  readonly pageId: string;
  /** How often it was asked for. */
  readonly asks: number;
  /** Failures that are the page's own. */
  readonly failures: number;
}

/**
 * `notion_read`: pages that wait to be read. They are read one at a time in the whole cluster, so that
 * boards always find a free place among the calls, and in rounds: whoever has changed thousands of
 * pages has one read in a round, as has everybody else.
 */
@Injectable()
export class PageReadRepository {
  constructor(
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** By page, who changed it. A page that waits already keeps the better place. */
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

  /** The next one; null: none is due. */
  async next(tx: Tx): Promise<WaitingRead | null> {
    const [row] = await tx.query<WaitingRead>(
      `select page_id as "pageId", asks, failures from notion_read
       where coalesce(due_at <= coalesce($1::timestamptz, now()), true)
       order by turn, asked_at limit 1`,
      [this.clock.databaseNow()],
    );
    return row ?? null;
  }

  /** Whoever asked for the page while it was being read has it read once more. */
  async end(tx: Tx, { pageId, asks }: WaitingRead): Promise<void> {
    await tx.query(`delete from notion_read where page_id = $1 and asks = $2`, [pageId, asks]);
  }

  /**
   * A query that was begun so long ago has shown to whom these pages belong: they need no read,
   * unless they were named since, or so shortly before that the query may not know of it yet.
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

  /** It could not be read: it is tried again after a pause that grows, and others meanwhile. */
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

  /** Until the first page that waits is due; null: none waits. */
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
