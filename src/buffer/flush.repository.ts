import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { ChannelName } from '../channels';
import type { Tx } from '../common/uow';
import type { Claim } from '../jobs';

/** The state of a buffer when it was claimed. */
export interface ClaimedBuffer {
  readonly count: number;
  readonly chars: number;
  readonly pending: number;
  readonly finished: boolean;
  readonly firstAt: Date;
  readonly quietAt: Date;
}

export interface AdmissionRow extends ClaimedBuffer {
  /** No turn was opened for it yet. */
  readonly isFirst: boolean;
  /** Since its first message. */
  readonly waitMs: number;
  /** Of its last message; null without messages. */
  readonly channel: ChannelName | null;
  /** Since its last message; `waitMs` without messages. */
  readonly quietMs: number;
  /** An earlier reply is stored, still being delivered, and younger than the TTL. */
  readonly isBlocked: boolean;
}

export interface ExpiredRow {
  readonly answerId: string;
  readonly key: string;
  readonly lastError: string | null;
}

interface ExpiryOptions {
  /** False while the queue waits for its peer. */
  readonly retryToo: boolean;
  readonly ttlMs: number;
}

/**
 * Tried, older than the TTL, without a stored reply, and not expired before. A `retry` row counts
 * only with a failure of its own: one that waits for a peer is kept however long the outage is.
 * `offset 0` keeps index probes: as joins they would read every message and every turn.
 */
const UNANSWERED = `
         t.queue = 'flush'
         and t.first_at < coalesce($2::timestamptz, now()) - $3::float8 * interval '1 millisecond'
         and exists (select from message m where m.answer_id = t.id and m.role = 'user'
           and m.cleared_at is null and not (m.content_type = 'VOICE' and m.text = '') offset 0)
         and not has_reply(t.id)`;

const RETRIED = `($1::bool and t.state = 'retry' and t.failures > 0)`;

/**
 * A dead row whose messages were cleared, or that has a reply, stays, and there may be many such rows. So
 * only those that died within the TTL and this time after it are read: an older one has been past its TTL
 * for so long that earlier looks have seen it.
 */
const SEEN_FOR = `interval '1 hour'`;

/** Reads the state of a claimed buffer before its flush begins, and finds buffers that expire. */
@Injectable()
export class FlushRepository {
  constructor(private readonly clock: Clock) {}

  /** Undefined: the lease is lost. */
  async findClaimed(tx: Tx, claim: Claim, ttlMs: number): Promise<AdmissionRow | undefined> {
    const rows = await tx.query<AdmissionRow>(
      `select t.count, t.chars, t.pending, t.finished, t.first_at as "firstAt",
         coalesce(t.quiet_at, t.first_at) as "quietAt",
         not exists (select from turn o where o.answer_id = t.id) as "isFirst",
         is_delivering($3::uuid, coalesce($4::timestamptz, now())
           - $5::float8 * interval '1 millisecond') as "isBlocked",
         extract(epoch from coalesce($4::timestamptz, clock_timestamp()) - t.first_at)::float8
           * 1000 as "waitMs", l.channel,
         extract(epoch from coalesce($4::timestamptz, clock_timestamp())
           - coalesce(l.received_at, t.first_at))::float8 * 1000 as "quietMs"
       from job t
       left join lateral (
         select m.channel, m.received_at from message m
         where m.answer_id = t.id and m.role = 'user' order by m.seq desc limit 1) l on true
       where t.id = $1 and t.claim_no = $2 and t.state = 'running'`,
      [claim.jobId, claim.claimNo, claim.key, this.clock.databaseNow(), ttlMs],
    );
    return rows[0];
  }

  /** `all`: those that died long ago, too. */
  listExpired(
    tx: Tx,
    { retryToo, ttlMs }: ExpiryOptions,
    { all, limit }: { readonly all: boolean; readonly limit: number },
  ): Promise<ExpiredRow[]> {
    const died = all
      ? ''
      : `and t.ended_at > coalesce($2::timestamptz, now())
           - $3::float8 * interval '1 millisecond' - ${SEEN_FOR}`;
    const columns = `t.id as "answerId", t.key, t.last_error as "lastError"`;
    return tx.query<ExpiredRow>(
      `select * from (
         select ${columns} from job t where t.state = 'dead' ${died} and ${UNANSWERED}
         union all
         select ${columns} from job t where ${RETRIED} and ${UNANSWERED}) expired
       order by "answerId" limit $4`,
      [retryToo, this.clock.databaseNow(), ttlMs, limit],
    );
  }

  /** Locks the row if it is still expired. Under the conversation's lock. */
  async lockExpired(
    tx: Tx,
    { retryToo, ttlMs }: ExpiryOptions,
    answerId: string,
  ): Promise<ExpiredRow | undefined> {
    const rows = await tx.query<ExpiredRow>(
      `select t.id as "answerId", t.key, t.last_error as "lastError" from job t
       where t.id = $4 and (t.state = 'dead' or ${RETRIED}) and ${UNANSWERED}
       for no key update`,
      [retryToo, this.clock.databaseNow(), ttlMs, answerId],
    );
    return rows[0];
  }
}
