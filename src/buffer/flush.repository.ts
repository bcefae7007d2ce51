import type { ClaimedBuffer } from './flush';
import type { BufferLimits } from './debounce-windows';
import {
  dueAt,
  limitParameters,
  limitValues,
  milliseconds,
  readTime,
  writeTime,
  type Statement,
} from './debounce.repository';

/** What a claim of a buffer meets before its flush may begin. */

export interface ClaimRef {
  readonly jobId: string;
  readonly claimNo: number;
  readonly key: string;
}

export interface AdmissionRow extends ClaimedBuffer {
  /** No turn was opened for it yet. */
  readonly isFirst: boolean;
  readonly waitMs: number;
  /** An earlier reply is stored and still being delivered, and not too old to be waited for. */
  readonly isBlocked: boolean;
}

const CLAIMED = `t.id = $1 and t.claim_no = $2 and t.state = 'running'`;

/** A part that is dead, refused or blocked, ends what is sent of its reply: nobody waits for that. */
const UNDELIVERED = `
      select 1 from turn u
      where u.conversation_id = $3::uuid and u.state = 'answered'
        and u.answered_at > ${readTime('$4')} - ${milliseconds('$5')}
        and not exists (select from delivery d where d.turn_id = u.id and d.state = 'dead')`;

/** No row: the lease is lost. */
export function admission(
  claim: ClaimRef,
  options: { ttlMs: number; now: Date | null },
): Statement {
  return {
    text: `
    select t.count, t.weight, t.holds, t.sealed, t.first_at as "firstAt",
      coalesce(t.quiet_at, t.first_at) as "quietAt",
      not exists (select from turn o where o.buffer_id = t.id) as "isFirst",
      exists (${UNDELIVERED}) as "isBlocked",
      extract(epoch from ${writeTime('$4')} - t.first_at)::float8 * 1000 as "waitMs"
    from job t where ${CLAIMED}`,
    values: [claim.jobId, claim.claimNo, claim.key, options.now, options.ttlMs],
  };
}

/**
 * Gives a claim up without a failure: open again, so that messages still join. Where a message
 * has already opened the next buffer it stays sealed. Under the conversation's lock.
 */
export function putBack(
  claim: ClaimRef,
  options: { delayMs: number; now: Date | null },
): Statement {
  return {
    text: `
    update job t
    set state = case when exists (
          select from job o where o.queue = 'flush' and o.key = $3 and o.state = 'open')
        then 'retry' else 'open' end,
      due_at = ${writeTime('$4')} + ${milliseconds('$5')}, claims_without_progress = 0
    where ${CLAIMED}
    returning t.id`,
    values: [claim.jobId, claim.claimNo, claim.key, options.now, options.delayMs],
  };
}

/** The put back buffer of a conversation is due again when the formula says so. */
export function wake(
  conversationIds: readonly string[],
  moment: { limits: BufferLimits; now: Date | null },
): Statement {
  return {
    text: `
    update job t
    set due_at = ${dueAt({ now: writeTime('$2'), limits: limitParameters(3) })}
    where t.queue = 'flush' and t.key = any($1::text[]) and t.state = 'open' and t.claim_no > 0`,
    values: [conversationIds, moment.now, ...limitValues(moment.limits)],
  };
}

export interface ExpiredRow {
  readonly jobId: string;
  readonly key: string;
  readonly lastError: string | null;
}

/**
 * Tried, older than the TTL, without a stored reply, and not expired before. A `retry` row counts
 * only with a failure of its own: one that waits for a peer is kept however long the outage is.
 * `offset 0` keeps the probes: as joins they read every message and every turn.
 */
const EXPIRED = `
      t.queue = 'flush'
      and (t.state = 'dead' or ($1::bool and t.state = 'retry' and t.failures > 0))
      and t.first_at < ${readTime('$2')} - ${milliseconds('$3')}
      and exists (select from message m where m.buffer_id = t.id and m.role = 'user'
        and m.cleared_at is null and not (m.content_type = 'VOICE' and m.text = '') offset 0)
      and not exists (select from turn u where u.buffer_id = t.id
        and u.state in ('answered', 'delivered', 'merged') offset 0)`;

export interface ExpiryOptions {
  /** False while the queue waits for its peer. */
  readonly retryToo: boolean;
  readonly ttlMs: number;
  readonly now: Date | null;
}

export function listExpired(options: ExpiryOptions & { limit: number }): Statement {
  return {
    text: `
    select t.id as "jobId", t.key, t.last_error as "lastError" from job t
    where ${EXPIRED}
    order by t.id limit $4`,
    values: [options.retryToo, options.now, options.ttlMs, options.limit],
  };
}

/** Locks the row if it still has expired. Under the conversation's lock. */
export function lockExpired(jobId: string, options: ExpiryOptions): Statement {
  return {
    text: `
    select t.id as "jobId", t.key, t.last_error as "lastError" from job t
    where t.id = $4 and ${EXPIRED}
    for no key update`,
    values: [options.retryToo, options.now, options.ttlMs, jobId],
  };
}

/** Dead, so that a person can replay it. */
export function endExpired(jobId: string, now: Date | null): Statement {
  return {
    text: `
    update job t set state = 'dead', due_at = null, ended_at = ${writeTime('$2')}
    where t.id = $1 and t.state in ('retry', 'dead')`,
    values: [jobId, now],
  };
}
