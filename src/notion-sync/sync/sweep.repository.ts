import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import type { Tx } from '../../common/uow';
import type { SeenPage } from './page.repository';
import type { ScanPlace } from './scan-place';

/** The row `notion_sweep` and what the sweep does to people and pages. One replica at a time. */
@Injectable()
export class SweepRepository {
  private readonly callMs;

  constructor(
    private readonly clock: Clock,
    { notion, notionSync }: Settings,
  ) {
    this.callMs = 60_000 / (notionSync.sweepShare * notion.maxPerMinute);
  }

  /** False: another replica is working on it. */
  async lock(tx: Tx): Promise<boolean> {
    const rows = await tx.query('select from notion_sweep for no key update skip locked');
    return rows.length > 0;
  }

  /** The people whose boards are to be checked now; they count as checked. */
  async pick(tx: Tx): Promise<string[]> {
    await tx.query(SETTLE, [this.clock.databaseNow(), this.callMs]);
    const rows = await tx.query<{ userId: string }>(PICK, [
      this.clock.databaseNow(),
      SWEEP.intervalMs,
      this.callMs,
    ]);
    return rows.map(({ userId }) => userId);
  }

  /** True: no scan is under way, and the last one ended long ago. */
  async isScanDue(tx: Tx, jobKey: string): Promise<boolean> {
    const rows = await tx.query(
      `select from notion_sweep s
       where not exists (
           select from job
           where queue = 'notion-scan' and key = $2 and state in ('open', 'running', 'retry'))
         and coalesce(s.scan_ended_at <= coalesce($1::timestamptz, clock_timestamp())
           - $3::float8 * interval '1 millisecond', true)`,
      [this.clock.databaseNow(), jobKey, SWEEP.intervalMs],
    );
    return rows.length > 0;
  }

  /**
   * False: the scan under way is another data source's, so it must not be moved. Lock order: this row,
   * then people's, then jobs, then pages.
   */
  async lockScan(tx: Tx, dataSourceId: string): Promise<boolean> {
    const rows = await tx.query<{ isOwn: boolean }>(
      `select scan_source is null or scan_source = $1 as "isOwn"
       from notion_sweep for no key update`,
      [dataSourceId],
    );
    return rows[0]?.isOwn ?? false;
  }

  /**
   * Pays for the next call of the scan through this data source, and returns its place. A scan of
   * another data source ends here.
   */
  async step(tx: Tx, dataSourceId: string): Promise<ScanPlace> {
    const values = [this.clock.databaseNow(), this.callMs, dataSourceId];
    const [row] = await tx.query<ScanPlace>(STEP, values);
    if (row === undefined) throw new Error('the row of notion_sweep is missing');
    return row;
  }

  /** Assignees of these pages that were not known; their boards are checked first. */
  async checkNewAssigneesNext(tx: Tx, pages: readonly SeenPage[]): Promise<void> {
    const rows = await tx.query<{ userId: string }>(NEW_ASSIGNEES, [JSON.stringify(pages)]);
    await tx.query(CHECK_SOON, [rows.map(({ userId }) => userId)]);
  }

  async remember(tx: Tx, pages: readonly SeenPage[]): Promise<void> {
    await tx.query(REMEMBER, [this.clock.databaseNow(), JSON.stringify(pages)]);
  }

  /** Marks people who have left the workspace: tasks still name them, but their boards are skipped. */
  async noteLeft(
    tx: Tx,
    people: { readonly nameless: readonly string[]; readonly named: readonly string[] },
  ): Promise<void> {
    await tx.query(LEFT, [people.nameless, people.named]);
  }

  /**
   * Stores where the scan continues; null: it has ended. `moreCalls`: calls beyond the one that `step`
   * has paid for.
   */
  async move(
    tx: Tx,
    to: { place: ScanPlace | null; isWhole: boolean; moreCalls: number },
  ): Promise<ScanProgress> {
    const { place } = to;
    const [row] = await tx.query<ScanProgress>(MOVE, [
      this.clock.databaseNow(),
      place?.cursor ?? null,
      place?.from ?? null,
      place?.reached ?? null,
      place?.isCapped ?? false,
      to.isWhole,
      place?.closed ?? null,
      place === null,
      to.moreCalls * this.callMs,
    ]);
    return row ?? { waitMs: SWEEP.intervalMs, tookMs: 0 };
  }

  /** At the end of a complete scan, before its last batch is remembered. */
  async checkUnseenNext(tx: Tx, lastBatch: readonly SeenPage[]): Promise<void> {
    await tx.query(CHECK_UNSEEN, [lastBatch.map(({ pageId }) => pageId)]);
  }

  /** At the end of a complete scan, after its last batch is remembered. */
  async forgetUnseen(tx: Tx): Promise<void> {
    await tx.query(FORGET_UNSEEN);
  }

  /** Adds the assignees of pages that were read for an event and whose boards were never read. */
  async addPeopleOfPages(tx: Tx): Promise<void> {
    await tx.query(
      `insert into notion_user (user_id)
       select distinct unnest(assignee_ids) as user_id from notion_page order by 1
       on conflict (user_id) do nothing`,
    );
  }
}

/**
 * The time in which every board is checked once, even without an event. What an hour misses a person sees
 * within a morning; twice as often would take twice the calls (NOTION_SWEEP_SHARE bounds them).
 */
export const SWEEP = { intervalMs: 3_600_000 };

/** The share of this much time may be used at once; what was unused before is lost. */
const SAVED_MS = 5000;
const CLOCK = `clock as (select coalesce($1::timestamptz, clock_timestamp()) as now)`;
const PAID = `greatest(s.paid_until, clock.now - interval '${SAVED_MS} milliseconds')`;

/**
 * $1 now, $2 milliseconds of the share that a call costs. Ended runs that the sweep requested are
 * charged for the calls that they made.
 */
const SETTLE = `
with ${CLOCK},
owed as (
  select user_id, owed_calls from notion_user where owed_calls <> 0
  order by user_id for no key update),
settled as (
  update notion_user u set owed_calls = 0 from owed where u.user_id = owed.user_id)
update notion_sweep s
set paid_until = ${PAID}
  + (select sum(owed_calls) from owed) * $2::float8 * interval '1 millisecond'
from clock where exists (select from owed)`;

/** People per statement; the share is used up long before. */
const BATCH = 100;
/** While this many boards are ready, the sweep waits. */
const MOST_READY = 20;
const IS_UNDER_WAY = '(s.scan_cursor is not null or s.scan_from is not null)';

/**
 * $1 now, $2 time in which every board is checked, $3 milliseconds of the share that a call costs.
 * A board costs what its last run called, and before its first run a write for each of its pages, which
 * are known when no scan is under way. The first of a batch may overdraw the share; the next then waits.
 * Skipped are people without a page, unless they have just lost one, people who have left, and boards
 * that wait or run already.
 */
const PICK = `
with ${CLOCK},
state as (
  select ${PAID} as paid_until
  from (select * from notion_sweep limit 1) s, (select * from notion_limiter limit 1) l, clock
  where not coalesce(l.paused_until > clock.now, false) and (
    select count(*) from (
      select from job
      where queue = 'notion-sync' and state in ('open', 'retry')
        and check_at <= coalesce($1::timestamptz, now())
        and due_at <= coalesce($1::timestamptz, now())
      limit ${MOST_READY}) ready) < ${MOST_READY}),
due as (
  select user_id, looked_at, case when runs > 0 then greatest(1, api_calls) else 1 + (
      select count(*)::int from notion_page p where p.assignee_ids @> array[u.user_id]) end as calls
  from notion_user u
  where not has_left
    and (looked_at is null
      or looked_at <= coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'
        and exists (select from notion_page p where p.assignee_ids @> array[u.user_id]))
    and (runs > 0 or (select not ${IS_UNDER_WAY} from notion_sweep s))
    and not exists (
      select from job t
      where t.queue = 'notion-sync' and t.key = u.user_id::text
        and t.state in ('open', 'running', 'retry'))
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
update notion_user u set looked_at = clock.now, swept_calls = picked.calls
from picked, clock where u.user_id = picked.user_id
returning u.user_id as "userId"`;

const GOES_ON = `(${IS_UNDER_WAY} and s.scan_source is not distinct from $3)`;

/**
 * $1 now, $2 the cost of a call, $3 the data source. Begins a scan unless one of this data source is
 * under way: the place of another one means nothing here.
 */
const STEP = `
with ${CLOCK}
update notion_sweep s
set paid_until = ${PAID} + $2::float8 * interval '1 millisecond',
  scan_source = $3,
  scan_cursor = case when ${GOES_ON} then s.scan_cursor end,
  scan_from = case when ${GOES_ON} then s.scan_from end,
  scan_began_at = case when ${GOES_ON} then s.scan_began_at else clock.now end,
  scan_is_whole = not ${GOES_ON} or s.scan_is_whole,
  scan_is_capped = ${GOES_ON} and s.scan_is_capped,
  scan_reached = case when ${GOES_ON} then s.scan_reached end,
  scan_closed = case when ${GOES_ON} then s.scan_closed end
from clock
returning s.scan_cursor as cursor, s.scan_from as "from", s.scan_reached as reached,
  s.scan_closed as closed, s.scan_is_capped as "isCapped", s.scan_is_whole as "isWhole"`;

/** $1 people who got a page unnoticed; they are checked first. */
const CHECK_SOON = `
insert into notion_user (user_id)
select distinct id from unnest($1::uuid[]) as id order by 1
on conflict (user_id) do update set looked_at = null`;

/** $1 pages with their people. The people who have a page now that they were not known to have. */
const NEW_ASSIGNEES = `
select distinct new.id as "userId"
from jsonb_to_recordset($1) as s("pageId" uuid, "assigneeIds" uuid[])
left join notion_page p on p.page_id = s."pageId"
cross join unnest(s."assigneeIds") as new(id)
where not new.id = any(coalesce(p.assignee_ids, '{}'))`;

/** $1 now, $2 pages with their people. */
const REMEMBER = `
with ${CLOCK}
insert into notion_page (page_id, assignee_ids, seen_at)
select s."pageId", s."assigneeIds", clock.now
from jsonb_to_recordset($2) as s("pageId" uuid, "assigneeIds" uuid[]), clock order by 1
on conflict (page_id) do update
set assignee_ids = excluded.assignee_ids, seen_at = excluded.seen_at`;

/** $1 people without a name in Notion's response, $2 people with one. */
const LEFT = `
update notion_user u set has_left = n.has_left
from (select id, id = any($1::uuid[]) as has_left
  from unnest($1::uuid[] || $2::uuid[]) as id order by 1) n
where u.user_id = n.id and u.has_left <> n.has_left`;

/**
 * $1 now, $2 the cursor, $3 the window, $4 the scan's progress, $5 whether this window is capped,
 * $6 whether nothing was left out, $7 statuses of closed tasks, $8 whether it has ended,
 * $9 milliseconds of the share for calls beyond the paid one.
 */
const MOVE = `
with ${CLOCK}
update notion_sweep s
set scan_cursor = $2, scan_from = $3, scan_reached = $4, scan_is_capped = $5, scan_is_whole = $6,
  scan_closed = $7::text[],
  scan_ended_at = case when $8::bool then clock.now else s.scan_ended_at end,
  paid_until = s.paid_until + $9::float8 * interval '1 millisecond'
from clock
returning greatest(0, extract(epoch from s.paid_until - clock.now)::float8 * 1000) as "waitMs",
  greatest(0, extract(epoch from clock.now - s.scan_began_at)::float8 * 1000) as "tookMs"`;

/**
 * Pages that a complete scan did not see are closed, gone or unassigned. $1 pages of its last batch,
 * which are not remembered yet. The boards of the former assignees are checked first.
 */
const CHECK_UNSEEN = `
update notion_user set looked_at = null where user_id in (
  select unnest(p.assignee_ids) from notion_page p, notion_sweep s
  where p.seen_at < s.scan_began_at and not p.page_id = any($1::uuid[]))`;
const FORGET_UNSEEN = `
delete from notion_page where page_id in (
  select p.page_id from notion_page p, notion_sweep s
  where p.seen_at < s.scan_began_at order by 1 for update of p)`;

/** What has become of the share and of the scan. */
export interface ScanProgress {
  /** When the next call is paid for. */
  readonly waitMs: number;
  /** How long ago the scan began. */
  readonly tookMs: number;
}

/** The interval of the sweep's timer. */
export const SWEEP_EVERY_MS = 5000;
