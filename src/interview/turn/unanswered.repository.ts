import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';
import { LEFT_TO_NEXT_TURN } from './turn.repository';

/** Due answers without a reply, the next one of each conversation. */
const WAITING = `t.queue = 'flush' and t.state in ('open', 'retry')
  and t.quiet_at <= coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'
  and not exists (select 1 from job e
    where e.queue = 'flush' and e.key = t.key and e.id < t.id
      and e.state in ('open', 'running', 'retry'))
  and not exists (select 1 from message m
    where m.conversation_id = t.key::uuid and m.channel = 'code'
      and m.external_id = 'trouble:' || t.id)`;

/** An answer, named by its job, that waits for a reply. */
export interface WaitingAnswer {
  readonly jobId: string;
  readonly conversationId: string;
}

/** A later answer of the same conversation. */
export interface LaterAnswer {
  readonly jobId: string;
  readonly state: 'open' | 'running' | 'retry';
}

/** Answers without a reply: those that wait, and those that a person replays (`job`, `turn`). */
@Injectable()
export class UnansweredRepository {
  constructor(private readonly clock: Clock) {}

  /**
   * Answers that have been due for `dueForMs` and whose candidate has no notice of the outage yet,
   * the oldest first. `jobId`: only this one.
   */
  async listWaiting(
    tx: Tx,
    { dueForMs, limit, jobId }: { dueForMs: number; limit: number; jobId?: string },
  ): Promise<WaitingAnswer[]> {
    return tx.query<WaitingAnswer>(
      `select t.id as "jobId", t.key as "conversationId" from job t
       where ${WAITING} and ($3::bigint is null or t.id = $3) order by t.id limit $4`,
      [this.clock.databaseNow(), dueForMs, jobId ?? null, limit],
    );
  }

  /** Whether the answer is part of a later one, and whether a later one has a reply. */
  async findObstacles(
    tx: Tx,
    conversationId: string,
    jobId: string,
  ): Promise<{ isMerged: boolean; isPassed: boolean }> {
    const [found] = await tx.query<{ isMerged: boolean | null; isPassed: boolean | null }>(
      `select bool_or(buffer_id = $2 and state = 'merged') as "isMerged",
         bool_or(buffer_id > $2 and state in ('answered', 'delivered')) as "isPassed"
       from turn where conversation_id = $1`,
      [conversationId, jobId],
    );
    return { isMerged: found?.isMerged === true, isPassed: found?.isPassed === true };
  }

  /** The next answer after this one, with its job locked. */
  async lockLater(tx: Tx, conversationId: string, jobId: string): Promise<LaterAnswer | undefined> {
    const rows = await tx.query<LaterAnswer>(
      `select id as "jobId", state from job
       where queue = 'flush' and key = $1 and id > $2 and state in ('open', 'running', 'retry')
       order by id limit 1 for no key update`,
      [conversationId, jobId],
    );
    return rows[0];
  }

  /** Opens the turn of an answer again. */
  async reopen(tx: Tx, jobId: string): Promise<void> {
    await tx.query(
      `update turn set state = 'opened', error = null, completed_at = null,
         stop_requested_at = null
       where buffer_id = $1 and state in ('failed', 'expired')`,
      [jobId],
    );
  }

  /** Leaves the answer to the conversation's next turn. False if it never had a turn to take up. */
  async leaveToNextTurn(tx: Tx, jobId: string): Promise<boolean> {
    const left = await tx.query(
      `update turn set error = $2 where buffer_id = $1 and state in ('failed', 'expired')
       returning id`,
      [jobId, LEFT_TO_NEXT_TURN],
    );
    return left.length > 0;
  }

  /** Makes the job of an answer due now. */
  async makeDue(tx: Tx, jobId: string): Promise<void> {
    await tx.query(
      `update job t set due_at = n.at, quiet_at = least(t.quiet_at, n.at)
       from (select coalesce($2::timestamptz, clock_timestamp()) as at) n
       where t.id = $1 and t.state in ('open', 'retry')`,
      [jobId, this.clock.databaseNow()],
    );
  }
}
