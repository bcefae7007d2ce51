import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { type UnitOfWork, UnitOfWorkFactory } from '../common/uow';
import { type AttemptOutcome, outcomeOf } from './attempt-outcome';
import { ModelUnavailableError } from './errors';
import { LlmLedgerRepository, type LlmPurpose, type SettledAttempt } from './llm-ledger';
import { LlmMetrics } from './llm-metrics';

export interface RecordedRequest {
  /** The flush it was made for, or what else it belongs to. */
  readonly flushId: string;
  readonly purpose: Exclude<LlmPurpose, 'interview'>;
  readonly model: string;
  /** Which request of this purpose within the flush; one more than there are by default. */
  readonly n?: number;
  /** Which attempt at that request, from 1. */
  readonly epoch?: number;
}

/** A request's failure is a value: whoever asks beside the interview has something to fall back to. */
export type Requested<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly reason: AttemptOutcome;
      /** What a server that is away asked for. */
      readonly retryAfterMs?: number | undefined;
      /** See PeerUnavailableError. */
      readonly mayConcernTaskOnly?: boolean;
    };

export interface Counted {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** Requests beside the interview itself: each stands in the ledger before it is sent. */
@Injectable()
export class RecordedRequests {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly ledger: LlmLedgerRepository,
    private readonly metrics: LlmMetrics,
    private readonly clock: Clock,
  ) {}

  /** Throws only what the database throws, and bugs. */
  async send<T extends Counted>(
    request: RecordedRequest,
    send: () => Promise<T>,
  ): Promise<Requested<T>> {
    return this.units.run(`llm.${request.purpose}`, async (uow) => {
      const settle = await this.open(uow, request);
      try {
        const value = await send();
        await settle('ok', value);
        return { ok: true, value };
      } catch (error) {
        const reason = outcomeOf(error);
        await settle(reason);
        if (reason === 'error') throw error;
        if (!(error instanceof ModelUnavailableError)) return { ok: false, reason };
        const { retryAfterMs, mayConcernTaskOnly } = error;
        return { ok: false, reason, retryAfterMs, mayConcernTaskOnly };
      }
    });
  }

  private async open(
    uow: UnitOfWork,
    request: RecordedRequest,
  ): Promise<(outcome: AttemptOutcome, counted?: Counted) => Promise<void>> {
    const { attemptId } = await uow.commit('llm.open', (tx) =>
      this.ledger.open(tx, { n: 'next', epoch: 1, ...request }),
    );
    const startedMs = this.clock.monotonicMs();
    return async (outcome, { inputTokens, outputTokens } = {}) => {
      const settled: SettledAttempt = {
        outcome,
        purpose: request.purpose,
        latencyMs: this.clock.monotonicMs() - startedMs,
        ...(inputTokens === undefined ? {} : { inputTokens }),
        ...(outputTokens === undefined ? {} : { outputTokens }),
      };
      this.metrics.attempted(request.purpose, settled);
      await uow.commitOne('llm.settle', (tx) => this.ledger.settle(tx, attemptId, settled));
    };
  }
}
