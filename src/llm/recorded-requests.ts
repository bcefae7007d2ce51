import { Injectable } from '@nestjs/common';
import { type LlmPurpose, type SettledAttempt, LlmLedgerRepository } from './llm-ledger.repository';
import { Clock } from '../common/clock';
import { type Tx, type UnitOfWork, UnitOfWorkFactory } from '../common/uow';
import {
  type AttemptOutcome,
  ledgerNote,
  outcomeOf,
  ModelFailure,
  ModelUnavailableError,
} from './errors';
import { type ResponseFacts, modelSpan } from './model-span';
import { LlmMetrics } from './llm.metrics';

/** Requests outside the interview: each is recorded in the ledger before it is sent. */
@Injectable()
export class RecordedRequests {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly ledger: LlmLedgerRepository,
    private readonly metrics: LlmMetrics,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws only errors of the database, of `admit`, and bugs. The tokens of a whole response are in the value of `send`;
   * those that a server counted before a failure are given to `count`.
   */
  async send<T extends Counted>(
    request: RecordedRequest,
    send: (count: (tokens: Counted) => void) => Promise<T>,
  ): Promise<RequestResult<T>> {
    return this.units.run(`llm.${request.purpose}`, async (uow) => {
      const settle = await this.open(uow, request);
      let counted: Counted = {};
      let value: T;
      try {
        value = await modelSpan(request, async (note) => {
          const sent = await send((told) => {
            counted = told;
            note(told);
          });
          note(sent);
          return sent;
        });
      } catch (error) {
        const reason = outcomeOf(error);
        const isAdjusted = error instanceof ModelFailure && error.isAdjusted;
        await settle(reason, counted, ledgerNote(error));
        if (reason === 'error') throw error;
        if (!(error instanceof ModelUnavailableError)) return { ok: false, reason, isAdjusted };
        const { retryAfterMs, mayConcernJobOnly } = error;
        return { ok: false, reason, retryAfterMs, mayConcernJobOnly };
      }
      // Outside of the try: if this commit fails, the attempt must not be settled again as failed.
      await settle('ok', value);
      return { ok: true, value };
    });
  }

  private async open(
    uow: UnitOfWork,
    { admit, ...request }: RecordedRequest,
  ): Promise<(outcome: AttemptOutcome, counted: Counted, note?: string) => Promise<void>> {
    const { attemptId } = await uow.commit('llm.open', async (tx) => {
      await admit?.(tx);
      return this.ledger.open(tx, { n: 'next', epoch: 1, ...request });
    });
    const startedMs = this.clock.monotonicMs();
    return async (outcome, { inputTokens, outputTokens }, note) => {
      const settled: SettledAttempt = {
        outcome,
        purpose: request.purpose,
        latencyMs: this.clock.monotonicMs() - startedMs,
        ...(inputTokens === undefined ? {} : { inputTokens }),
        ...(outputTokens === undefined ? {} : { outputTokens }),
        ...(note === undefined ? {} : { error: note }),
      };
      this.metrics.attempted(request.purpose, settled);
      await uow.commitOne('llm.settle', (tx) => this.ledger.settle(tx, attemptId, settled));
    };
  }
}

export interface RecordedRequest {
  /** The id of the flush, or of another purpose that the request belongs to. */
  readonly subject: string;
  readonly purpose: Exclude<LlmPurpose, 'interview'>;
  readonly model: string;
  /** The address of its server. */
  readonly baseUrl: string;
  /** Which request of this purpose within the flush; by default the next one. */
  readonly n?: number;
  /** Which attempt at that request, from 1. */
  readonly epoch?: number;
  /**
   * Called in the commit that records the request, before it is sent. It throws when the request may not be
   * sent any more: then nothing is recorded.
   */
  readonly admit?: ((tx: Tx) => Promise<void>) | undefined;
}

/**
 * The result of a request outside the interview. A failure is a value, because each caller has a
 * fallback.
 */
export type RequestResult<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly reason: AttemptOutcome;
      /** The pause that an unavailable server requested. */
      readonly retryAfterMs?: number | undefined;
      /** See PeerUnavailableError. */
      readonly mayConcernJobOnly?: boolean;
      /** See ModelFailure. */
      readonly isAdjusted?: boolean;
    };

/** A value that has what the server told with it. */
export type Counted = ResponseFacts;
