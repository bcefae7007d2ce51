import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import { type Claim, Jobs, LeaseLostError } from '../../jobs';
import type { BoardRequest, ReadyBoard } from './board-runner';
import { BoardQueueRepository, type MarkedRow } from './board-queue.repository';
import { ScheduleMetrics } from './schedule.metrics';
import { BoardLog } from './board-log';

/** Decides which boards are ranked and when: the jobs of the queue `notion-sync`. */
@Injectable()
export class BoardSchedule {
  constructor(
    private readonly queue: BoardQueueRepository,
    private readonly jobs: Jobs,
    private readonly log: BoardLog,
    private readonly metrics: ScheduleMetrics,
  ) {}

  /**
   * Requests a run for boards that have changed or may have, in one statement. Ids are Notion's, with or
   * without dashes.
   */
  async mark(tx: Tx, userIds: readonly string[], cause: MarkCause): Promise<void> {
    if (userIds.length === 0) return;
    this.jobs.wakeAfter(tx, 'notion-sync');
    const rows =
      cause === 'sweep'
        ? await this.queue.markIdle(tx, userIds)
        : await this.queue.mark(tx, userIds, cause === 'rest' || cause === 'approval');
    this.report(tx, cause, userIds, rows);
  }

  /**
   * The first commit of a claim, in one statement, before the query that covers all requests until now.
   * Returns how long the board was ready, in milliseconds, and whether more than one request, or the rest
   * of an earlier run and a request, led to it. Throws LeaseLostError.
   */
  async begin(tx: Tx, claim: Claim): Promise<BegunRun> {
    const row = await this.queue.absorb(tx, claim);
    if (row === undefined) throw LeaseLostError.of(claim);
    const { queueWaitMs, requests, isJoined } = row;
    return {
      queueWaitMs: Math.max(0, queueWaitMs),
      isAskedAgain: isJoined || requests > 1,
      request: isJoined ? null : { jobId: claim.jobId, requests },
    };
  }

  /** The boards that wait for this run to end, in order. */
  async nextReady(tx: Tx, userId: string, most: number): Promise<ReadyBoard[]> {
    const rows = await this.queue.nextReady(tx, userId, most);
    return rows.map((row) => ({
      userId: row.userId,
      request: { jobId: row.jobId, requests: row.requests },
    }));
  }

  /** Reports that the rest of a board was queued by the statement that ended its run. */
  queuedRest(userId: string, isNew: boolean): void {
    this.metrics.marked('rest', isNew ? 'enqueued' : 'joined', 1);
    if (isNew) this.log.enqueued('rest', [userId]);
  }

  private report(
    tx: Tx,
    cause: MarkCause,
    userIds: readonly string[],
    rows: readonly MarkedRow[],
  ): void {
    const enqueued = rows.filter(({ isNew }) => isNew).map(({ userId }) => userId);
    const skipped = cause === 'sweep' ? userIds.length - rows.length : 0;
    tx.afterCommit(() => {
      this.metrics.marked(cause, 'enqueued', enqueued.length);
      this.metrics.marked(cause, 'joined', rows.length - enqueued.length);
      this.metrics.marked(cause, 'skipped', skipped);
      this.log.enqueued(cause, enqueued);
      if (skipped > 0) this.log.skipped(cause, skipped);
    });
  }
}

/**
 * Why a board is to be ranked, and when.
 *
 *   event, review   a person or an interview changed it: after a quiet time
 *   rest            a chunk of a large board is written: at once, after the ready boards
 *   approval        a person approved a braked run: likewise
 *   sweep           it was not checked for long: likewise, unless it waits or runs already
 */
export type MarkCause = 'event' | 'sweep' | 'review' | 'approval' | 'rest';

export interface BegunRun {
  readonly queueWaitMs: number;
  readonly isAskedAgain: boolean;
  /** Null: the claim has absorbed another row. */
  readonly request: BoardRequest | null;
}
