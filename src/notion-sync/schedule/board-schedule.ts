import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import type { Tx } from '../../common/uow';
import { type Claim, LeaseLostError, ReplicaId } from '../../jobs';
import type { BoardRequest, ReadyBoard } from '../run/board-run';
import { BoardLog } from './board-log';
import { ABSORB, LOOK_AT, MARK, type MarkedRow, NEXT_READY } from './mark-sql';
import { ScheduleMetrics } from './schedule-metrics';

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
  readonly taskId: string;
  readonly asks: number;
}

/** Which people's boards are to be ranked, and when: tasks of the lane `notion-sync`. */
@Injectable()
export class BoardSchedule {
  private readonly settings;

  constructor(
    settings: Settings,
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
    const { taskId, key, dueAt, claimNo } = claim;
    const now = this.clock.databaseNow();
    const [row] = await tx.query<AbsorbedRow>(ABSORB, [key, now, dueAt, taskId, claimNo]);
    if (row === undefined) throw LeaseLostError.of(claim);
    const { queueWaitMs, asks, isJoined } = row;
    return {
      queueWaitMs: Math.max(0, queueWaitMs),
      isAskedAgain: isJoined || asks > 1,
      request: isJoined ? null : { taskId, asks },
    };
  }

  /** Which boards wait for the run on this one to end, the first of them first. */
  async nextReady(tx: Tx, userId: string, most: number): Promise<ReadyBoard[]> {
    const now = this.clock.databaseNow();
    const rows = await tx.query<NextRow>(NEXT_READY, [userId, now, most]);
    return rows.map((row) => ({
      userId: row.userId,
      request: { taskId: row.taskId, asks: row.asks },
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
    tx.onCommitted(() => {
      this.metrics.marked(cause, 'enqueued', enqueued.length);
      this.metrics.marked(cause, 'joined', rows.length - enqueued.length);
      this.metrics.marked(cause, 'skipped', skipped);
      this.log.enqueued(cause, enqueued);
      if (skipped > 0) this.log.skipped(cause, skipped);
    });
  }
}
