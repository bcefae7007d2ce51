import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '../common/config';
import { type Tx, type UnitOfWork, UnitOfWorkFactory } from '../common/uow';
import {
  type Claim,
  type DeadJob,
  type DebounceLimits,
  DebounceRepository,
  HandBackRequestedError,
  type JobFlow,
  type JobHandlerClass,
  JobPutBackError,
  Jobs,
  LeaseLostError,
  PeerUnavailableError,
  QueueBreakers,
} from '../jobs';
import { limitsOf } from './answer-pace';
import { BufferMetrics, type FlushOutcome, type FlushedBuffer } from './buffer.metrics';
import { BufferRepository } from './buffer.repository';
import {
  type AdmissionRow,
  type ClaimedBuffer,
  type ExpiredRow,
  FlushRepository,
} from './flush.repository';
import { Cron, CronExpression } from '@nestjs/schedule';
import { Clock } from '../common/clock';
import { describeError } from '../common/errors';
import { DomainEvents } from '../common/events';

declare module '../jobs' {
  interface QueueNames {
    flush: FlushHandler;
  }
}

/** One claim of a buffer that is due. The claim has sealed it: no message joins it any more. */
export interface Flush {
  readonly claim: Claim;
  /** The same on every retry; never computed from messages, texts or steps. */
  readonly answerId: string;
  readonly conversationId: string;
}

/** The base of the handler of queue `flush`: turns each due buffer into one reply. */
export abstract class FlushHandler implements JobHandlerClass {
  constructor(private readonly admission: FlushAdmission) {}

  run(claim: Claim, flow: JobFlow): Promise<void> {
    return this.admission.run(claim, flow, (flush) => this.flush(flush, flow));
  }

  onDead(tx: Tx, { jobId: answerId, key: conversationId, error }: DeadJob): Promise<void> {
    return this.onDeadFlush(tx, { answerId, conversationId, lastError: error });
  }

  /** The done job of a buffer is kept while its turn is not final, because the turn refers to it. */
  abstract stillNeeded(tx: Tx, answerIds: readonly string[]): Promise<readonly string[]>;

  /**
   * Ends with `jobs.complete` in the commit of its effect, also when the buffer has no messages.
   * Repeating a flush finds what is stored and makes no model request.
   */
  protected abstract flush(flush: Flush, flow: JobFlow): Promise<void>;

  /** In the commit that makes the buffer dead, before its row changes. Locks the conversation. */
  protected abstract onDeadFlush(tx: Tx, flush: DeadFlush): Promise<void>;
}

type Admission =
  | { readonly kind: 'put_back'; readonly flushed: FlushedBuffer }
  | {
      readonly kind: 'admitted';
      /** No earlier claim has opened a turn for it. */
      readonly isFirst: boolean;
      readonly flushed: FlushedBuffer;
    };

/** A delivery that ends makes the waiting buffer due; this bounds the wait if that is missed. */
const RECHECK_MS = 30_000;

/**
 * Runs claimed buffers. A buffer gets no reply while an earlier reply of the conversation is
 * stored and being delivered, because the candidate would read two replies at once, and this answer
 * may belong to the earlier one. That is checked here and not in the claim, which knows no queue's
 * tables: the buffer is put back to `open` without a failure, so that messages still join it.
 */
@Injectable()
export class FlushAdmission {
  private readonly ttlMs;
  private readonly limits;

  constructor(
    settings: Settings,
    private readonly flushes: FlushRepository,
    private readonly buffers: BufferRepository,
    private readonly timers: DebounceRepository,
    private readonly metrics: BufferMetrics,
    private readonly clock: Clock,
  ) {
    this.ttlMs = settings.buffer.ttlMs;
    this.limits = limitsOf(settings.buffer);
  }

  /** Flushes an admitted buffer and counts how that ended. Throws what `flush` throws. */
  async run(
    claim: Claim,
    { uow, signal }: JobFlow,
    flush: (admitted: Flush) => Promise<void>,
  ): Promise<void> {
    const admitted = await this.admit(uow, claim);
    const admittedMs = this.clock.monotonicMs();
    const { channel, quietMs } = admitted.flushed;
    if (admitted.kind === 'put_back') {
      this.metrics.ended(channel, 'put_back');
      throw new JobPutBackError('the reply before this one is not delivered yet');
    }
    if (admitted.isFirst) this.metrics.flushed(admitted.flushed);
    const { jobId: answerId, key: conversationId } = claim;
    try {
      await flush({ claim, answerId, conversationId });
    } catch (error) {
      // An abort shows up as a failure of whatever the flush was doing.
      const cause: unknown = signal.aborted ? signal.reason : error;
      this.metrics.ended(channel, outcomeOf(cause));
      this.metrics.failed('flush', cause);
      throw error;
    }
    this.metrics.ended(channel, 'success');
    this.metrics.replied(channel, quietMs + this.clock.monotonicMs() - admittedMs);
  }

  private async admit(uow: UnitOfWork, claim: Claim): Promise<Admission> {
    const buffer = await uow.commitOne('flush.admit', (tx) => this.find(tx, claim));
    if (!buffer.isBlocked) return this.admitted(buffer);
    return uow.commit('flush.put_back', (tx) => this.putBack(tx, claim));
  }

  /** Admits the buffer if the earlier reply was delivered meanwhile. */
  private async putBack(tx: Tx, claim: Claim): Promise<Admission> {
    await this.buffers.lockConversation(tx, claim.key);
    const buffer = await this.find(tx, claim);
    if (!buffer.isBlocked) return this.admitted(buffer);
    const delayMs = Math.min(RECHECK_MS, this.ttlMs);
    // The model may have been asked about it already, so nothing may be added or edited any more.
    const isClosed = !buffer.isFirst;
    const isPutBack = await this.timers.putBack(tx, claim, { delayMs, isClosed });
    if (!isPutBack) throw LeaseLostError.of(claim);
    return { ...this.admitted(buffer), kind: 'put_back' };
  }

  private async find(tx: Tx, claim: Claim): Promise<AdmissionRow> {
    const row = await this.flushes.findClaimed(tx, claim, this.ttlMs);
    if (row === undefined) throw LeaseLostError.of(claim);
    return row;
  }

  private admitted(buffer: AdmissionRow): Extract<Admission, { kind: 'admitted' }> {
    const flushed = { ...buffer, cause: flushCause(buffer, this.limits) };
    return { kind: 'admitted', isFirst: buffer.isFirst, flushed };
  }
}

/** `quiet` is the usual end of an answer; every other cause forced it. */
export type FlushCause = 'quiet' | 'done' | 'max_size' | 'max_chars' | 'max_wait';

/** Why a buffer was flushed. A limit comes before Done, as in the formula of the due time. */
export function flushCause(buffer: ClaimedBuffer, limits: DebounceLimits): FlushCause {
  if (buffer.pending > 0) return 'max_wait';
  if (buffer.count >= limits.maxSize) return 'max_size';
  if (buffer.chars >= limits.maxChars) return 'max_chars';
  const openMs = buffer.quietAt.getTime() - buffer.firstAt.getTime();
  if (openMs > limits.maxWaitMs) return 'max_wait';
  return buffer.finished ? 'done' : 'quiet';
}

/** A buffer that ends without a reply. */
export interface DeadFlush {
  readonly answerId: string;
  readonly conversationId: string;
  /** Null when its workers crashed without storing an error. */
  readonly lastError: string | null;
}

function outcomeOf(error: unknown): FlushOutcome {
  if (error instanceof PeerUnavailableError) return 'peer_unavailable';
  if (error instanceof HandBackRequestedError) return 'handed_back';
  return error instanceof LeaseLostError ? 'lost' : 'failure';
}

const BATCH = 100;

/** One run in so many, and the first of a process, also looks at jobs that died long ago. */
const RUNS_OF_RECENT = 60;

/**
 * Expires answers that were tried and got no reply within the TTL: they stop waiting, stay in the
 * transcript, and `buffer.expired` lets a person replay them. Never expired: a running buffer, one
 * that was never claimed or has only waited for the model, one with a stored reply, and, while the
 * model's breaker is open, one that waits for a retry.
 */
@Injectable()
export class ExpirySweep {
  private readonly logger = new Logger('Buffer');
  private readonly ttlMs;
  /** Until the next look at all dead jobs. */
  private runsLeft = 0;

  constructor(
    settings: Settings,
    private readonly units: UnitOfWorkFactory,
    private readonly events: DomainEvents,
    private readonly jobs: Jobs,
    private readonly breakers: QueueBreakers,
    private readonly flushes: FlushRepository,
    private readonly buffers: BufferRepository,
    private readonly metrics: BufferMetrics,
  ) {
    this.ttlMs = settings.buffer.ttlMs;
  }

  @Cron(CronExpression.EVERY_MINUTE)
  async runOnSchedule(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.metrics.failed('expire', error);
      this.logger.warn(
        `expiring old buffers failed; it runs again in a minute: ${describeError(error)}`,
      );
    }
  }

  /** Each buffer in a commit of its own. Returns how many expired. */
  async run(): Promise<number> {
    return this.units.run('buffer.expire', async (uow) => {
      const all = this.runsLeft === 0;
      const found = await uow.commitOne('buffer.list_expired', (tx) =>
        this.flushes.listExpired(tx, this.options(), { all, limit: BATCH }),
      );
      if (all) this.runsLeft = RUNS_OF_RECENT;
      // What a full batch has left over may grow old before its turn comes.
      this.runsLeft = found.length === BATCH ? 0 : this.runsLeft - 1;
      let expired = 0;
      for (const row of found) if (await this.expire(uow, row)) expired += 1;
      return expired;
    });
  }

  private async expire(uow: UnitOfWork, found: ExpiredRow): Promise<boolean> {
    const isExpired = await uow.commit('buffer.expire', (tx) => this.expireOne(tx, found));
    if (isExpired) this.metrics.expiredOne();
    return isExpired;
  }

  private async expireOne(tx: Tx, found: ExpiredRow): Promise<boolean> {
    await this.buffers.lockConversation(tx, found.key);
    const row = await this.flushes.lockExpired(tx, this.options(), found.answerId);
    if (row === undefined) return false;
    const { answerId, key: conversationId, lastError } = row;
    await this.events.publish(tx, 'buffer.expired', { answerId, conversationId, lastError });
    await this.jobs.abandon(tx, answerId);
    await this.buffers.clear(tx, [answerId]);
    return true;
  }

  private options(): { retryToo: boolean; ttlMs: number } {
    return { retryToo: !this.breakers.isOpen('flush'), ttlMs: this.ttlMs };
  }
}
