/** One SQL statement as a value. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * The statements on table `job` that run in the caller's transaction: enqueue, fence, and every way in
 * which a claim ends. Statements of a claim match (id, claim_no, running): no row means that the
 * lease is lost.
 */

export interface EnqueuedRow {
  readonly jobId: string;
  readonly dueAt: Date;
  readonly isNew: boolean;
}

/** Joins the key's open row, which keeps its trace, or opens one. The earlier due time is kept. */
export function enqueue(options: {
  queue: string;
  key: string;
  dueInMs: number;
  payload: unknown;
  worker: string;
  trace: string | null;
  now: Date | null;
}): Statement {
  return {
    text: `
    insert into job as t (queue, key, due_at, first_at, payload, worker, trace)
    values ($1, $2,
      coalesce($3::timestamptz, clock_timestamp()) + $4::float8 * interval '1 millisecond',
      coalesce($3::timestamptz, clock_timestamp()), $5::jsonb, $6, $7)
    on conflict (queue, key) where state = 'open' do update
    set due_at = least(t.due_at, excluded.due_at), count = t.count + 1, worker = excluded.worker
    returning t.id as "jobId", t.due_at as "dueAt", t.xmax = 0 as "isNew"`,
    values: [
      options.queue,
      options.key,
      options.now,
      options.dueInMs,
      options.payload === undefined ? null : JSON.stringify(options.payload),
      options.worker,
      options.trace,
    ],
  };
}

/** As enqueue, for many keys of a queue, each with its trace, without a payload. */
export function enqueueAll(options: {
  queue: string;
  keys: readonly string[];
  /** By key; the same number. */
  traces: readonly (string | null)[];
  dueInMs: number;
  worker: string;
  now: Date | null;
}): Statement {
  return {
    text: `
    insert into job as t (queue, key, due_at, first_at, worker, trace)
    select $1, key,
      coalesce($3::timestamptz, clock_timestamp()) + $4::float8 * interval '1 millisecond',
      coalesce($3::timestamptz, clock_timestamp()), $5, trace
    from (select key, min(trace) as trace
      from unnest($2::text[], $6::text[]) as k(key, trace) group by key order by key) as given
    on conflict (queue, key) where state = 'open' do update
    set due_at = least(t.due_at, excluded.due_at), count = t.count + 1, worker = excluded.worker`,
    values: [
      options.queue,
      options.keys,
      options.now,
      options.dueInMs,
      options.worker,
      options.traces,
    ],
  };
}

/** Locks the claim's row for the rest of the commit: no worker can take it over meanwhile. */
export function fence(claim: ClaimRef): Statement {
  return {
    text: `
    select 1 from job where id = $1 and claim_no = $2 and state = 'running'
    for no key update`,
    values: [claim.jobId, claim.claimNo],
  };
}

/** As fence, for many claims; returns the rows that are still held. */
export function fenceAll(claims: readonly ClaimRef[]): Statement {
  return {
    text: `
    select t.id as "jobId" from job t
    join unnest($1::bigint[], $2::int[]) as h(id, claim_no) on h.id = t.id and h.claim_no = t.claim_no
    where t.state = 'running' order by t.id
    for no key update of t`,
    values: refValues(claims),
  };
}

export function completeAll(claims: readonly ClaimRef[], now: Date | null): Statement {
  return {
    text: `
    update job t
    set state = 'done', due_at = null, ended_at = coalesce($3::timestamptz, clock_timestamp()),
      claims_without_progress = 0
    from unnest($1::bigint[], $2::int[]) as h(id, claim_no)
    where t.id = h.id and t.claim_no = h.claim_no and t.state = 'running'
    returning t.id as "jobId"`,
    values: [...refValues(claims), now],
  };
}

export function complete(claim: ClaimRef, now: Date | null): Statement {
  return {
    text: `
    update job
    set state = 'done', due_at = null, ended_at = coalesce($3::timestamptz, clock_timestamp()),
      claims_without_progress = 0
    where id = $1 and claim_no = $2 and state = 'running'
    returning id`,
    values: [claim.jobId, claim.claimNo, now],
  };
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

/**
 * Returns the job to its queue, with a failure of its own or because its peer was unavailable. The
 * first time of the latter is kept until the job ends, because attention is raised after a while.
 */
export function retry(
  claim: ClaimRef,
  options: { ownFailures: 0 | 1; delayMs: number; error: string; now: Date | null },
): Statement {
  return {
    text: `
    update job
    set state = 'retry', failures = failures + $3, claims_without_progress = 0, last_error = $4,
      given_back = given_back + 1 - $3, failed_at = coalesce($5::timestamptz, clock_timestamp()),
      given_back_since = case when $3 = 1 then given_back_since
        else coalesce(given_back_since, $5::timestamptz, clock_timestamp()) end,
      due_at = coalesce($5::timestamptz, clock_timestamp()) + $6::float8 * interval '1 millisecond'
    where id = $1 and claim_no = $2 and state = 'running'
    returning id`,
    values: [
      claim.jobId,
      claim.claimNo,
      options.ownFailures,
      options.error,
      options.now,
      options.delayMs,
    ],
  };
}

/** Only counts: the row stays running, and the takeover finds its failures used up. */
export function countFailure(claim: ClaimRef, error: string): Statement {
  return {
    text: `
    update job set failures = failures + 1, last_error = $3
    where id = $1 and claim_no = $2 and state = 'running'
    returning id`,
    values: [claim.jobId, claim.claimNo, error],
  };
}

export function bury(
  claim: ClaimRef,
  options: { failures: number; error: string; now: Date | null },
): Statement {
  return {
    text: `
    update job
    set state = 'dead', due_at = null, ended_at = coalesce($5::timestamptz, clock_timestamp()),
      failures = $3, last_error = $4
    where id = $1 and claim_no = $2 and state = 'running'
    returning id`,
    values: [claim.jobId, claim.claimNo, options.failures, options.error, options.now],
  };
}

/** A new budget for a dead row. As `retry`: an open row of its key may exist by now. */
export function replay(jobId: string, now: Date | null): Statement {
  return {
    text: `
    update job
    set state = 'retry', due_at = coalesce($2::timestamptz, clock_timestamp()), ended_at = null,
      failures = 0, claims_without_progress = 0, given_back = 0, given_back_since = null,
      failed_at = null
    where id = $1 and state = 'dead'
    returning queue, key`,
    values: [jobId, now],
  };
}

/** A row in `retry` is dead from now on; a dead one keeps its state and ends now. */
export function abandon(jobId: string, now: Date | null): Statement {
  return {
    text: `
    update job
    set state = 'dead', due_at = null, ended_at = coalesce($2::timestamptz, clock_timestamp())
    where id = $1 and state in ('retry', 'dead')`,
    values: [jobId, now],
  };
}

/** Ends the waiting rows of a key; a running one is ended by its own flow. */
export function cancel(options: { queue: string; key: string; now: Date | null }): Statement {
  return {
    text: `
    update job
    set state = 'done', due_at = null, ended_at = coalesce($3::timestamptz, clock_timestamp())
    where queue = $1 and key = $2 and state in ('open', 'retry')
    returning id as "jobId"`,
    values: [options.queue, options.key, options.now],
  };
}

/**
 * Deletes the rows of these keys in whatever state, and of keys that begin with one of them and a
 * colon. Whoever holds a claim of one has lost it. Ended rows are many and are found by their keys;
 * live ones are few and all read. An index of all keys would be written by every claim. The ids of
 * ended rows are collected in an array: a join would let the planner expect a large share of the
 * table for the range of keys, and read it from end to end.
 */
export function erase(options: { queue: string | null; keys: readonly string[] }): Statement {
  return {
    text: `
    with ended as (
      delete from job
      where state in ('done', 'dead') and id = any (array(
        select found.id from unnest($2::text[]) as k(key), lateral (
          select t.id, t.queue from job t where t.state in ('done', 'dead') and t.key = k.key
          union all
          select t.id, t.queue from job t
          where t.state in ('done', 'dead')
            and t.key ~>=~ (k.key || ':') and t.key ~<~ (k.key || ';')
            and split_part(t.key, ':', 1) = k.key
        ) found
        where $1::text is null or found.queue = $1)))
    delete from job
    where state in ('open', 'running', 'retry') and ($1::text is null or queue = $1)
      and (key = any($2::text[]) or split_part(key, ':', 1) = any($2::text[]))`,
    values: [options.queue, options.keys],
  };
}

export function eraseIdle(keys: readonly string[]): Statement {
  return {
    text: `
    with ended as (
      delete from job where state in ('done', 'dead') and key = any($1::text[]))
    delete from job where state in ('open', 'retry') and key = any($1::text[])`,
    values: [keys],
  };
}

/** Jobs of the queue that this worker wrote last, and that run or are due within that time. */
export function countOwnDue(options: {
  queue: string;
  worker: string;
  withinMs: number;
  now: Date | null;
}): Statement {
  return {
    text: `
    select count(*)::int as count from job
    where queue = $1 and worker = $2 and (state = 'running' or state in ('open', 'retry')
      and due_at <= coalesce($3::timestamptz, now()) + $4::float8 * interval '1 millisecond')`,
    values: [options.queue, options.worker, options.now, options.withinMs],
  };
}

/**
 * Done rows that ended before `now - keptMs`, oldest first, without the rows of `except`. Ordered by
 * the index alone: with the id as a second key the planner reads and sorts all done rows.
 */
export function oldDone(options: {
  keptMs: number;
  limit: number;
  now: Date | null;
  except: readonly string[];
}): Statement {
  const { keptMs, limit, now, except } = options;
  return {
    text: `
    select id as "jobId", queue from job
    where state = 'done'
      and ended_at < coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'
      and id <> all($4::bigint[])
    order by ended_at limit $3`,
    values: [now, keptMs, limit, except],
  };
}

export interface QueueSize {
  readonly queue: string;
  /** Those that may be claimed now, or wait behind an earlier job of their key. */
  readonly due: number;
  /** Within the last day. Later a person has seen their items, which do not end the jobs. */
  readonly dead: number;
  /** For how long the first of them has been due; 0 without one. */
  readonly oldestDueS: number;
}

/** What waits in these queues, in the whole cluster; each part reads an index of its own. */
export function queueSizes(queues: readonly string[], now: Date | null): Statement {
  return {
    text: `
    select l.queue, coalesce(d.due, 0) as due, coalesce(d.oldest, 0)::float8 as "oldestDueS",
      (select count(*)::int from job t where t.queue = l.queue and t.state = 'dead'
        and t.ended_at > coalesce($2::timestamptz, now()) - interval '24 hours') as dead
    from unnest($1::text[]) as l(queue)
    left join lateral (
      select count(*)::int as due,
        extract(epoch from coalesce($2::timestamptz, now()) - min(t.due_at)) as oldest
      from job t where t.queue = l.queue and t.state in ('open', 'retry')
        and t.due_at <= coalesce($2::timestamptz, now())) d on true`,
    values: [queues, now],
  };
}

/** Deletes those of the rows that are still done. */
export function deleteDone(jobIds: readonly string[]): Statement {
  return {
    text: `
    delete from job where id in (
      select id from job where id = any($1::bigint[]) and state = 'done'
      for update skip locked)
    returning id as "jobId"`,
    values: [jobIds],
  };
}

export interface ClaimRef {
  readonly jobId: string;
  readonly claimNo: number;
}

export function refValues(claims: readonly ClaimRef[]): [string[], number[]] {
  return [claims.map((claim) => claim.jobId), claims.map((claim) => claim.claimNo)];
}
