import 'reflect-metadata';
import type { Tx, UnitOfWork } from '../common/uow';
import { ColloquyError, type ErrorFields } from '../common/errors';
import { Injectable } from '@nestjs/common';
import { Settings } from '../common/config';
import type { QueueName, QueueNames } from './queue-names';

/**
 * A durable job: one row of the table `job`. It only records that there is work for a key of a queue; rows
 * of other tables contain the work itself. A live row may be claimed once `due_at` has come.
 *
 *   open ────claim────> running ──complete──> done ──sweep──> deleted
 *    ^ enqueue            │  ^
 *                         │  └──claim── retry      own failure, or its peer was unavailable
 *                         ├──fail, give back──^ ^
 *                         └──failures or claims used up──> dead ──replay──┘
 *
 *   open     collects work: at most one per (queue, key); enqueueing finds it and adds to it.
 *            `due_at` is when it may start, `worker` the process that added last.
 *   running  one worker holds it: at most one per (queue, key), one at all in a single queue.
 *            `due_at`, or `leased_until` once it was renewed, is the end of the lease; past it any
 *            worker may take the row over.
 *            `worker` is null when its worker handed it back after the flow had ended.
 *   retry    sealed: nothing is added to it, and later rows of its key wait behind it.
 *   done     its effect was committed together with this state, or it was cancelled unclaimed.
 *   dead     kept until a person replays it.
 *
 * Who may change it: Jobs, DebounceRepository and SQL functions that collect work (persistence/sql)
 * in the caller's transaction; a replay; a claim, a renewal or an end of a JobWorker. Every claim
 * raises `claim_no`, the fencing token: a write that names an older one changes nothing.
 */
export type JobState = 'open' | 'running' | 'retry' | 'done' | 'dead';

/** What names a claim: a write with an older `claimNo` changes nothing. */
export interface ClaimRef {
  readonly jobId: string;
  readonly claimNo: number;
}

/** One worker's hold on a job. */
export interface Claim extends ClaimRef {
  readonly queue: QueueName;
  readonly key: string;
  /** Own failures so far. */
  readonly failures: number;
  readonly payload: unknown;
  /** The due time that made it claimable: of a taken over row, the end of the earlier lease. */
  readonly dueAt: Date;
  readonly firstAt: Date;
  readonly takenOver: boolean;
}

/** A job that is about to be dead, as its handler's onDead gets it. */
export interface DeadJob extends Claim {
  /** `failed`: its own failures are used up. `crashed`: too many claims ended without a result. */
  readonly reason: 'failed' | 'crashed';
  readonly error: string;
}

/** What the runner gives a flow besides its claim. */
export interface JobFlow {
  /** The job's own unit of work: opened before the flow starts, closed when it has ended. */
  readonly uow: UnitOfWork;
  /** Aborts when the lease is lost or a shutdown asks for the job back: end soon, write nothing. */
  readonly signal: AbortSignal;
  /** False once another worker may hold the job. */
  readonly holdsLease: boolean;
  /**
   * To be called before each effect that a fence cannot undo: a delta, a send, a call to a peer.
   * Throws LeaseLostError once another worker may hold the job.
   */
  assertLease(): void;
  /**
   * To be called as soon as the queue's peer has responded in this flow, also with an error: a
   * breaker that waits for its probe then lets other jobs run.
   */
  peerResponded(): void;
}

/** The work of one queue, on a class that is marked with @JobHandler. */
export interface JobHandlerClass {
  /** False: this process claims no job of the queue. */
  readonly isOn?: boolean;
  /**
   * Runs one claim to its end. Each of its commits calls `jobs.fence`, the last one `jobs.complete`.
   * Throws PeerUnavailableError when the queue's peer failed as a whole, JobPostponedError when this
   * job alone has to wait; any other error is the job's own failure. It must end soon after
   * `flow.signal` aborts.
   */
  run(claim: Claim, flow: JobFlow): Promise<void>;
  /**
   * Runs in the commit that makes the job dead, before the row changes, so that it may lock the
   * conversation first. It gets nothing from the flow's memory: after crashes no flow ran here.
   */
  onDead(tx: Tx, job: DeadJob): Promise<void>;
  /** Which of these done jobs the sweep must keep; without this method, none. */
  stillNeeded?(tx: Tx, jobIds: readonly string[]): Promise<readonly string[]>;
}

/**
 * Calls a peer for a flow: checks the lease first, and reports that the peer responded, also when
 * it responded with an error that `isResponse` recognises. `hasResponded`: for a call that returns its
 * failures.
 */
export async function callUnderLease<T>(
  flow: Pick<JobFlow, 'assertLease' | 'peerResponded'>,
  call: () => Promise<T>,
  {
    isResponse = () => false,
    hasResponded = () => true,
  }: {
    isResponse?: (error: unknown) => boolean;
    hasResponded?: (result: T) => boolean;
  } = {},
): Promise<T> {
  flow.assertLease();
  try {
    const result = await call();
    if (hasResponded(result)) flow.peerResponded();
    return result;
  } catch (error) {
    if (isResponse(error)) flow.peerResponded();
    throw error;
  }
}

/** Another claim has the job, or the job was deleted: end, write nothing. */
export class LeaseLostError extends ColloquyError {
  readonly code = 'lease_lost';
  readonly retryable = false;

  static of(claim: Claim): LeaseLostError {
    return new LeaseLostError('the job has another claim or was deleted', {
      fields: { jobId: claim.jobId, queue: claim.queue, claimNo: claim.claimNo },
    });
  }
}

/** Why a flow's signal aborts in a drain: the job is handed back, and another worker runs it. */
export class HandBackRequestedError extends ColloquyError {
  readonly code = 'hand_back_requested';
  readonly retryable = true;
}

/**
 * The peer failed as a whole (refused, 429, 5xx, timeout before sending), as far as one flow can
 * tell: this counts as no failure of the job, unless the peer responds to other jobs meanwhile (see
 * JobRunner). Thrown by a handler's run(); clients of peers extend it.
 */
export class PeerUnavailableError extends ColloquyError {
  readonly code: string = 'peer_unavailable';
  readonly retryable = true;
  /** What the peer asked for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /**
   * The peer received what this job sent, so the content may be the cause; the results of other
   * jobs decide. False: nothing was sent, or the peer asks every caller to slow down.
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
 * The job has to wait for something that other jobs of its queue do not need: it alone is due again
 * later, and no failure is counted. Thrown by a handler's run().
 */
export class JobPostponedError extends ColloquyError {
  readonly code: string = 'job_postponed';
  readonly retryable = true;

  constructor(
    message: string,
    readonly againInMs: number,
  ) {
    super(message);
  }
}

/**
 * The handler has made its own job wait again, in a commit of this claim: the runner writes nothing
 * more to the row, and no failure is counted.
 */
export class JobPutBackError extends ColloquyError {
  readonly code = 'job_put_back';
  readonly retryable = true;
}

/** run() returned without jobs.complete: a bug of the handler, counted as the job's failure. */
export class JobNotCompletedError extends ColloquyError {
  readonly code = 'job_not_completed';
  readonly retryable = true;
}

/** A queue has no handler, or two: the modules are put together wrongly. */
export class JobHandlerError extends ColloquyError {
  readonly code = 'job_handler';
  readonly retryable = false;
}

/** Only a dead job can be replayed. */
export class JobNotDeadError extends ColloquyError {
  readonly code = 'job_not_dead';
  readonly retryable = false;
}

export interface JobOptions {
  /** Jobs of the queue that one process runs at a time. */
  readonly concurrency: number | ((settings: Settings) => number);
  /** Number of its own failures after which a job is dead. */
  readonly maxFailures: number;
  /**
   * Its flows complete by a CompletionBatcher and commit nothing else, so hundreds of them need two
   * connections. By default a claim takes only as many as will soon get a connection each.
   */
  readonly sharesCommits?: boolean;
  /** At most one job of the queue runs in the whole cluster. */
  readonly single?: boolean;
  /**
   * Runs belong to the trace of what opened the job, as the parts of one answer do. By default each
   * run is a trace of its own with a link to it: a reminder of tomorrow would make a trace of days.
   */
  readonly continuesTrace?: boolean;
  /** When a shutdown stops claiming; see `JobDrain`. */
  readonly drain?: ClaimStop;
}

/**
 *   first  when the drain begins
 *   flows  with SHUTDOWN_PENDING=flush, after the pending answers were claimed; else as `first`
 *   last   when no other flow runs that could add jobs
 */
export type ClaimStop = 'first' | 'flows' | 'last';

/** A queue that this process works on. */
export interface RegisteredQueue {
  readonly queue: QueueName;
  readonly concurrency: number;
  readonly maxFailures: number;
  readonly sharesCommits: boolean;
  readonly single: boolean;
  readonly continuesTrace: boolean;
  readonly drain: ClaimStop;
  readonly handler: JobHandlerClass;
}

const JOB_HANDLER = Symbol('JobHandler');

/**
 * Marks a provider as the handler of a queue. It is the only place of the queue's limits and shutdown
 * phase. Another class than the one that the queue is declared with does not compile (`QueueNames`).
 * JobsModule finds the handlers at boot.
 */
export function JobHandler<Queue extends QueueName>(
  queue: Queue,
  options: JobOptions,
): (target: abstract new (...args: never[]) => JobHandlerClass & QueueNames[Queue]) => void {
  return (target) => {
    Reflect.defineMetadata(JOB_HANDLER, { queue, options }, target);
  };
}

/** The queues that this process works on, with their handlers. Jobs of other queues wait. */
@Injectable()
export class JobRegistry {
  private readonly queues = new Map<QueueName, RegisteredQueue>();

  constructor(private readonly settings: Settings) {}

  /**
   * Adds an instance of a class that is marked with @JobHandler; other objects are ignored. Throws
   * JobHandlerError when the queue has another handler already.
   */
  register(handler: object): void {
    const found = Reflect.getMetadata(JOB_HANDLER, handler.constructor) as
      { queue: QueueName; options: JobOptions } | undefined;
    if (found === undefined) return;
    const { queue, options } = found;
    const known = this.queues.get(queue);
    if (known?.handler === handler) return;
    if (known !== undefined) {
      throw new JobHandlerError(`the queue "${queue}" has two handlers; it takes one`);
    }
    const { concurrency, maxFailures, single = false, drain = 'first' } = options;
    const { continuesTrace = false, sharesCommits = false } = options;
    this.queues.set(queue, {
      queue,
      concurrency: typeof concurrency === 'number' ? concurrency : concurrency(this.settings),
      maxFailures,
      sharesCommits,
      single,
      continuesTrace,
      drain,
      handler: handler as JobHandlerClass,
    });
  }

  get(queue: QueueName): RegisteredQueue {
    const found = this.queues.get(queue);
    if (found === undefined) {
      throw new JobHandlerError(`no handler is registered for the queue "${queue}"`);
    }
    return found;
  }

  all(): RegisteredQueue[] {
    return [...this.queues.values()];
  }
}
