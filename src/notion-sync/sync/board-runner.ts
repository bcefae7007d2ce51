import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import type { Tx, UnitOfWork } from '../../common/uow';
import { type BoardPlan, BoardPlanner, boardRules } from '../board/board-plan';
import { describeCycle } from '../board/rank-explanation';
import { Settings } from '../../common/config';
import type { PermitHolder } from '../api/limiter/notion-limiter';
import { NotionRetries, NotionCalls } from '../api/notion-calls';
import { BoardReader } from './board-reader';
import { BoardWriter } from './board-writer';
import { ReadAhead } from './read-ahead';
import { BoardGate } from './board-gate';

/**
 * A run on one board: query, plan, writes, and one commit of what was read. It holds no connection while
 * it waits for Notion. Only a paused query is kept for the next run.
 */
@Injectable()
export class BoardRunner {
  private readonly logger = new Logger('Notion');
  private readonly planner: BoardPlanner;

  /** Throws UnknownPlaceError. */
  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly retries: NotionRetries,
    private readonly reader: BoardReader,
    private readonly readAhead: ReadAhead,
    private readonly gate: BoardGate,
    private readonly writer: BoardWriter,
  ) {
    this.planner = new BoardPlanner(boardRules(settings.notionBoard));
  }

  /**
   * Throws NotionUnavailableError, NotionPausedError and NotionUnauthorizedError (the peer's
   * failures, none of the board's), LeaseLostError, and the reason of the flow's signal.
   */
  async run(flow: BoardFlow): Promise<RunEnd> {
    try {
      // Nothing can be written before that call has ended.
      if (this.readAhead.enter(flow) === 'under way') this.startReadAhead(flow);
      return await this.rank(flow);
    } finally {
      this.readAhead.leave(flow);
    }
  }

  /** Its runs failed too often. Called in the commit that makes the job dead. */
  givenUp(tx: Tx, userId: string, error: string): Promise<void> {
    return this.gate.giveUp(tx, userId, error);
  }

  private async rank(flow: BoardFlow): Promise<RunEnd> {
    const calls = new NotionCalls(flow, this.retries);
    if (flow.isTakenOver) await this.outlastEarlierCalls(flow);
    const ahead = await this.readAhead.take(flow, calls);
    const read = await this.reader.read(calls, flow.userId, flow.isAnotherReady, ahead);
    if (read.kind === 'paused') return { kind: 'partly', counts: countsOf(calls, {}) };
    if (read.kind === 'refused') {
      const counts = countsOf(calls, { loaded: read.loaded });
      return { kind: 'refused', reason: read.reason, counts };
    }
    const { tasks } = read;
    const plan = this.planner.planFor(flow.userId, tasks, this.clock.now());
    this.logCycles(flow, plan);
    const processed = plan.ranking.ranked.length + plan.over.length;
    const seen = { loaded: tasks.length, processed };
    const reason = await this.gate.holdBack(flow, read, plan.brake);
    if (reason !== null) return { kind: 'braked', reason, counts: countsOf(calls, seen) };
    const stored = this.gate.store(flow, read);
    const { isWhole, refusal, ...written } = await this.writer.write(calls, plan.writes, {
      isAnotherReady: flow.isAnotherReady,
      onAllBooked: () => {
        this.startReadAhead(flow);
      },
      stored,
    });
    const counts = countsOf(calls, { ...seen, ...written });
    if (refusal !== null) return { kind: 'refused', reason: refusal, counts };
    // This run does not contain changes made since an earlier run read its part.
    const isStale = read.isResumed && flow.isAskedAgain;
    const approval = approvalAfter(isWhole, await stored);
    return { kind: isWhole && !isStale ? 'ranked' : 'partly', counts, approval: approval };
  }

  private startReadAhead(flow: BoardFlow): void {
    void this.readAhead.begin(flow);
  }

  /** Waits for a call of the run that was taken over, which may still change a page after our query. */
  private async outlastEarlierCalls({ holder }: BoardFlow): Promise<void> {
    await this.clock.sleep(this.settings.notion.timeoutMs, holder.signal);
    holder.signal.throwIfAborted();
  }

  /** Logs ids only, because a task's name may contain a candidate's. */
  private logCycles({ userId }: BoardFlow, { ranking }: BoardPlan): void {
    for (const cycle of ranking.cycles) {
      this.logger.warn(`board of ${userId}: ${describeCycle(cycle, (id) => id)}`);
    }
  }
}

/** The request for a run as stored; it changes with every further request. */
export interface BoardRequest {
  readonly jobId: string;
  /** How often the board was requested. */
  readonly requests: number;
}

/** A board that waits for the worker. */
export interface ReadyBoard {
  readonly userId: string;
  readonly request: BoardRequest;
}

/** One run on one person's board, as the queue gives it. */
export interface BoardFlow {
  /** The Notion user. */
  readonly userId: string;
  /** The job's unit, for the run's micro-commits; each begins with `fence(tx)`. */
  readonly uow: UnitOfWork;
  /** Throws LeaseLostError. */
  readonly fence: (tx: Tx) => Promise<void>;
  /** Signal and lease of the claim, for every call of Notion. */
  readonly holder: Required<Pick<PermitHolder, 'signal' | 'lease'>>;
  /** The claim was taken over, so a call of the earlier run may still be under way. */
  readonly isTakenOver: boolean;
  /** Before each call: throws LeaseLostError once another worker may hold the job. */
  assertLease(): void;
  /** Notion has responded, with success or not. */
  peerResponded(): void;
  /** The board was requested since the earlier run began, not only for the rest of that run. */
  readonly isAskedAgain: boolean;
  /** Null: more than one row of the queue requested the board. */
  readonly request: BoardRequest | null;
  /** Whether another person's board waits for this run to end. */
  readonly isAnotherReady: () => Promise<boolean>;
  /** The next boards in the order of their claims. May be called at any time. */
  readonly nextReady: () => Promise<readonly ReadyBoard[]>;
}

/** What a run did, without times, which the queue measures. */
export interface RunCounts {
  /** Tasks that the query returned. */
  readonly loaded: number;
  /** Those of them that are ranked or lose their rank. */
  readonly processed: number;
  /** Pages that were written. */
  readonly updated: number;
  /** Pages whose write Notion refused, each logged with its id. */
  readonly dropped: number;
  /** Calls to Notion, retries included. */
  readonly apiCalls: number;
}

/**
 * How a run ended.
 *
 *   ranked   the board shows its ranking
 *   partly   a chunk is written, or the query is paused: the rest follows in a run after the waiting boards
 *   braked   it would change too much: nothing is written, and the attention list gets an item
 *   refused  the board cannot be read (properties missing or of another type, not shared): nothing
 *            is written; `reason` is a sentence for an operator
 */
export interface RunEnd {
  readonly kind: 'ranked' | 'partly' | 'braked' | 'refused';
  readonly counts: RunCounts;
  readonly reason?: string;
  readonly approval?: ApprovalEnd | undefined;
}

/** How the end of a run changes the board's approval (`BoardApprovals`). */
export type ApprovalEnd = 'begun' | 'used';

/** What the queue `notion-sync` needs of the runner. */
export type BoardRun = Pick<BoardRunner, 'run' | 'givenUp'>;

/** A begun board may be finished in spite of the brake; a complete one needs no pass. */
function approvalAfter(isWhole: boolean, isApproved: boolean): ApprovalEnd | undefined {
  if (!isWhole) return 'begun';
  return isApproved ? 'used' : undefined;
}

function countsOf(calls: NotionCalls, counts: Partial<RunCounts>): RunCounts {
  return { loaded: 0, processed: 0, updated: 0, dropped: 0, ...counts, apiCalls: calls.count };
}
