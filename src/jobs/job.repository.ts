import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';
import { ReplicaId } from './replica-id';
import { refValues } from './claim.repository';
import type { ClaimRef } from './job';
import type { QueueName } from './queue-names';

/**
 * The statements on table `job` that run in the caller's transaction: enqueue, fence, and every way
 * in which a claim ends. Statements of a claim match (id, claim_no, running): those that return a
 * boolean return false when the lease is lost.
 */
@Injectable()
export class JobRepository {
  constructor(
    private readonly clock: Clock,
    private readonly replica: ReplicaId,
  ) {}

  /** Joins the key's open row, which keeps its trace, or opens one. The earlier due time is kept. */
  async enqueue(
    tx: Tx,
    job: {
      queue: QueueName;
      key: string;
      dueInMs: number;
      payload?: unknown;
      trace: string | null;
    },
  ): Promise<EnqueuedJob> {
    const payload = job.payload === undefined ? null : JSON.stringify(job.payload);
    const rows = await tx.query<EnqueuedJob>(
      `insert into job as t (queue, key, due_at, check_at, first_at, payload, worker, trace)
       select $1, $2, n.due_at, n.due_at, n.now, $5::jsonb, $6, $7 from ${ENQUEUED} n
       on conflict (queue, key) where state = 'open' do update
       set due_at = least(t.due_at, excluded.due_at), count = t.count + 1, worker = excluded.worker
       returning t.id as "jobId", t.due_at as "dueAt", t.xmax = 0 as "isNew"`,
      [
        job.queue,
        job.key,
        this.clock.databaseNow(),
        job.dueInMs,
        payload,
        this.replica.value,
        job.trace,
      ],
    );
    return firstOf(rows);
  }

  /** As enqueue, for many keys of a queue, each with its trace, without a payload. */
  async enqueueAll(
    tx: Tx,
    jobs: {
      queue: QueueName;
      keys: readonly string[];
      /** By key; the same number. */
      traces: readonly (string | null)[];
      dueInMs: number;
    },
  ): Promise<void> {
    await tx.query(
      `insert into job as t (queue, key, due_at, check_at, first_at, worker, trace)
       select $1, key, n.due_at, n.due_at, n.now, $5, trace
       from ${ENQUEUED} n, (select key, min(trace) as trace
         from unnest($2::text[], $6::text[]) as k(key, trace) group by key order by key) as given
       on conflict (queue, key) where state = 'open' do update
       set due_at = least(t.due_at, excluded.due_at), count = t.count + 1, worker = excluded.worker`,
      [
        jobs.queue,
        jobs.keys,
        this.clock.databaseNow(),
        jobs.dueInMs,
        this.replica.value,
        jobs.traces,
      ],
    );
  }

  /** Locks the claim's row for the rest of the commit: no worker can take it over meanwhile. */
  async fence(tx: Tx, claim: ClaimRef): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from job where id = $1 and claim_no = $2 and state = 'running'
       for no key update`,
      [claim.jobId, claim.claimNo],
    );
    return rows.length > 0;
  }

  /** As fence, for many claims; returns those that are still held. */
  async fenceAll<One extends ClaimRef>(tx: Tx, claims: readonly One[]): Promise<Set<One>> {
    const rows = await tx.query<ClaimRef>(
      `select t.id as "jobId", t.claim_no as "claimNo" from job t
       join unnest($1::bigint[], $2::int[]) as h(id, claim_no) on h.id = t.id and h.claim_no = t.claim_no
       where t.state = 'running' order by t.id
       for no key update of t`,
      [...refValues(claims)],
    );
    return amongOf(claims, rows);
  }

  async complete(tx: Tx, claim: ClaimRef): Promise<boolean> {
    const rows = await tx.query(
      `update job
       set state = 'done', due_at = null, ended_at = coalesce($3::timestamptz, clock_timestamp()),
         claims_without_progress = 0
       where id = $1 and claim_no = $2 and state = 'running'
       returning id`,
      [claim.jobId, claim.claimNo, this.clock.databaseNow()],
    );
    return rows.length > 0;
  }

  /** As complete, for many claims; returns those that were held. */
  async completeAll<One extends ClaimRef>(tx: Tx, claims: readonly One[]): Promise<Set<One>> {
    const rows = await tx.query<ClaimRef>(
      `update job t
       set state = 'done', due_at = null, ended_at = coalesce($3::timestamptz, clock_timestamp()),
         claims_without_progress = 0
       from unnest($1::bigint[], $2::int[]) as h(id, claim_no)
       where t.id = h.id and t.claim_no = h.claim_no and t.state = 'running'
       returning t.id as "jobId", t.claim_no as "claimNo"`,
      [...refValues(claims), this.clock.databaseNow()],
    );
    return amongOf(claims, rows);
  }

  /**
   * Returns the job to its queue, with a failure of its own or because its peer was unavailable. The
   * first time of the latter is kept until the job ends, because attention is raised after a while.
   */
  async retry(
    tx: Tx,
    claim: ClaimRef,
    { ownFailures, delayMs, error }: { ownFailures: 0 | 1; delayMs: number; error: string },
  ): Promise<boolean> {
    const rows = await tx.query(
      `update job
       set state = 'retry', failures = failures + $3, claims_without_progress = 0, last_error = $4,
         given_back = given_back + 1 - $3, failed_at = coalesce($5::timestamptz, clock_timestamp()),
         given_back_since = case when $3 = 1 then given_back_since
           else coalesce(given_back_since, $5::timestamptz, clock_timestamp()) end,
         due_at = n.at, check_at = n.at
       from (select
         coalesce($5::timestamptz, clock_timestamp()) + $6::float8 * interval '1 millisecond' as at) n
       where id = $1 and claim_no = $2 and state = 'running'
       returning id`,
      [claim.jobId, claim.claimNo, ownFailures, error, this.clock.databaseNow(), delayMs],
    );
    return rows.length > 0;
  }

  /** Only counts: the row stays running, and the takeover finds its failures used up. */
  async countFailure(tx: Tx, claim: ClaimRef, error: string): Promise<boolean> {
    const rows = await tx.query(
      `update job set failures = failures + 1, last_error = $3
       where id = $1 and claim_no = $2 and state = 'running'
       returning id`,
      [claim.jobId, claim.claimNo, error],
    );
    return rows.length > 0;
  }

  async markDead(
    tx: Tx,
    claim: ClaimRef,
    { failures, error }: { failures: number; error: string },
  ): Promise<boolean> {
    const rows = await tx.query(
      `update job
       set state = 'dead', due_at = null, ended_at = coalesce($5::timestamptz, clock_timestamp()),
         failures = $3, last_error = $4
       where id = $1 and claim_no = $2 and state = 'running'
       returning id`,
      [claim.jobId, claim.claimNo, failures, error, this.clock.databaseNow()],
    );
    return rows.length > 0;
  }

  /**
   * A new budget for a dead row; undefined when it is not dead. As `retry`: an open row of its key may
   * exist by now.
   */
  async replay(tx: Tx, jobId: string): Promise<{ queue: QueueName; key: string } | undefined> {
    const rows = await tx.query<{ queue: QueueName; key: string }>(
      `update job
       set state = 'retry', due_at = n.at, check_at = n.at, ended_at = null,
         failures = 0, claims_without_progress = 0, given_back = 0, given_back_since = null,
         failed_at = null
       from (select coalesce($2::timestamptz, clock_timestamp()) as at) n
       where id = $1 and state = 'dead'
       returning queue, key`,
      [jobId, this.clock.databaseNow()],
    );
    return rows[0];
  }

  /** A row in `retry` is dead from now on; a dead one keeps its state and ends now. */
  async abandon(tx: Tx, jobId: string): Promise<void> {
    await tx.query(
      `update job
       set state = 'dead', due_at = null, ended_at = coalesce($2::timestamptz, clock_timestamp())
       where id = $1 and state in ('retry', 'dead')`,
      [jobId, this.clock.databaseNow()],
    );
  }

  /** Ends the waiting rows of a key; a running one is ended by its own flow. */
  async cancel(tx: Tx, { queue, key }: { queue: QueueName; key: string }): Promise<string[]> {
    const rows = await tx.query<{ jobId: string }>(
      `update job
       set state = 'done', due_at = null, ended_at = coalesce($3::timestamptz, clock_timestamp())
       where queue = $1 and key = $2 and state in ('open', 'retry')
       returning id as "jobId"`,
      [queue, key, this.clock.databaseNow()],
    );
    return rows.map(({ jobId }) => jobId);
  }

  /**
   * Deletes the rows of these keys in whatever state, and of keys that begin with one of them and a
   * colon. Whoever holds a claim of one has lost it. Both are found by their keys. The index of live rows begins
   * with the queue, because one by key alone would be written by every claim: it is probed in each queue that has
   * live rows. The ids are collected in an array: a join would let the planner expect a large share of the
   * table for the range of keys, and read it from end to end.
   */
  async erase(
    tx: Tx,
    { queue, keys }: { queue: QueueName | null; keys: readonly string[] },
  ): Promise<void> {
    await tx.query(
      `with recursive queues as (
         (select queue from job where ${LIVE} order by queue limit 1)
         union all
         select (select t.queue from job t where ${LIVE} and t.queue > q.queue
           order by t.queue limit 1)
         from queues q where q.queue is not null)
       delete from job where id = any (array(
         select found.id from unnest($2::text[]) as k(key), lateral (
           select t.id, t.queue from job t where ${ENDED} and ${HAS_KEY}
           union all
           select live.id, live.queue from queues q, lateral (
             select t.id, t.queue from job t
             where t.queue = q.queue and ${LIVE} and ${HAS_KEY} offset 0) live
         ) found
         where $1::text is null or found.queue = $1))`,
      [queue, keys],
    );
  }

  /** Deletes the rows of exactly these keys in every state but running. */
  async eraseIdle(tx: Tx, keys: readonly string[]): Promise<void> {
    await tx.query(
      `with ended as (
         delete from job where state in ('done', 'dead') and key = any($1::text[]))
       delete from job where state in ('open', 'retry') and key = any($1::text[])`,
      [keys],
    );
  }

  /** Jobs of the queue that this worker wrote last, and that run or are due within that time. */
  async countOwnDue(
    tx: Tx,
    { queue, withinMs }: { queue: QueueName; withinMs: number },
  ): Promise<number> {
    const rows = await tx.query<{ count: number }>(
      `select count(*)::int as count from job
       where queue = $1 and worker = $2 and (state = 'running' or state in ('open', 'retry')
         and due_at <= coalesce($3::timestamptz, now()) + $4::float8 * interval '1 millisecond')`,
      [queue, this.replica.value, this.clock.databaseNow(), withinMs],
    );
    return firstOf(rows).count;
  }

  /**
   * Done rows that ended before `now - keptMs`, oldest first, without the rows of `except`. Ordered by
   * the index alone: with the id as a second key the planner reads and sorts all done rows.
   */
  oldDone(
    tx: Tx,
    { keptMs, limit, except }: { keptMs: number; limit: number; except: readonly string[] },
  ): Promise<DoneRow[]> {
    return tx.query<DoneRow>(
      `select id as "jobId", queue from job
       where state = 'done'
         and ended_at < coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'
         and id <> all($4::bigint[])
       order by ended_at limit $3`,
      [this.clock.databaseNow(), keptMs, limit, except],
    );
  }

  /** Deletes those of the rows that are still done; returns their ids. */
  async deleteDone(tx: Tx, jobIds: readonly string[]): Promise<Set<string>> {
    const rows = await tx.query<{ jobId: string }>(
      `delete from job where id in (
         select id from job where id = any($1::bigint[]) and state = 'done'
         for update skip locked)
       returning id as "jobId"`,
      [jobIds],
    );
    return idsOf(rows);
  }

  /** What waits in these queues, in the whole cluster; each part reads an index of its own. */
  queueSizes(tx: Tx, queues: readonly QueueName[]): Promise<QueueSize[]> {
    return tx.query<QueueSize>(
      `select l.queue, coalesce(d.due, 0) as due, coalesce(d.oldest, 0)::float8 as "oldestDueS",
         (select count(*)::int from job t where t.queue = l.queue and t.state = 'dead'
           and t.ended_at > coalesce($2::timestamptz, now()) - interval '24 hours') as dead
       from unnest($1::text[]) as l(queue)
       left join lateral (
         select count(*)::int as due,
           extract(epoch from coalesce($2::timestamptz, now()) - min(t.due_at)) as oldest
         from job t where t.queue = l.queue and t.state in ('open', 'retry')
           and t.check_at <= coalesce($2::timestamptz, now())
           and t.due_at <= coalesce($2::timestamptz, now())) d on true`,
      [queues, this.clock.databaseNow()],
    );
  }
}

/** $3 now, $4 milliseconds. One time in both columns: the clock would give two. */
const ENQUEUED = `(select c.now, c.now + $4::float8 * interval '1 millisecond' as due_at
         from (select coalesce($3::timestamptz, clock_timestamp()) as now) c)`;

const LIVE = `state in ('open', 'running', 'retry')`;
const ENDED = `state in ('done', 'dead')`;

/** A job `t` with the key, or with `key:something`: one range in the order of the indexes by key. */
const HAS_KEY = `t.key ~>=~ k.key and t.key ~<~ (k.key || ';')
             and (t.key = k.key or split_part(t.key, ':', 1) = k.key)`;

export interface EnqueuedJob {
  readonly jobId: string;
  readonly dueAt: Date;
  /** False when the work joined the key's open job. */
  readonly isNew: boolean;
}

/** A done job, for the sweep. */
export interface DoneRow {
  readonly jobId: string;
  readonly queue: QueueName;
}

export interface QueueSize {
  readonly queue: QueueName;
  /** Those that may be claimed now, or wait behind an earlier job of their key. */
  readonly due: number;
  /** Within the last day. Later a person has seen their items, which do not end the jobs. */
  readonly dead: number;
  /** For how long the first of them has been due; 0 without one. */
  readonly oldestDueS: number;
}

function idsOf(rows: readonly { readonly jobId: string }[]): Set<string> {
  return new Set(rows.map(({ jobId }) => jobId));
}

/** Two claims of one job may be among them, when its worker has lost and taken it again. */
function amongOf<One extends ClaimRef>(
  claims: readonly One[],
  rows: readonly ClaimRef[],
): Set<One> {
  const found = new Map(rows.map(({ jobId, claimNo }) => [jobId, claimNo]));
  return new Set(claims.filter(({ jobId, claimNo }) => found.get(jobId) === claimNo));
}

function firstOf<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('the statement returned no row');
  return row;
}

/**
 * Whether a claim is held, for a statement that changes nothing. It takes no lock, so it neither
 * waits for a commit of the flow nor delays a renewal. The arguments name two parameters.
 */
export function isHeldSql(jobId: string, claimNo: string): string {
  return `exists (
    select from job
    where id = ${jobId}::bigint and claim_no = ${claimNo}::int and state = 'running')`;
}
