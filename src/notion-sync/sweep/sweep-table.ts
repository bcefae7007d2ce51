import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import type { Tx } from '../../common/uow';

/** Of this much time the share may be used up at once; of what was left unused before, nothing. */
const SAVED_MS = 5000;
/** People at a time; the share is used up long before. */
const BATCH = 100;
/** While so many boards are ready, a look at another one can wait. */
const MOST_READY = 20;

const CLOCK = `clock as (select coalesce($1::timestamptz, clock_timestamp()) as now)`;
const PAID = `greatest(s.paid_until, clock.now - interval '${SAVED_MS} milliseconds')`;

/**
 * $1 now, $2 time in which everybody is looked at, $3 milliseconds of the share that a call costs.
 * A board costs what its last run called, and at first a write for each of its pages, which are known
 * when no walk is under way. The first of a batch may overdraw, and the next waits.
 */
const PICK = `
with ${CLOCK},
state as (
  select ${PAID} as paid_until
  from (select * from notion_sweep limit 1) s, (select * from notion_limiter limit 1) l, clock
  where not coalesce(l.paused_until > clock.now, false) and (
    select count(*) from (
      select from task
      where lane = 'notion-sync' and state in ('open', 'retry')
        and due_at <= coalesce($1::timestamptz, now())
      limit ${MOST_READY}) ready) < ${MOST_READY}),
due as (
  select user_id, looked_at, case when runs > 0 then greatest(1, api_calls) else 1 + (
      select count(*)::int from notion_page p where p.assignee_ids @> array[u.user_id]) end as calls
  from notion_user u
  where (looked_at is null
      or looked_at <= coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond')
    and (runs > 0 or (select walk_cursor is null from notion_sweep))
  order by looked_at nulls first, user_id limit ${BATCH}),
summed as (
  select user_id, calls, coalesce(sum(calls) over (order by looked_at nulls first, user_id
    rows between unbounded preceding and 1 preceding), 0) as calls_before
  from due),
picked as (
  select p.user_id, p.calls from summed p, state, clock
  where state.paid_until + p.calls_before * $3::float8 * interval '1 millisecond' <= clock.now),
paid as (
  update notion_sweep s
  set paid_until = state.paid_until
    + (select sum(calls) from picked) * $3::float8 * interval '1 millisecond'
  from state where exists (select from picked))
update notion_user u set looked_at = clock.now
from picked, clock where u.user_id = picked.user_id
returning u.user_id as "userId"`;

/** $1 now, $2 what a call costs. Without a cursor a walk begins. */
const STEP = `
with ${CLOCK}
update notion_sweep s
set paid_until = ${PAID} + $2::float8 * interval '1 millisecond',
  walk_began_at = case when walk_cursor is null then clock.now else walk_began_at end,
  walk_is_whole = walk_cursor is null or walk_is_whole
from clock
returning walk_cursor as cursor`;

/**
 * $1 now, $2 pages with their people. Whoever has got a page, or lost one, that nobody heard of is
 * looked at first.
 */
const REMEMBER = `
with ${CLOCK},
seen as (
  select "pageId" as page_id, "assigneeIds" as ids
  from jsonb_to_recordset($2) as p("pageId" uuid, "assigneeIds" uuid[])),
touched as (
  select unnest(array(select unnest(seen.ids) except select unnest(p.assignee_ids))
    || array(select unnest(p.assignee_ids) except select unnest(seen.ids))) as user_id
  from seen left join notion_page p using (page_id)),
stored as (
  insert into notion_page (page_id, assignee_ids, seen_at)
  select seen.page_id, seen.ids, clock.now from seen, clock order by 1
  on conflict (page_id) do update
  set assignee_ids = excluded.assignee_ids, seen_at = excluded.seen_at)
insert into notion_user (user_id) select distinct user_id from touched order by 1
on conflict (user_id) do update set looked_at = null`;

/** $1 now, $2 where to go on (null: this was the last), $3 whether all pages that match are given. */
const MOVE = `
with ${CLOCK}
update notion_sweep s
set walk_cursor = $2, walk_is_whole = s.walk_is_whole and $3,
  walk_ended_at = case when $2::text is null then clock.now else s.walk_ended_at end
from clock
returning s.walk_is_whole as "isWhole",
  greatest(0, extract(epoch from s.paid_until - clock.now)::float8 * 1000) as "waitMs"`;

/** What the walk that has just ended did not see is gone, or nobody's any more. */
const FORGET = `
with gone as (
  delete from notion_page p using notion_sweep s where p.seen_at < s.walk_began_at
  returning p.assignee_ids)
update notion_user set looked_at = null
where user_id in (select unnest(assignee_ids) from gone)`;

/** The row `notion_sweep` and what the sweep does to people and pages. One replica at a time. */
@Injectable()
export class SweepTable {
  private readonly callMs;
  private readonly intervalMs;

  constructor(
    private readonly clock: Clock,
    { notion, notionSync }: Settings,
  ) {
    this.callMs = 60_000 / (notionSync.sweepShare * notion.maxPerMinute);
    this.intervalMs = notionSync.sweepIntervalMs;
  }

  /** False: another replica is at it. */
  async lock(tx: Tx): Promise<boolean> {
    const rows = await tx.query('select from notion_sweep for no key update skip locked');
    return rows.length > 0;
  }

  /** As the sweep does it: its row first, then people's, then pages. */
  async waitForLock(tx: Tx): Promise<void> {
    await tx.query('select from notion_sweep for no key update');
  }

  /** Whose boards are to be looked at now; they count as looked at. */
  async pick(tx: Tx): Promise<string[]> {
    const rows = await tx.query<{ userId: string }>(PICK, [
      this.clock.databaseNow(),
      this.intervalMs,
      this.callMs,
    ]);
    return rows.map(({ userId }) => userId);
  }

  /** True: no walk is under way, and the last one ended long ago. */
  async isWalkDue(tx: Tx, taskKey: string): Promise<boolean> {
    const rows = await tx.query(
      `select from notion_sweep s
       where not exists (
           select from task
           where lane = 'notion-event' and key = $2 and state in ('open', 'running', 'retry'))
         and coalesce(s.walk_ended_at <= coalesce($1::timestamptz, clock_timestamp())
           - $3::float8 * interval '1 millisecond', true)`,
      [this.clock.databaseNow(), taskKey, this.intervalMs],
    );
    return rows.length > 0;
  }

  /** Pays for the next call of the walk; answers where it goes on, null: at the beginning. */
  async step(tx: Tx): Promise<string | null> {
    const [row] = await tx.query<{ cursor: string | null }>(STEP, [
      this.clock.databaseNow(),
      this.callMs,
    ]);
    return row?.cursor ?? null;
  }

  async remember(
    tx: Tx,
    pages: readonly { pageId: string; assigneeIds: readonly string[] }[],
  ): Promise<void> {
    await tx.query(REMEMBER, [this.clock.databaseNow(), JSON.stringify(pages)]);
  }

  /** Answers when the next call is paid for, and whether the walk has seen everything so far. */
  async move(
    tx: Tx,
    to: { cursor: string | null; isComplete: boolean },
  ): Promise<{ isWhole: boolean; waitMs: number }> {
    const [row] = await tx.query<{ isWhole: boolean; waitMs: number }>(MOVE, [
      this.clock.databaseNow(),
      to.cursor,
      to.isComplete,
    ]);
    return row ?? { isWhole: false, waitMs: this.intervalMs };
  }

  async forgetUnseen(tx: Tx): Promise<void> {
    await tx.query(FORGET);
  }

  /** The people of pages that were read for an event, and whose boards never were. */
  async addPeopleOfPages(tx: Tx): Promise<void> {
    await tx.query(
      `insert into notion_user (user_id)
       select distinct unnest(assignee_ids) as user_id from notion_page order by 1
       on conflict (user_id) do nothing`,
    );
  }
}
