import type { Lease } from '../../jobs';

/** Who wants to call Notion. */
export interface PermitHolder {
  /** Ends the wait for a permit, and the call. */
  readonly signal?: AbortSignal;
  /** Of a task's flow: asked for, and looked at, shortly before the start. */
  readonly lease?: () => Lease | null;
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
