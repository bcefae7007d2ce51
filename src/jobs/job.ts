import type { Tx } from '../common/uow';
import { ColloquyError, type ErrorFields } from '../common/errors';

/**
 * A durable task: one row of the table `task`. It says *that* there is work for a key of a lane;
 * domain rows say *what*. A live row may be claimed once `due_at` has come.
 *
 *   open ────claim────> running ──complete──> done ──sweep, once its turn is final──> deleted
 *    ^ upsert             │  ^
 *                         │  └──claim── retry      own failure, or its peer was unavailable
 *                         ├──fail, give back──^ ^
 *                         └──failures or claims used up──> dead ──replay──┘
 *
 *   open     collects work: at most one per (lane, key); an upsert finds it and adds to it.
 *            `due_at` is when it may start, `worker` the process that added last.
 *   running  one worker holds it: at most one per (lane, key), one at all in a single lane.
 *            `due_at`, or `leased_until` once it was renewed, is the end of the lease; past it any
 *            worker may take the row over.
 *            `worker` is null when its worker handed it back, its flow having settled.
 *   retry    sealed: nothing is added to it, and later rows of its key wait behind it.
 *   done     its effect was committed together with this state, or it was cancelled unclaimed.
 *   dead     kept for a person; only a replay makes it live again.
 *
 * Who may change it: Tasks in the caller's transaction; a claim or a beat of a JobWorker. Every
 * claim raises `claim_no`, the fencing token: a write that names an older one changes nothing.
 */
export type JobState = 'open' | 'running' | 'retry' | 'done' | 'dead';

export const LANES = [
  'intake',
  'flush',
  'transcribe',
  'fetch-file',
  'deliver',
  'notion-event',
  'notion-removal',
  'notion-sync',
  'score',
  'remind',
  'retention',
] as const;

export type LaneName = (typeof LANES)[number];

/** Runs at most one task at a time in the whole cluster; the index task_lane_single holds it. */
export const SINGLE_LANE: LaneName = 'notion-sync';

/** One worker's hold on a task. */
export interface Claim {
  readonly taskId: string;
  readonly lane: LaneName;
  readonly key: string;
  readonly claimNo: number;
  /** Own failures so far. */
  readonly failures: number;
  readonly payload: unknown;
  /** The due time that made it claimable: of a taken over row, the end of the earlier lease. */
  readonly dueAt: Date;
  readonly firstAt: Date;
  readonly takenOver: boolean;
}

/** A task on its way to `dead`, as its lane's onDead sees it. */
export interface DeadJob extends Claim {
  /** `failed`: its own failures are used up. `crashed`: too many claims ended without a word. */
  readonly reason: 'failed' | 'crashed';
  readonly error: string;
}

/** What the worker gives a flow besides its claim. */
export interface JobFlow {
  /** Aborts when the lease was lost or the drain wants the task back: settle soon, write nothing. */
  readonly signal: AbortSignal;
  /** False once another worker may hold the task. */
  readonly holdsLease: boolean;
  /**
   * To be called before each effect that a fence cannot undo: a delta, a send, a call.
   * Throws LeaseLostError once another worker may hold the task.
   */
  assertLease(): void;
  /**
   * To be called as soon as the lane's peer has answered in this flow, well or not: a breaker that
   * waits for its probe then lets the others go on. A flow that asked nobody says nothing.
   */
  peerAnswered(): void;
}

/** The work of one lane. Register it with JobRegistry. */
export interface JobHandlerClass {
  readonly lane: LaneName;
  /** Tasks of the lane that one process runs at a time. */
  readonly concurrency: number;
  /** Own failures after which a task is dead. */
  readonly maxFailures: number;
  /**
   * One claim, to its end. Each of its commits holds `tasks.fence`, the last one `tasks.complete`.
   * Throws PeerUnavailableError when the lane's peer failed as a whole, JobPostponedError when this
   * task alone has to wait; any other error is the task's own failure. It must settle when `flow.signal` aborts.
   */
  run(claim: Claim, flow: JobFlow): Promise<void>;
  /**
   * Runs in the commit that makes the task dead, before the row changes, so that it may lock the
   * conversation first. It must not expect the flow's memory: after crashes nothing ran here.
   */
  onDead(tx: Tx, task: DeadJob): Promise<void>;
}

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
