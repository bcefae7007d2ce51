import type { Tx } from '../common/uow';
import type { Claim, JobFlow } from '../jobs';

/** One claim of a buffer that is due. The claim has sealed it: no message joins it any more. */
export interface Flush {
  readonly claim: Claim;
  /** The same on every retry; never computed from messages, texts or steps. */
  readonly flushId: string;
  readonly bufferId: string;
  readonly conversationId: string;
}

/** A buffer on its way out without a reply. */
export interface DeadFlush {
  readonly flushId: string;
  readonly bufferId: string;
  readonly conversationId: string;
  readonly jobId: string;
  /** Null when its workers crashed without a word. */
  readonly lastError: string | null;
}

/**
 * Turns a buffer into one answer. Declared here, provided by the interview under this very token;
 * the application does not start without it.
 */
export abstract class FlushHandler {
  /**
   * Ends with `jobs.complete` in the commit of its effect, also when the buffer has no messages.
   * The same flush again finds what is stored and asks no model.
   */
  abstract flush(flush: Flush, flow: JobFlow): Promise<void>;
  /** In the commit that makes the buffer dead, before its row changes. Locks the conversation. */
  abstract onDead(tx: Tx, flush: DeadFlush): Promise<void>;
  /** In the commit that expires the buffer, before its row changes, under the conversation lock. */
  abstract onExpired(tx: Tx, flush: DeadFlush): Promise<void>;
}

export function flushIdOf(bufferId: string): string {
  return `flush:${bufferId}`;
}

export function deadFlushOf(job: {
  jobId: string;
  key: string;
  lastError: string | null;
}): DeadFlush {
  return {
    flushId: flushIdOf(job.jobId),
    bufferId: job.jobId,
    conversationId: job.key,
    jobId: job.jobId,
    lastError: job.lastError,
  };
}
