import { type BufferLimits, limitsOf } from './debounce-windows';
import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import type { Tx, UnitOfWork } from '../common/uow';
import { type Claim, type JobFlow, LeaseLostError, PeerUnavailableError } from '../jobs';
import { BufferMetrics, type FlushOutcome } from './buffer.metrics';
import { type Flush, flushIdOf } from './flush-handler';
import { type AdmissionRow, admission, putBack } from './flush.repository';
import { lockConversation, run } from './debounce.repository';

/** What a claimed buffer looked like. */
export interface ClaimedBuffer {
  readonly count: number;
  readonly weight: number;
  readonly holds: number;
  readonly sealed: boolean;
  readonly firstAt: Date;
  readonly quietAt: Date;
}

/** `quiet` is the usual end of an answer; every other cause forced it. */
export type FlushCause = 'quiet' | 'done' | 'max_size' | 'max_chars' | 'max_wait';

/** Why a buffer was flushed. A limit counts before Done, as in the formula of the due time. */
export function flushCause(buffer: ClaimedBuffer, limits: BufferLimits): FlushCause {
  if (buffer.holds > 0) return 'max_wait';
  if (buffer.count >= limits.maxSize) return 'max_size';
  if (buffer.weight >= limits.maxChars) return 'max_chars';
  const openMs = buffer.quietAt.getTime() - buffer.firstAt.getTime();
  if (openMs > limits.maxWaitMs) return 'max_wait';
  return buffer.sealed ? 'done' : 'quiet';
}

/** A delivery that ends wakes the buffer that waits for it; this only bounds a missed one. */
const RECHECK_MS = 30_000;

export type Admission =
  | { readonly kind: 'put_back' }
  | {
      readonly kind: 'admitted';
      /** No earlier claim has begun to answer it. */
      readonly isFirst: boolean;
      readonly cause: FlushCause;
      readonly count: number;
      readonly waitMs: number;
    };

/**
 * Decides whether a claimed buffer may be answered now. Not while an earlier reply of the conversation is
 * stored and being delivered: people would read two replies at once, and this answer may belong to
 * the earlier one. Checked here and not in the claim, which knows no queue's tables; the row goes
 * back to `open` without a failure, so that messages still join it.
 */
@Injectable()
export class FlushAdmission {
  private readonly ttlMs;
  private readonly limits;

  constructor(
    settings: Settings,
    private readonly metrics: BufferMetrics,
    private readonly clock: Clock,
  ) {
    this.ttlMs = settings.buffer.ttlMs;
    this.limits = limitsOf(settings.buffer);
  }

  /** Flushes an admitted buffer and counts how it ended. Throws what `flush` throws. */
  async run(
    claim: Claim,
    { uow }: JobFlow,
    flush: (admitted: Flush) => Promise<void>,
  ): Promise<void> {
    const admitted = await this.admit(uow, claim);
    if (admitted.kind === 'put_back') {
      this.metrics.ended('put_back');
      // The row is not claimed any more: the runner must not write to it, and counts no failure.
      throw LeaseLostError.of(claim);
    }
    if (admitted.isFirst) this.metrics.flushed(admitted);
    const { jobId: bufferId, key: conversationId } = claim;
    try {
      await flush({ claim, flushId: flushIdOf(bufferId), bufferId, conversationId });
    } catch (error) {
      this.metrics.ended(outcomeOf(error));
      this.metrics.failed('flush', error);
      throw error;
    }
    this.metrics.ended('success');
  }

  /** Throws LeaseLostError. */
  async admit(uow: UnitOfWork, claim: Claim): Promise<Admission> {
    const buffer = await uow.commitOne('flush.admit', (tx) => this.look(tx, claim));
    if (!buffer.isBlocked) return this.admitted(buffer);
    return uow.commit('flush.putBack', (tx) => this.putBack(tx, claim));
  }

  /** Unless the reply that it waited for has been delivered by now. */
  private async putBack(tx: Tx, claim: Claim): Promise<Admission> {
    await run(tx, lockConversation(claim.key));
    const stillBlocked = await this.look(tx, claim);
    if (!stillBlocked.isBlocked) return this.admitted(stillBlocked);
    const delayMs = Math.min(RECHECK_MS, this.ttlMs);
    const rows = await run(tx, putBack(claim, { delayMs, now: this.clock.databaseNow() }));
    if (rows.length === 0) throw LeaseLostError.of(claim);
    return { kind: 'put_back' };
  }

  private async look(tx: Tx, claim: Claim): Promise<AdmissionRow> {
    const [row] = await run<AdmissionRow>(
      tx,
      admission(claim, { ttlMs: this.ttlMs, now: this.clock.databaseNow() }),
    );
    if (row === undefined) throw LeaseLostError.of(claim);
    return row;
  }

  private admitted(buffer: AdmissionRow): Admission {
    const { isFirst, count, waitMs } = buffer;
    return { kind: 'admitted', isFirst, count, waitMs, cause: flushCause(buffer, this.limits) };
  }
}

function outcomeOf(error: unknown): FlushOutcome {
  if (error instanceof PeerUnavailableError) return 'peer_unavailable';
  return error instanceof LeaseLostError ? 'lost' : 'failure';
}
