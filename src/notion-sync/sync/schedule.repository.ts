import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';
import type { Claim } from '../../jobs';
import type { RunEnd } from './board-runner';

/** An ended run and its times. */
export interface EndedRun {
  readonly end: RunEnd;
  /** From the first change until the board was ready. */
  readonly timeToReadyMs: number;
  /** From then until the run. */
  readonly queueWaitMs: number;
  readonly runMs: number;
}

export interface StoredRun {
  /** The board is requested again: since the run began, or because a part of it is left. */
  readonly isRequeued: boolean;
  /** Whether the rest of the board got a new row of the queue; null: nothing is left. */
  readonly isRestNew: boolean | null;
  /** How many runs of this person were followed by another one at once. */
  readonly reruns: number;
  /** The run before ended with the same result and reason. */
  readonly isRepeated: boolean;
}

const REASON_LIMIT = 500;
/** How long later runs may finish a board that one run has begun. */
const BEGUN_MS = 3_600_000;

/**
 * Everything that ends a run, in one statement and one round trip, because no other board begins before
 * it is stored. No row: the job ($13, claim $14) belongs to another claim, and nothing is stored.
 *
 * - The values of `run` are named like the columns. Calls of a run that the sweep requested, beyond
 *   those already charged to the sweep's share, are charged later, also for runs that write the rest.
 * - The board's approval: a run that wrote a part of it has begun it; one that wrote the rest uses it up.
 * - The rest of the board is ready at once, after the ready boards, in a row of its own.
 * - Lock order, as in the sweep: the person's row before the job's, except for the running one.
 */
const RUN_END = `
with fenced as (
  select worker from job where id = $13 and claim_no = $14 and state = 'running'
  for no key update),
run as (
  select $1::uuid as user_id, coalesce($2::timestamptz, clock_timestamp()) as ended_at,
    $3::text as last_end, $4::text as last_reason, $5::float8 as time_to_ready_ms,
    $6::float8 as queue_wait_ms, $7::float8 as run_ms, $8::int as loaded, $9::int as processed,
    $10::int as updated, $11::int as dropped, $12::int as api_calls, $15::text as pass),
before as (
  select u.last_end, u.last_reason from notion_user u, run where u.user_id = run.user_id),
requeued as (
  select run.last_end = 'partly' or exists (
    select from job
    where queue = 'notion-sync' and key = run.user_id::text and state = 'open') as yes
  from run),
stored as (
  insert into notion_user as u (user_id, looked_at, last_end, last_reason, last_ended_at,
    time_to_ready_ms, queue_wait_ms, run_ms, loaded, processed, updated, dropped, api_calls,
    runs, reruns, total_loaded, total_processed, total_updated, total_dropped, total_api_calls)
  select user_id, ended_at, last_end, last_reason, ended_at,
    time_to_ready_ms, queue_wait_ms, run_ms, loaded, processed, updated, dropped, api_calls,
    1, requeued.yes::int, loaded, processed, updated, dropped, api_calls
  from run, requeued, fenced
  on conflict (user_id) do update
  set looked_at = excluded.looked_at, last_end = excluded.last_end,
    last_reason = excluded.last_reason, last_ended_at = excluded.last_ended_at,
    time_to_ready_ms = excluded.time_to_ready_ms, queue_wait_ms = excluded.queue_wait_ms,
    run_ms = excluded.run_ms, loaded = excluded.loaded, processed = excluded.processed,
    updated = excluded.updated, dropped = excluded.dropped, api_calls = excluded.api_calls,
    runs = u.runs + 1, reruns = u.reruns + excluded.reruns,
    total_loaded = u.total_loaded + excluded.loaded,
    total_processed = u.total_processed + excluded.processed,
    total_updated = u.total_updated + excluded.updated,
    total_dropped = u.total_dropped + excluded.dropped,
    total_api_calls = u.total_api_calls + excluded.api_calls,
    owed_calls = u.owed_calls + coalesce(excluded.api_calls - u.swept_calls, 0),
    swept_calls = case when u.swept_calls is not null and excluded.last_end = 'partly' then 0 end
  returning reruns, last_end, last_reason),
pass_begun as (
  insert into notion_board_approval as p (user_id, expires_at)
  select user_id::text, ended_at + ${String(BEGUN_MS)} * interval '1 millisecond'
  from run, stored where run.pass = 'begun'
  on conflict (user_id) do update
  set expires_at = greatest(p.expires_at, excluded.expires_at)),
pass_used as (
  delete from notion_board_approval p using run, stored
  where p.user_id = run.user_id::text and run.pass = 'used'),
rest as (
  insert into job as t (queue, key, due_at, check_at, first_at, worker)
  select 'notion-sync', user_id::text, ended_at, ended_at, ended_at, fenced.worker
  from run, fenced, stored where run.last_end = 'partly'
  on conflict (queue, key) where state = 'open' do update
  set due_at = least(t.due_at, excluded.due_at), count = t.count + 1, worker = excluded.worker
  returning t.xmax = 0 as is_new),
completed as (
  update job set state = 'done', due_at = null, ended_at = run.ended_at,
    claims_without_progress = 0
  from run, stored where id = $13)
select stored.reruns::int, requeued.yes as "isRequeued",
  (select is_new from rest) as "isRestNew",
  exists (select from before b where b.last_end = stored.last_end
    and b.last_reason is not distinct from stored.last_reason) as "isRepeated"
from stored, requeued`;

const STORE_DEAD = `
insert into notion_user (user_id, looked_at, last_end, last_reason, last_ended_at)
select $1::uuid, c.now, 'dead', $3, c.now
from (select coalesce($2::timestamptz, clock_timestamp()) as now) c
on conflict (user_id) do update
set looked_at = excluded.looked_at, last_end = excluded.last_end,
  last_reason = excluded.last_reason, last_ended_at = excluded.last_ended_at, swept_calls = null`;

/** The table `notion_user`: the state of each person's board; the view `notion_user_status` shows it. */
@Injectable()
export class ScheduleRepository {
  constructor(private readonly clock: Clock) {}

  /** The statement that ends a claim (see `Jobs.completeBy`). */
  end(tx: Tx, claim: Claim, run: EndedRun): Promise<StoredRun[]> {
    const { end, timeToReadyMs, queueWaitMs, runMs } = run;
    const { loaded, processed, updated, dropped, apiCalls } = end.counts;
    return tx.query<StoredRun>(RUN_END, [
      claim.key,
      this.clock.databaseNow(),
      end.kind,
      end.reason?.slice(0, REASON_LIMIT) ?? null,
      timeToReadyMs,
      queueWaitMs,
      runMs,
      loaded,
      processed,
      updated,
      dropped,
      apiCalls,
      claim.jobId,
      claim.claimNo,
      end.approval ?? null,
    ]);
  }

  /** No run has written the board, so ranks that its tasks show come from other people's boards. */
  async isFirstRanking(tx: Tx, userId: string): Promise<boolean> {
    const rows = await tx.query(
      'select 1 from notion_user where user_id = $1 and total_updated > 0',
      [userId],
    );
    return rows.length === 0;
  }

  /** The board's runs failed too often. The next change, or the sweep, starts again. */
  async storeDead(tx: Tx, userId: string, error: string): Promise<void> {
    await tx.query(STORE_DEAD, [userId, this.clock.databaseNow(), error.slice(0, REASON_LIMIT)]);
  }
}

/** How long an approval is valid: Notion may not respond for hours, and a large board takes many runs. */
const APPROVED_MS = 24 * 3_600_000;

/**
 * The table `notion_board_approval`: boards that the brake lets through until they show their ranking,
 * because a person has approved it, or because a run has begun to write it and a half-written board is
 * useless. `RUN_END` stores what a run does about it.
 */
@Injectable()
export class BoardApprovals {
  constructor(private readonly clock: Clock) {}

  async holds(tx: Tx, userId: string): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from notion_board_approval
       where user_id = $1 and expires_at > coalesce($2::timestamptz, now())`,
      [userId, this.clock.databaseNow()],
    );
    return rows.length > 0;
  }

  async approve(tx: Tx, userId: string): Promise<void> {
    await tx.query(
      `insert into notion_board_approval as p (user_id, expires_at)
       values ($1, coalesce($2::timestamptz, clock_timestamp()) + $3 * interval '1 millisecond')
       on conflict (user_id) do update
       set expires_at = greatest(p.expires_at, excluded.expires_at)`,
      [userId, this.clock.databaseNow(), APPROVED_MS],
    );
  }
}
