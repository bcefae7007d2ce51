import type { Tx } from '../../common/uow';

/** Who wants to call Notion. */
export interface PermitHolder {
  /** Ends the wait for a permit, and the call. */
  readonly signal?: AbortSignal;
  /**
   * Of a task's flow: throws LeaseLostError once the task is another claim's
   * (`(tx) => tasks.fence(tx, claim)`). One statement; it runs shortly before the start.
   */
  readonly fence?: (tx: Tx) => Promise<void>;
  /** Called when it has its place in the queue; again when it missed that and has another. */
  readonly onBooked?: () => void;
  /** Called when a permitted call begins. */
  readonly onStart?: () => void;
}

/** Leave to start one call, now. */
export interface Permit {
  /** The start that was granted, in the database's time and words. */
  readonly grantedAt: string;
}
