import { Injectable } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { Metrics } from '../../common/metrics';
import type { SettledAttempt } from '../../llm';

/**
 * `answered`: by the interviewer. `unanalysed`: the model had failed on the answer for good.
 * `code`: no interviewer was to see it. `stopped`: by the candidate. The others got no reply.
 */
export type TurnOutcome = 'answered' | 'unanalysed' | 'code' | 'stopped' | 'failed' | 'expired';

const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120];

/** Counts turns and what was asked of the model, after the fact. */
@Injectable()
export class TurnMetrics {
  private readonly turns: Counter<'outcome'>;
  private readonly attempts: Counter<'outcome'>;
  private readonly durations: Histogram;
  private readonly tokens: Counter<'direction'>;

  constructor(metrics: Metrics) {
    this.turns = metrics.counter('turns_total', 'Answers by how they ended', ['outcome']);
    this.attempts = metrics.counter('llm_attempts_total', 'HTTP requests to the model', [
      'outcome',
    ]);
    this.durations = metrics.histogram(
      'llm_request_seconds',
      'From a request to the model to its end, whatever that was',
      [],
      SECONDS,
    );
    this.tokens = metrics.counter('llm_tokens_total', 'Tokens as the model counted them', [
      'direction',
    ]);
  }

  ended(outcome: TurnOutcome): void {
    this.turns.inc({ outcome });
  }

  attempted({ outcome, latencyMs, inputTokens, outputTokens }: SettledAttempt): void {
    this.attempts.inc({ outcome });
    this.durations.observe(latencyMs / 1000);
    this.tokens.inc({ direction: 'input' }, inputTokens ?? 0);
    this.tokens.inc({ direction: 'output' }, outputTokens ?? 0);
  }
}
