import { Injectable } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { Metrics } from '../common/metrics';
import type { LlmPurpose, SettledAttempt } from './llm-ledger.repository';

/** Counts finished requests to models, by purpose. */
@Injectable()
export class LlmMetrics {
  private readonly attempts: Counter<'purpose' | 'outcome'>;
  private readonly durations: Histogram<'purpose'>;
  private readonly tokens: Counter<'purpose' | 'direction'>;

  constructor(metrics: Metrics) {
    this.attempts = metrics.counter('llm_attempts_total', 'HTTP requests to models', [
      'purpose',
      'outcome',
    ]);
    this.durations = metrics.histogram(
      'llm_request_seconds',
      'From a request to a model to its end, with any outcome',
      ['purpose'],
      SECONDS,
    );
    this.tokens = metrics.counter('llm_tokens_total', 'Tokens as models counted them', [
      'purpose',
      'direction',
    ]);
  }

  attempted(purpose: LlmPurpose, attempt: SettledAttempt): void {
    const { outcome, latencyMs, inputTokens, outputTokens } = attempt;
    this.attempts.inc({ purpose, outcome });
    this.durations.observe({ purpose }, latencyMs / 1000);
    this.tokens.inc({ purpose, direction: 'input' }, inputTokens ?? 0);
    this.tokens.inc({ purpose, direction: 'output' }, outputTokens ?? 0);
  }
}

const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120];
