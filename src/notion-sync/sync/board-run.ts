import type { Tx, UnitOfWork } from '../../common/uow';
import type { PermitHolder } from '../api/limiter/notion-limiter';

/** What asked for a run, as the database has it: it changes with everything that asks once more. */
export interface BoardRequest {
  readonly jobId: string;
  /** How often the board was asked for. */
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
  /** Of the flow: a run's own micro-commits; each begins with `fence(tx)`. */
  readonly uow: UnitOfWork;
  /** Throws LeaseLostError. */
  readonly fence: (tx: Tx) => Promise<void>;
  /** Signal and lease of the claim, for every call of Notion. */
  readonly holder: Required<Pick<PermitHolder, 'signal' | 'lease'>>;
  /** A claim that was taken over: an earlier run may still have a call under way. */
  readonly isTakenOver: boolean;
  /** Before each call: throws LeaseLostError once another worker may hold the task. */
  assertLease(): void;
  /** Notion has answered, well or not. */
  peerResponded(): void;
  /** Something beside the rest of an earlier run has asked for the board since that one began. */
  readonly isAskedAgain: boolean;
  /** Null: more than one row of the queue has asked for the board. */
  readonly request: BoardRequest | null;
  /** Whether another person's board waits for this run to end. */
  readonly isAnotherReady: () => Promise<boolean>;
  /** Whose boards are next, first the one that is claimed when this run ends; at any time. */
  readonly nextReady: () => Promise<readonly ReadyBoard[]>;
}

/** What a run did; times are the queue's to measure. */
export interface RunCounts {
  /** Tasks that the query answered. */
  readonly loaded: number;
  /** Of them ranked, or on no board any more and to lose their rank. */
  readonly processed: number;
  /** Pages that were written. */
  readonly updated: number;
  /** Pages that Notion refused to take, each logged with its id. */
  readonly dropped: number;
  /** Calls of Notion, retries included. */
  readonly apiCalls: number;
}

/**
 * How a run ended.
 *
 *   ranked   the board shows its ranking
 *   partly   a chunk is written, or the query is paused: the rest follows in another run, behind the others that wait
 *   braked   it would change too much: nothing is written, it is in the attention list
 *   refused  the board cannot be read (properties missing or of another type, not shared): nothing
 *            is written; `reason` is a sentence for an operator
 */
export interface RunEnd {
  readonly kind: 'ranked' | 'partly' | 'braked' | 'refused';
  readonly counts: RunCounts;
  readonly reason?: string;
  readonly pass?: PassEnd | undefined;
}

/** What becomes of the board's pass (`BoardPasses`) with the end of a run. */
export type PassEnd = 'begun' | 'used';

/** The work of the queue `notion-sync`: one board, from the query to its last write. */
export abstract class BoardRun {
  /**
   * Throws NotionUnavailableError, NotionPausedError and NotionUnauthorizedError (the peer's
   * failures, none of the board's), LeaseLostError, and the reason of the flow's signal.
   */
  abstract run(flow: BoardFlow): Promise<RunEnd>;

  /** Its runs failed until nobody tries again, in the commit that says so: a person is to look. */
  abstract givenUp(tx: Tx, userId: string, error: string): Promise<void>;
}
