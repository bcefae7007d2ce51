import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '../../common/config';
import type { EndedRun } from './schedule.repository';
import { Clock } from '../../common/clock';
import type { Tx } from '../../common/uow';
import { type Claim, Jobs, LeaseLostError, ReplicaId } from '../../jobs';
import type { BoardRequest, ReadyBoard } from './board-run';
import { ABSORB, LOOK_AT, MARK, type MarkedRow, NEXT_READY } from './mark-sql';
import { ScheduleMetrics } from './schedule.metrics';

/** Named in one line; of more, the number is told. */
const MOST_NAMED = 20;

/** What happens to boards, a line each, by the ids of their people; never a name, never a task. */
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
    this.tell(`enqueued (${cause}): ${named}${more > 0 ? ` and ${more} more` : ''}`);
  }

  /** Boards that wait or run already. */
  skipped(cause: MarkCause, count: number): void {
    this.tell(`skipped (${cause}): ${count} that wait or run already`);
  }

  dequeued(userId: string, { isTakenOver }: { isTakenOver: boolean }): void {
    this.tell(`dequeued: ${userId}${isTakenOver ? ', from a run that ended without a word' : ''}`);
  }

  started(userId: string): void {
    this.tell(`started: ${userId}`);
  }

  /** The one line of a run. */
  finished(userId: string, { end, ...times }: EndedRun, reruns: number): void {
    const { loaded, processed, updated, dropped, apiCalls } = end.counts;
    this.tell(
      `finished: ${userId} ${end.kind}, ready after ${seconds(times.timeToReadyMs)}, ` +
        `waited ${seconds(times.queueWaitMs)}, ran ${seconds(times.runMs)}, reruns ${reruns}, ` +
        `loaded ${loaded}, processed ${processed}, updated ${updated}, dropped ${dropped}, ` +
        `calls ${apiCalls}`,
    );
  }

  /** Something asked for the board while it ran, or a part of it is left. */
  requeued(userId: string): void {
    this.tell(`requeued: ${userId}`);
  }

  /** Said whatever the settings are: somebody has to act. */
  refused(userId: string, reason: string): void {
    this.logger.warn(`the board of ${userId} cannot be ranked: ${reason}`);
  }

  private tell(line: string): void {
    if (this.isLogging) this.logger.log(line);
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

/**
 * Why a board is to be ranked.
 *
 *   event, review   somebody, or an interview, changed it: once it has been quiet for a while
 *   rest            a chunk of a large board is written: at once, behind those that are ready
 *   approval        a person let a held back run go: likewise
 *   sweep           nobody looked at it for long: likewise, unless it waits or runs already
 */
export type MarkCause = 'event' | 'sweep' | 'review' | 'approval' | 'rest';

export interface BegunRun {
  readonly queueWaitMs: number;
  readonly isAskedAgain: boolean;
  /** Null: the claim has taken another row along. */
  readonly request: BoardRequest | null;
}

interface AbsorbedRow {
  readonly queueWaitMs: number;
  readonly asks: number;
  readonly isJoined: boolean;
}

interface NextRow {
  readonly userId: string;
  readonly jobId: string;
  readonly asks: number;
}

/** Which people's boards are to be ranked, and when: tasks of the queue `notion-sync`. */
@Injectable()
export class BoardSchedule {
  private readonly settings;

  constructor(
    settings: Settings,
    private readonly jobs: Jobs,
    private readonly replica: ReplicaId,
    private readonly log: BoardLog,
    private readonly metrics: ScheduleMetrics,
    private readonly clock: Clock,
  ) {
    this.settings = settings.notionSync;
  }

  /**
   * These people's boards have changed, or may have: one statement for all of them. Ids are
   * Notion's, with or without dashes.
   */
  async mark(tx: Tx, userIds: readonly string[], cause: MarkCause): Promise<void> {
    if (userIds.length === 0) return;
    this.jobs.wakeAfter(tx, 'notion-sync');
    const rows =
      cause === 'sweep'
        ? await this.lookAt(tx, userIds)
        : await this.add(tx, userIds, cause === 'rest' || cause === 'approval');
    this.tell(tx, cause, userIds, rows);
  }

  /**
   * The first commit of a claim, before the query that answers whatever was asked until now; one
   * statement. Answers how long the board was ready, in milliseconds, and whether more than one
   * change, or the rest of an earlier run and a change, have asked for it. Throws LeaseLostError.
   */
  async begin(tx: Tx, claim: Claim): Promise<BegunRun> {
    const { jobId, key, dueAt, claimNo } = claim;
    const now = this.clock.databaseNow();
    const [row] = await tx.query<AbsorbedRow>(ABSORB, [key, now, dueAt, jobId, claimNo]);
    if (row === undefined) throw LeaseLostError.of(claim);
    const { queueWaitMs, asks, isJoined } = row;
    return {
      queueWaitMs: Math.max(0, queueWaitMs),
      isAskedAgain: isJoined || asks > 1,
      request: isJoined ? null : { jobId, asks },
    };
  }

  /** Which boards wait for the run on this one to end, the first of them first. */
  async nextReady(tx: Tx, userId: string, most: number): Promise<ReadyBoard[]> {
    const now = this.clock.databaseNow();
    const rows = await tx.query<NextRow>(NEXT_READY, [userId, now, most]);
    return rows.map((row) => ({
      userId: row.userId,
      request: { jobId: row.jobId, asks: row.asks },
    }));
  }

  /** What is left of a board was queued in the statement that ended its run. */
  queuedRest(userId: string, isNew: boolean): void {
    this.metrics.marked('rest', isNew ? 'enqueued' : 'joined', 1);
    if (isNew) this.log.enqueued('rest', [userId]);
  }

  private add(tx: Tx, userIds: readonly string[], isAtOnce: boolean): Promise<MarkedRow[]> {
    const { debounceMs, debounceMaxMs, maxWaitMs } = this.settings;
    return tx.query<MarkedRow>(MARK, [
      userIds,
      this.clock.databaseNow(),
      debounceMs,
      debounceMaxMs,
      maxWaitMs,
      isAtOnce,
      this.replica.value,
    ]);
  }

  private lookAt(tx: Tx, userIds: readonly string[]): Promise<MarkedRow[]> {
    return tx.query<MarkedRow>(LOOK_AT, [userIds, this.clock.databaseNow(), this.replica.value]);
  }

  private tell(
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
