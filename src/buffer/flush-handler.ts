import type { Tx } from '../common/uow';
import type { Claim, DeadJob, JobFlow, JobHandlerClass } from '../jobs';
import type { FlushAdmission } from './flush';

/** One claim of a buffer that is due. The claim has sealed it: no message joins it any more. */
export interface Flush {
  readonly claim: Claim;
  /** The same on every retry; never computed from messages, texts or steps. */
  readonly flushId: string;
  readonly bufferId: string;
  readonly conversationId: string;
}

/** A buffer that ends without a reply. */
export interface DeadFlush {
  readonly flushId: string;
  readonly bufferId: string;
  readonly conversationId: string;
  readonly jobId: string;
  /** Null when its workers crashed without storing an error. */
  readonly lastError: string | null;
}

/** The base of the handler of queue `flush`: turns each due buffer into one reply. */
export abstract class FlushHandler implements JobHandlerClass {
  constructor(private readonly admission: FlushAdmission) {}

  run(claim: Claim, flow: JobFlow): Promise<void> {
    return this.admission.run(claim, flow, (flush) => this.flush(flush, flow));
  }

  onDead(tx: Tx, job: DeadJob): Promise<void> {
    return this.onDeadFlush(tx, deadFlushOf({ ...job, lastError: job.error }));
  }

  /** A done buffer is kept while its turn is not final: the turn still leads to it. */
  abstract stillNeeded(tx: Tx, bufferIds: readonly string[]): Promise<readonly string[]>;

  /**
   * Ends with `jobs.complete` in the commit of its effect, also when the buffer has no messages.
   * The same flush again finds what is stored and makes no model request.
   */
  protected abstract flush(flush: Flush, flow: JobFlow): Promise<void>;

  /** In the commit that makes the buffer dead, before its row changes. Locks the conversation. */
  protected abstract onDeadFlush(tx: Tx, flush: DeadFlush): Promise<void>;
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
