import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';
import type { RunEnd } from '../run/board-run';

/** A run that came to an end, and how long everything took. */
export interface EndedRun {
  readonly end: RunEnd;
  /** From the first change to the board being ready. */
  readonly timeToReadyMs: number;
  /** From there to the run. */
  readonly queueWaitMs: number;
  readonly runMs: number;
}

export interface StoredRun {
  /** The board is asked for again: since the run began, or because a part of it is left. */
  readonly isRequeued: boolean;
  /** Runs of this person, in all, that another one followed at once. */
  readonly reruns: number;
  /** The run before ended in the same way, for the same reason. */
  readonly isOldNews: boolean;
}

const REASON_LIMIT = 500;

/**
 * The values of `run` are named like the columns. A run that the sweep has asked for owes it what it
 * called beyond what was paid, and so do the runs that write the rest of the board.
 */
const STORE = `
with run as (
  select $1::uuid as user_id, coalesce($2::timestamptz, clock_timestamp()) as ended_at,
    $3::text as last_end, $4::text as last_reason, $5::float8 as time_to_ready_ms,
    $6::float8 as queue_wait_ms, $7::float8 as run_ms, $8::int as loaded, $9::int as processed,
    $10::int as updated, $11::int as dropped, $12::int as api_calls),
before as (
  select u.last_end, u.last_reason from notion_user u, run where u.user_id = run.user_id),
requeued as (
  select run.last_end = 'partly' or exists (
    select from task
    where lane = 'notion-sync' and key = run.user_id::text and state = 'open') as yes
  from run)
insert into notion_user as u (user_id, looked_at, last_end, last_reason, last_ended_at,
  time_to_ready_ms, queue_wait_ms, run_ms, loaded, processed, updated, dropped, api_calls,
  runs, reruns, total_loaded, total_processed, total_updated, total_dropped, total_api_calls)
select user_id, ended_at, last_end, last_reason, ended_at,
  time_to_ready_ms, queue_wait_ms, run_ms, loaded, processed, updated, dropped, api_calls,
  1, requeued.yes::int, loaded, processed, updated, dropped, api_calls
from run, requeued
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
returning reruns::int, (select yes from requeued) as "isRequeued",
  exists (select from before b where b.last_end = u.last_end
    and b.last_reason is not distinct from u.last_reason) as "isOldNews"`;

const STORE_DEAD = `
insert into notion_user (user_id, looked_at, last_end, last_reason, last_ended_at)
select $1::uuid, c.now, 'dead', $3, c.now
from (select coalesce($2::timestamptz, clock_timestamp()) as now) c
on conflict (user_id) do update
set looked_at = excluded.looked_at, last_end = excluded.last_end,
  last_reason = excluded.last_reason, last_ended_at = excluded.last_ended_at, swept_calls = null`;

/** `notion_user`: what became of each person's board; the view `notion_user_status` shows it. */
@Injectable()
export class BoardUsers {
  constructor(private readonly clock: Clock) {}

  async store(tx: Tx, userId: string, run: EndedRun): Promise<StoredRun> {
    const { end, timeToReadyMs, queueWaitMs, runMs } = run;
    const { loaded, processed, updated, dropped, apiCalls } = end.counts;
    const [row] = await tx.query<StoredRun>(STORE, [
      userId,
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
    ]);
    return row ?? { isRequeued: false, reruns: 0, isOldNews: false };
  }

  /** Its runs failed until nobody tried again. The next change, or the sweep, begins anew. */
  async storeDead(tx: Tx, userId: string, error: string): Promise<void> {
    await tx.query(STORE_DEAD, [userId, this.clock.databaseNow(), error.slice(0, REASON_LIMIT)]);
  }
}
