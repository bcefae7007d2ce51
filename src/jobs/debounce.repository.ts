import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { currentTraceparent } from '../common/tracing';
import { type Tx, namedStatement } from '../common/uow';
import { ReplicaId } from './replica-id';
import { Jobs } from './jobs.service';
import type { ClaimRef } from './job';
import type { QueueName } from './queue-names';

/**
 * Debounced jobs: an open job collects work until a quiet time has passed or a limit is reached.
 * Only the columns of the timer change here; what the job collects is stored elsewhere.
 *
 *   quiet_at  when the quiet time after the last addition ends
 *   count, chars   what was added so far, compared with the limits
 *   pending   additions that are still incomplete: with one, only the longest wait makes it due
 *   finished  nothing more is expected: later activity does not extend the wait
 *
 * The `due_at` of an open job follows from these by the function `debounce_due_at` of the database:
 * quiet, or a limit reached, or the longest wait over. Only `makeOpenDue`, `makeDue` and `putBack`
 * set it without that function. Later times write no index: `check_at`, at which a claim looks at the row, stays
 * (ClaimRepository); the trigger job_due_earlier moves it with an earlier time.
 */
@Injectable()
export class DebounceRepository {
  constructor(
    private readonly clock: Clock,
    private readonly replica: ReplicaId,
    private readonly jobs: Jobs,
  ) {}

  /**
   * Adds to the open job of the key, or opens one; returns its id. A statement that writes more with it
   * contains `addToOpenJob` instead.
   */
  async add(
    tx: Tx,
    { queue, key }: JobKey,
    { limits, ...added }: { chars: number; windowMs: number; limits: DebounceLimits },
  ): Promise<string> {
    const [row] = await tx.query<{ id: string }>(
      ADD.text,
      ADD.values({ key, ...added, ...this.addedBy(queue), ...limits }),
    );
    if (row === undefined) throw new Error('an upsert returned no row');
    return row.id;
  }

  /** Values of a statement with `addToOpenJob` that say where it comes from, and when. */
  addedBy(queue: QueueName): AddedBy {
    return {
      queue,
      worker: this.replica.value,
      now: this.clock.databaseNow(),
      trace: currentTraceparent(),
    };
  }

  /** Nothing more is expected: due after `windowMs`. A second time changes nothing. */
  async finish(
    tx: Tx,
    { queue, key }: JobKey,
    { windowMs, limits }: { windowMs: number; limits: DebounceLimits },
  ): Promise<Date | null> {
    const quietAt = `case when t.finished then t.quiet_at
        else ${written('$3')} + ${milliseconds('$4')} end`;
    const rows = await tx.query<{ dueAt: Date }>(
      `update job t
       set finished = true, quiet_at = ${quietAt}, due_at = ${dueAt({ now: '$3', limits: 5, quietAt })}
       where ${OPEN}
       returning t.due_at as "dueAt"`,
      [queue, key, this.clock.databaseNow(), windowMs, ...limitValues(limits)],
    );
    return rows[0]?.dueAt ?? null;
  }

  /** Keeps an open job unclaimed for the rest of the commit; false: a claim has sealed it. */
  async lockOpen(tx: Tx, jobId: string): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from job where id = $1 and state = 'open' for no key update`,
      [jobId],
    );
    return rows.length > 0;
  }

  /**
   * Changes the characters, or releases one pending addition, of a job that `lockOpen` has locked. `windowMs` above
   * 0 extends the wait as activity does, but not of a finished job.
   */
  async resize(
    tx: Tx,
    jobId: string,
    change: {
      charsChange: number;
      pendingReleased: 0 | 1;
      windowMs: number;
      limits: DebounceLimits;
    },
  ): Promise<void> {
    const quietAt = `case when t.finished or $4 = 0 then t.quiet_at
        else greatest(t.quiet_at, ${written('$5')} + ${milliseconds('$4')}) end`;
    const chars = `t.chars + $2::int`;
    const pending = `greatest(t.pending - $3::int, 0)`;
    await tx.query(
      `update job t
       set chars = ${chars}, pending = ${pending}, quiet_at = ${quietAt},
         due_at = ${dueAt({ now: '$5', limits: 6, quietAt, chars, pending })}
       where t.id = $1`,
      [
        jobId,
        change.charsChange,
        change.pendingReleased,
        change.windowMs,
        this.clock.databaseNow(),
        ...limitValues(change.limits),
      ],
    );
  }

  /**
   * Ends a claim without a failure: the job is open again, so that it still collects. With `isClosed`,
   * or if the key has a newer open job, it collects nothing more and is `retry`. False: the lease is
   * lost.
   */
  async putBack(
    tx: Tx,
    claim: ClaimRef & JobKey,
    { delayMs, isClosed }: { delayMs: number; isClosed: boolean },
  ): Promise<boolean> {
    const rows = await tx.query(
      `update job t
       set state = case when $7::bool or exists (
             select from job o where o.queue = $3 and o.key = $4 and o.state = 'open')
           then 'retry' else 'open' end,
         due_at = n.at, check_at = n.at, claims_without_progress = 0
       from (select ${written('$5')} + ${milliseconds('$6')} as at) n
       where t.id = $1 and t.claim_no = $2 and t.state = 'running'
       returning t.id`,
      [
        claim.jobId,
        claim.claimNo,
        claim.queue,
        claim.key,
        this.clock.databaseNow(),
        delayMs,
        isClosed,
      ],
    );
    return rows.length > 0;
  }

  /**
   * Jobs of these keys that were put back are due as their quiet time says. One that waits after a failure
   * of its own keeps that wait.
   */
  async releasePutBack(
    tx: Tx,
    { queue, keys }: { queue: QueueName; keys: readonly string[] },
    limits: DebounceLimits,
  ): Promise<void> {
    await tx.query(
      `update job t set due_at = ${dueAt({ now: '$3', limits: 4 })}
       where t.queue = $1 and t.key = any($2::text[]) and t.claim_no > 0
         and (t.state = 'open'
           or t.state = 'retry' and t.failures = 0 and t.given_back_since is null)`,
      [queue, keys, this.clock.databaseNow(), ...limitValues(limits)],
    );
  }

  /**
   * Makes the open jobs without a pending addition due now; with `ownOnly` those to which this replica added
   * last. Skips a locked row: whoever holds the lock is adding to it. Returns how many.
   */
  async makeOpenDue(tx: Tx, queue: QueueName, { ownOnly }: { ownOnly: boolean }): Promise<number> {
    const rows = await tx.query(
      `with picked as (
         select t.id from job t
         where t.queue = $1 and t.state = 'open' and t.pending = 0
           and t.due_at > coalesce($2::timestamptz, now()) and ($3::text is null or t.worker = $3)
         order by t.id
         for no key update skip locked)
       update job t
       set quiet_at = ${written('$2')}, due_at = ${written('$2')}
       from picked where t.id = picked.id
       returning t.id`,
      [queue, this.clock.databaseNow(), ownOnly ? this.replica.value : null],
    );
    return rows.length;
  }

  /** Makes one waiting job due now, even with a pending addition, and wakes the worker after the commit. */
  async makeDue(tx: Tx, { queue, jobId }: { queue: QueueName; jobId: string }): Promise<void> {
    this.jobs.wakeAfter(tx, queue);
    await tx.query(
      `update job t set due_at = n.at, quiet_at = least(t.quiet_at, n.at)
       from (select ${written('$3')} as at) n
       where t.id = $1 and t.queue = $2 and t.state in ('open', 'retry')`,
      [jobId, queue, this.clock.databaseNow()],
    );
  }

  /**
   * Open jobs without a pending addition to which this replica added last, and jobs that it has claimed: a
   * claimed one may be put back. Due or not, locked or not.
   */
  async countOwn(tx: Tx, queue: QueueName): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      `select count(*)::int as count from job t
       where t.queue = $1 and t.worker = $2
         and (t.state = 'open' and t.pending = 0 or t.state = 'running')`,
      [queue, this.replica.value],
    );
    return row?.count ?? 0;
  }

  /** The queue's live jobs in the whole cluster. */
  async measureOpen(tx: Tx, queue: QueueName): Promise<OpenJobs> {
    const [row] = await tx.query<OpenJobs>(
      `select count(*) filter (where t.state = 'open')::int as jobs,
         count(*) filter (where t.state = 'running'
           or t.due_at <= coalesce($2::timestamptz, now()))::int as due,
         coalesce(avg(t.count) filter (where t.state = 'open'), 0)::float8 as "meanCount"
       from job t where t.queue = $1 and t.state in ('open', 'running', 'retry')`,
      [queue, this.clock.databaseNow()],
    );
    return row ?? { jobs: 0, due: 0, meanCount: 0 };
  }
}

export interface DebounceLimits {
  readonly maxWaitMs: number;
  readonly maxSize: number;
  readonly maxChars: number;
}

export interface JobKey {
  readonly queue: QueueName;
  readonly key: string;
}

export interface OpenJobs {
  /** Open ones. */
  readonly jobs: number;
  /** Those that are due or running. */
  readonly due: number;
  readonly meanCount: number;
}

export interface AddedBy {
  readonly queue: QueueName;
  readonly worker: string;
  /** Null: the clock of the database counts. */
  readonly now: Date | null;
  readonly trace: string | null;
}

/** Values of a statement that are DebounceLimits. */
const LIMITS = '$maxWaitMs::float8, $maxSize::int, $maxChars::int';

/** Whether what is added to the job `j` later still extends its wait. */
const EXTENSIBLE = `j.state = 'open' and not j.finished and j.count < $maxSize::int
      and j.chars < $maxChars::int`;

/**
 * The part of a statement that adds to the open job of a key, or opens one. `added` is a query with the
 * columns key, now, quiet_at, chars and pending. Its other values have names: those of AddedBy and
 * DebounceLimits.
 */
export function addToOpenJob(added: string): string {
  return `insert into job as j (queue, key, first_at, quiet_at, due_at, check_at, chars, pending, worker, trace)
    select $queue::text, a.key, a.now, a.quiet_at, a.due_at, a.due_at, a.chars, a.pending, $worker::text,
      $trace::text
    from (select a.*,
        debounce_due_at(a.now, a.quiet_at, 1, a.chars, a.pending, a.now, ${LIMITS}) as due_at
      from (${added}) a) a
    on conflict (queue, key) where state = 'open' do update set
      count = j.count + 1, chars = j.chars + excluded.chars, pending = j.pending + excluded.pending,
      finished = false, worker = excluded.worker,
      quiet_at = greatest(j.quiet_at, excluded.quiet_at),
      due_at = debounce_due_at(j.first_at, greatest(j.quiet_at, excluded.quiet_at), j.count + 1,
        j.chars + excluded.chars, j.pending + excluded.pending, excluded.first_at, ${LIMITS})`;
}

/** The open job of a key as long as more may be added: the columns id and first_at. Names: queue, key. */
export const EXTENSIBLE_JOB = `select j.id, j.first_at from job j
    where j.queue = $queue::text and j.key = $key::text and ${EXTENSIBLE}`;

/**
 * The part of a statement that extends the wait of jobs; it never shortens it. `extended` is a query with the
 * columns id, now and quiet_at. A job that was finished, filled or claimed meanwhile stays as it is.
 */
export function extendJob(extended: string): string {
  return `update job j set quiet_at = greatest(j.quiet_at, e.quiet_at),
      due_at = debounce_due_at(j.first_at, greatest(j.quiet_at, e.quiet_at), j.count, j.chars, j.pending,
        e.now, ${LIMITS})
    from (${extended}) e where j.id = e.id and ${EXTENSIBLE}`;
}

const ADD = namedStatement<
  AddedBy & DebounceLimits & { key: string; chars: number; windowMs: number }
>(`
    ${addToOpenJob(`
      select $key::text as key, n.now, $chars::int as chars, 0 as pending,
        n.now + $windowMs::float8 * interval '1 millisecond' as quiet_at
      from (select coalesce($now::timestamptz, clock_timestamp()) as now) n`)}
    returning j.id`);

/** The open job of ($1 queue, $2 key). */
const OPEN = `t.queue = $1 and t.key = $2 and t.state = 'open'`;

/** The due time of `t`; `limits` is the number of the first of three parameters. */
function dueAt(of: {
  now: string;
  limits: number;
  quietAt?: string;
  chars?: string;
  pending?: string;
}): string {
  const { limits, quietAt = 't.quiet_at', chars = 't.chars', pending = 't.pending' } = of;
  const limitParameters = `$${limits}::float8, $${limits + 1}::int, $${limits + 2}::int`;
  return `debounce_due_at(t.first_at, ${quietAt}, t.count, ${chars}, ${pending}, ${written(of.now)},
         ${limitParameters})`;
}

function limitValues(limits: DebounceLimits): number[] {
  return [limits.maxWaitMs, limits.maxSize, limits.maxChars];
}

/** The time that a statement writes. To compare, it uses now(): a volatile clock uses no index. */
function written(now: string): string {
  return `coalesce(${now}::timestamptz, clock_timestamp())`;
}

function milliseconds(parameter: string): string {
  return `${parameter}::float8 * interval '1 millisecond'`;
}
