import type { Tx } from '../common/uow';
import type { Claim, DeadJob, LaneName } from './task';

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
