import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '../../common/config';
import type { EndedRun } from './schedule.repository';
import type { Tx } from '../../common/uow';
import { type Claim, Jobs, LeaseLostError } from '../../jobs';
import type { BoardRequest, ReadyBoard } from './board-runner';
import { BoardQueueRepository, type MarkedRow } from './board-queue.repository';
import { ScheduleMetrics } from './schedule.metrics';

/** Ids that one line names; for the others it gives the number. */
const MOST_NAMED = 20;

/** Logs what happens to boards, by the ids of their people; never a name or a task. */
@Injectable()
export class BoardLog {
  private readonly logger = new Logger('NotionSync');
  private readonly isLogging;

  constructor(settings: Settings) {
    this.isLogging = settings.notionSync.isLogging;
  }

  enqueued(cause: MarkCause, userIds: readonly string[]): void {
    if (userIds.length === 0) return;
    const named = userIds.slice(0, MOST_NAMED).join(', ');
    const more = userIds.length - MOST_NAMED;
    this.write(`enqueued (${cause}): ${named}${more > 0 ? ` and ${more} more` : ''}`);
  }

  /** Boards that wait or run already. */
  skipped(cause: MarkCause, count: number): void {
    this.write(`skipped (${cause}): ${count} that wait or run already`);
  }

  dequeued(userId: string, { isTakenOver }: { isTakenOver: boolean }): void {
    this.write(
      `dequeued: ${userId}${isTakenOver ? ', after a run that ended without a result' : ''}`,
    );
  }

  started(userId: string): void {
    this.write(`started: ${userId}`);
  }

  /** The summary of a run. */
  finished(userId: string, { end, ...times }: EndedRun, reruns: number): void {
    const { loaded, processed, updated, dropped, apiCalls } = end.counts;
    this.write(
      `finished: ${userId} ${end.kind}, ready after ${seconds(times.timeToReadyMs)}, ` +
        `waited ${seconds(times.queueWaitMs)}, ran ${seconds(times.runMs)}, reruns ${reruns}, ` +
        `loaded ${loaded}, processed ${processed}, updated ${updated}, dropped ${dropped}, ` +
        `calls ${apiCalls}`,
    );
  }

  /** The board was requested while it ran, or a part of it is left. */
  requeued(userId: string): void {
    this.write(`requeued: ${userId}`);
  }

  /** Logged with any setting, because an operator has to act. */
  refused(userId: string, reason: string): void {
    this.logger.warn(`the board of ${userId} cannot be ranked: ${reason}`);
  }

  private write(line: string): void {
    if (this.isLogging) this.logger.log(line);
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
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
