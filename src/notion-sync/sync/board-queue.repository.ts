import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import type { Tx } from '../../common/uow';
import { type Claim, ReplicaId } from '../../jobs';

/**
 * The jobs of the queue `notion-sync`, many people's in one statement. It keeps the rules of the table
 * (src/jobs/job.ts): one open row for each key; a row that is due is never moved. Keys are uuids as
 * PostgreSQL writes them. Rows are taken in the order of their keys, so that two of these statements
 * cannot block each other.
 */
@Injectable()
export class BoardQueueRepository {
  private readonly settings;

  constructor(
    settings: Settings,
    private readonly replica: ReplicaId,
    private readonly clock: Clock,
  ) {
    this.settings = settings.notionSync;
  }

  /** Boards that have changed; with `isAtOnce` they are ready without a quiet time. */
  mark(tx: Tx, userIds: readonly string[], isAtOnce: boolean): Promise<MarkedRow[]> {
    const { debounceMs, debounceMaxMs, maxWaitMs } = this.settings;
    const now = this.clock.databaseNow();
    const times = [debounceMs, debounceMaxMs, maxWaitMs];
    return tx.query<MarkedRow>(MARK, [userIds, now, ...times, isAtOnce, this.replica.value]);
  }

  /** Boards that are to be ranked unless they wait, run or will be retried. */
  markIdle(tx: Tx, userIds: readonly string[]): Promise<MarkedRow[]> {
    return tx.query<MarkedRow>(MARK_IDLE, [userIds, this.clock.databaseNow(), this.replica.value]);
  }

  /** Ends the key's open row in the claim's first commit. Undefined: the lease is lost. */
  async absorb(tx: Tx, { jobId, key, dueAt, claimNo }: Claim): Promise<AbsorbedRow | undefined> {
    const now = this.clock.databaseNow();
    const [row] = await tx.query<AbsorbedRow>(ABSORB, [key, now, dueAt, jobId, claimNo]);
    return row;
  }

  /** The boards that are ready besides this one, in the order of their claims. */
  nextReady(tx: Tx, userId: string, most: number): Promise<NextRow[]> {
    return tx.query<NextRow>(NEXT_READY, [userId, this.clock.databaseNow(), most]);
  }

  async depth(tx: Tx): Promise<{ waiting: number; ready: number }> {
    const rows = await tx.query<{ waiting: number; ready: number }>(DEPTH, [
      this.clock.databaseNow(),
    ]);
    return rows[0] ?? { waiting: 0, ready: 0 };
  }
}

/** Ready boards are counted up to here, where the quiet time reaches its maximum. */
const READY_COUNTED = 20;

const WANTED = `wanted as (
      select distinct id::uuid::text as key from unnest($1::text[]) as id)`;

/** When a board that waits already is due. In both columns, because a full queue claims in this order. */
const MARKED_DUE = `case
        when t.due_at <= coalesce($2::timestamptz, clock_timestamp()) then t.due_at
        else least(excluded.due_at, t.first_at + $5::float8 * interval '1 millisecond') end`;

/**
 * $1 users, $2 now, $3 shortest and $4 longest quiet time, $5 longest wait, $6 whether they are to
 * be ready at once, $7 worker.
 *
 * - A ready board keeps its place; a waiting one waits for quiet again, up to the longest wait.
 * - A board that waits for its retry is due as soon as the quiet time has passed, unless Notion
 *   asked for a pause. It also gets an open row. The retry absorbs the row when it begins; if the job
 *   is not retried, the row stays. A locked row is skipped, because it is being claimed or marked.
 * - `limit 1` tells the planner that the table has one row: without statistics it assumes a thousand.
 */
export const MARK = `
    with ${WANTED},
    clock as (
      select coalesce($2::timestamptz, clock_timestamp()) as now),
    pressure as (
      select notion_rate(l.rate, l.recovers_from, clock.now) as rate,
        coalesce(l.paused_until > clock.now, false) as is_paused,
        (select count(*)::int from (
          select from job
          where queue = 'notion-sync' and state in ('open', 'retry')
            and check_at <= coalesce($2::timestamptz, now())
            and due_at <= coalesce($2::timestamptz, now())
          limit ${READY_COUNTED}) ready) as ready
      from (select * from notion_limiter limit 1) l, clock),
    quiet as (
      select is_paused, clock.now + interval '1 millisecond' * case when $6::bool then 0
        else least(notion_quiet_ms($3::float8, $4::float8, rate, ready), $5::float8) end as due_at
      from pressure, clock),
    hastened as (
      update job t set due_at = quiet.due_at
      from quiet where not quiet.is_paused and t.id in (
        select r.id from job r join wanted w on w.key = r.key
        where r.queue = 'notion-sync' and r.state = 'retry' and r.due_at > quiet.due_at
        for no key update of r skip locked))
    insert into job as t (queue, key, due_at, check_at, first_at, worker)
    select 'notion-sync', w.key, quiet.due_at, quiet.due_at, clock.now, $7
    from wanted w, quiet, clock
    order by w.key
    on conflict (queue, key) where state = 'open' do update
    set due_at = ${MARKED_DUE}, check_at = ${MARKED_DUE}, count = t.count + 1, worker = excluded.worker
    returning t.key as "userId", t.xmax = 0 as "isNew"`;

/** $1 users, $2 now, $3 worker. Skips boards that wait, run or will be retried. */
const MARK_IDLE = `
    with ${WANTED}
    insert into job as t (queue, key, due_at, check_at, first_at, worker)
    select 'notion-sync', w.key, c.now, c.now, c.now, $3
    from wanted w, (select coalesce($2::timestamptz, clock_timestamp()) as now) c
    where not exists (
      select from job l
      where l.queue = 'notion-sync' and l.key = w.key and l.state in ('open', 'running', 'retry'))
    order by w.key
    on conflict (queue, key) where state = 'open' do nothing
    returning t.key as "userId", true as "isNew"`;

/**
 * $1 the claimed key, $2 now, $3 when it became ready, $4 the job, $5 the claim's number. The query that
 * follows covers all changes until now, so the claim ends the key's open row too. No row: the job
 * belongs to another claim.
 */
const ABSORB = `
    with fenced as (
      select count from job where id = $4 and claim_no = $5 and state = 'running'
      for no key update),
    absorbed as (
      update job t
      set state = 'done', due_at = null, ended_at = coalesce($2::timestamptz, clock_timestamp())
      from fenced
      where t.queue = 'notion-sync' and t.key = $1 and t.state = 'open'
      returning 1)
    select extract(epoch from coalesce($2::timestamptz, clock_timestamp()) - $3::timestamptz)::float8
      * 1000 as "queueWaitMs",
      fenced.count as requests, exists (select from absorbed) as "isJoined"
    from fenced`;

/** $1 the key of the running board, $2 now, $3 how many. The other boards in the order of their claims. */
const NEXT_READY = `
    select c.key as "userId", c.id as "jobId", c.count as requests from job c
    where c.queue = 'notion-sync' and c.state in ('open', 'retry') and c.key <> $1
      and c.due_at <= coalesce($2::timestamptz, now())
      and not exists (
        select from job e
        where e.queue = 'notion-sync' and e.key = c.key and e.id < c.id
          and e.state in ('open', 'running', 'retry'))
    order by c.due_at limit $3`;

/** $1 now. Counts boards that wait for quiet or a retry, and boards that wait for the worker. */
const DEPTH = `
    select count(*) filter (where due_at > coalesce($1::timestamptz, now()))::int as waiting,
      count(*) filter (where due_at <= coalesce($1::timestamptz, now()))::int as ready
    from job where queue = 'notion-sync' and state in ('open', 'retry')`;

export interface MarkedRow {
  readonly userId: string;
  /** False: the board was waiting already, and this joins it. */
  readonly isNew: boolean;
}

export interface AbsorbedRow {
  readonly queueWaitMs: number;
  readonly requests: number;
  readonly isJoined: boolean;
}

interface NextRow {
  readonly userId: string;
  readonly jobId: string;
  readonly requests: number;
}
