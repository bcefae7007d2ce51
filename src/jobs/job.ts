import type { Tx, UnitOfWork } from '../common/uow';
import { ColloquyError, type ErrorFields } from '../common/errors';

/**
 * A durable job: one row of the table `job`. It says *that* there is work for a key of a queue;
 * domain rows say *what*. A live row may be claimed once `due_at` has come.
 *
 *   open ────claim────> running ──complete──> done ──sweep, once its turn is final──> deleted
 *    ^ upsert             │  ^
 *                         │  └──claim── retry      own failure, or its peer was unavailable
 *                         ├──fail, give back──^ ^
 *                         └──failures or claims used up──> dead ──replay──┘
 *
 *   open     collects work: at most one per (queue, key); an upsert finds it and adds to it.
 *            `due_at` is when it may start, `worker` the process that added last.
 *   running  one worker holds it: at most one per (queue, key), one at all in a single queue.
 *            `due_at`, or `leased_until` once it was renewed, is the end of the lease; past it any
 *            worker may take the row over.
 *            `worker` is null when its worker handed it back, its flow having settled.
 *   retry    sealed: nothing is added to it, and later rows of its key wait behind it.
 *   done     its effect was committed together with this state, or it was cancelled unclaimed.
 *   dead     kept for a person; only a replay makes it live again.
 *
 * Who may change it: Jobs in the caller's transaction; a claim or a beat of a JobWorker. Every
 * claim raises `claim_no`, the fencing token: a write that names an older one changes nothing.
 */
export type JobState = 'open' | 'running' | 'retry' | 'done' | 'dead';

/** One worker's hold on a job. */
export interface Claim {
  readonly jobId: string;
  readonly queue: string;
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

/** A job on its way to `dead`, as its queue's onDead sees it. */
export interface DeadJob extends Claim {
  /** `failed`: its own failures are used up. `crashed`: too many claims ended without a word. */
  readonly reason: 'failed' | 'crashed';
  readonly error: string;
}

/** What the runner gives a flow besides its claim. */
export interface JobFlow {
  /** The job's own unit of work: opened before the flow starts, closed when it has ended. */
  readonly uow: UnitOfWork;
  /** Aborts when the lease is lost or a shutdown wants the job back: settle soon, write nothing. */
  readonly signal: AbortSignal;
  /** False once another worker may hold the job. */
  readonly holdsLease: boolean;
  /**
   * Call it before each effect that a fence cannot undo: a delta, a send, a call of a peer.
   * Throws LeaseLostError once another worker may hold the job.
   */
  assertLease(): void;
  /**
   * Call it as soon as the queue's peer has responded in this flow, well or not: a breaker that
   * waits for its probe then lets the other jobs go on.
   */
  peerResponded(): void;
}

/** The work of one queue, on a class that is marked with @JobHandler. */
export interface JobHandlerClass {
  /** False: this process claims nothing of the queue now. */
  readonly isOn?: boolean;
  /**
   * One claim, to its end. Each of its commits holds `jobs.fence`, the last one `jobs.complete`.
   * Throws PeerUnavailableError when the queue's peer failed as a whole, JobPostponedError when this
   * job alone has to wait; any other error is the job's own failure. It must settle when `flow.signal` aborts.
   */
  run(claim: Claim, flow: JobFlow): Promise<void>;
  /**
   * Runs in the commit that makes the job dead, before the row changes, so that it may lock the
   * conversation first. It must not expect the flow's memory: after crashes nothing ran here.
   */
  onDead(tx: Tx, job: DeadJob): Promise<void>;
  /** Which of these done jobs the sweep must keep. Without it, none. */
  stillNeeded?(tx: Tx, jobIds: readonly string[]): Promise<readonly string[]>;
}

/**
 * Calls a peer for a flow: checks the lease first, and reports that the peer responded, also when
 * it responded with an error that `isResponse` recognises.
 */
export async function callUnderLease<T>(
  flow: Pick<JobFlow, 'assertLease' | 'peerResponded'>,
  call: () => Promise<T>,
  { isResponse = () => false }: { isResponse?: (error: unknown) => boolean } = {},
): Promise<T> {
  flow.assertLease();
  try {
    const result = await call();
    flow.peerResponded();
    return result;
  } catch (error) {
    if (isResponse(error)) flow.peerResponded();
    throw error;
  }
}

/** The job is another claim's now: stop, write nothing. */
export class LeaseLostError extends ColloquyError {
  readonly code = 'lease_lost';
  readonly retryable = false;

  static of(claim: Claim): LeaseLostError {
    return new LeaseLostError('the lease of a job was lost', {
      fields: { jobId: claim.jobId, queue: claim.queue, claimNo: claim.claimNo },
    });
  }
}

/** Why a flow's signal aborts in a drain: the job stays due, another worker goes on with it. */
export class HandBackRequestedError extends ColloquyError {
  readonly code = 'hand_back_requested';
  readonly retryable = true;
}

/**
 * The peer failed as a whole (refused, 429, 5xx, timeout before sending), as far as one flow can
 * tell: the job is not to blame, unless the peer answers other jobs meanwhile (see JobRunner).
 * Thrown by a queue's run(); clients of peers extend it.
 */
export class PeerUnavailableError extends ColloquyError {
  readonly code: string = 'peer_unavailable';
  readonly retryable = true;
  /** What the peer asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /**
   * It had what this job sent: whether that is to blame shows in what becomes of other jobs.
   * False: nothing was sent, or everybody is asked to slow down.
   */
  readonly mayConcernJobOnly: boolean;

  constructor(
    message: string,
    options: {
      retryAfterMs?: number | undefined;
      mayConcernJobOnly?: boolean;
      fields?: ErrorFields;
      cause?: unknown;
    } = {},
  ) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
    this.mayConcernJobOnly = options.mayConcernJobOnly ?? false;
  }
}

/**
 * The job has to wait for something that the others of its queue may do without: it alone is due
 * again later, and nobody is to blame. Thrown by a queue's run().
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

/** run() returned without jobs.complete: a bug of the queue, counted as the job's failure. */
export class JobNotCompletedError extends ColloquyError {
  readonly code = 'task_left_open';
  readonly retryable = true;
}

/** A queue has no handler, or two: the composition is wrong. */
export class JobHandlerError extends ColloquyError {
  readonly code = 'job_handler';
  readonly retryable = false;
}

/** Only a dead job can be replayed. */
export class JobNotDeadError extends ColloquyError {
  readonly code = 'task_not_dead';
  readonly retryable = false;
}
