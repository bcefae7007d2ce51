import type { Tx, UnitOfWork } from '../../common/uow';
import type { PermitHolder } from '../api/limiter/notion-limiter';

/** The request for a run as stored; it changes with every further request. */
export interface BoardRequest {
  readonly jobId: string;
  /** How often the board was requested. */
  readonly asks: number;
}

/** With calls of 600 ms, one board read ahead would still leave a sixth of the starts unused. */
export const BOARDS_AHEAD = 2;

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
  /** Before each call: throws LeaseLostError once another worker may hold the task. */
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
  /** Calls of Notion, retries included. */
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
  readonly pass?: PassEnd | undefined;
}

/** How the end of a run changes the board's pass (`BoardPasses`). */
export type PassEnd = 'begun' | 'used';

/** The work of the queue `notion-sync`: one board, from the query to its last write. */
export abstract class BoardRun {
  /**
   * Throws NotionUnavailableError, NotionPausedError and NotionUnauthorizedError (the peer's
   * failures, none of the board's), LeaseLostError, and the reason of the flow's signal.
   */
  abstract run(flow: BoardFlow): Promise<RunEnd>;

  /** Its runs failed too often. Called in the commit that makes the job dead. */
  abstract givenUp(tx: Tx, userId: string, error: string): Promise<void>;
}
