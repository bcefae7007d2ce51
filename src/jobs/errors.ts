import { ColloquyError, type ErrorFields } from '../common/errors';
import type { Claim } from './task';

/** The task is another claim's now: stop, write nothing. */
export class LeaseLostError extends ColloquyError {
  readonly code = 'lease_lost';
  readonly retryable = false;

  static of(claim: Claim): LeaseLostError {
    return new LeaseLostError('the lease of a task was lost', {
      fields: { taskId: claim.taskId, lane: claim.lane, claimNo: claim.claimNo },
    });
  }
}

/** Why a flow's signal aborts in a drain: the task stays due, another worker goes on with it. */
export class HandBackRequestedError extends ColloquyError {
  readonly code = 'hand_back_requested';
  readonly retryable = true;
}

/**
 * The peer failed as a whole (refused, 429, 5xx, timeout before sending), as far as one flow can
 * tell: the task is not to blame, unless the peer answers other tasks meanwhile (see JobRunner).
 * Thrown by a lane's run(); clients of peers extend it.
 */
export class PeerUnavailableError extends ColloquyError {
  readonly code: string = 'peer_unavailable';
  readonly retryable = true;
  /** What the peer asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /**
   * It had what this task sent: whether that is to blame shows in what becomes of other tasks.
   * False: nothing was sent, or everybody is asked to slow down.
   */
  readonly mayConcernTaskOnly: boolean;

  constructor(
    message: string,
    options: {
      retryAfterMs?: number | undefined;
      mayConcernTaskOnly?: boolean;
      fields?: ErrorFields;
      cause?: unknown;
    } = {},
  ) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
    this.mayConcernTaskOnly = options.mayConcernTaskOnly ?? false;
  }
}

/**
 * The task has to wait for something that the others of its lane may do without: it alone is due
 * again later, and nobody is to blame. Thrown by a lane's run().
 */
export class JobPostponedError extends ColloquyError {
  readonly code: string = 'task_postponed';
  readonly retryable = true;

  constructor(
    message: string,
    readonly againInMs: number,
  ) {
    super(message);
  }
}

/** run() returned without tasks.complete: a bug of the lane, counted as the task's failure. */
export class JobNotCompletedError extends ColloquyError {
  readonly code = 'task_left_open';
  readonly retryable = true;
}

/** A lane has no handler, or two: the composition is wrong. */
export class JobHandlerError extends ColloquyError {
  readonly code = 'lane_registration';
  readonly retryable = false;
}

/** Only a dead task can be replayed. */
export class JobNotDeadError extends ColloquyError {
  readonly code = 'task_not_dead';
  readonly retryable = false;
}
