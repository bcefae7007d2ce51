import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../common/metrics';
import type { StoredSample } from './scoring.repository';

/** Counts samples and what code dropped of them, without a word of any answer. */
@Injectable()
export class ScoringMetrics {
  private readonly samples: Counter<'kind' | 'result'>;
  private readonly quotes: Counter<'reason'>;
  private readonly runs: Counter<'result'>;

  constructor(metrics: Metrics) {
    this.samples = metrics.counter('score_samples_total', 'Samples of scores by their result', [
      'kind',
      'result',
    ]);
    this.quotes = metrics.counter(
      'score_quotes_dropped_total',
      'Quotes of models that were not found in the answer or may not count, by the reason',
      ['reason'],
    );
    this.runs = metrics.counter(
      'score_runs_total',
      'Interviews that were scored, by whether they have an overall figure',
      ['result'],
    );
  }

  sampled({ kind, reading }: StoredSample): void {
    const result = reading.kind === 'dropped' ? `dropped_${reading.why}` : reading.kind;
    this.samples.inc({ kind, result });
    for (const [reason, count] of Object.entries(reading.droppedQuotes)) {
      this.quotes.inc({ reason }, count);
    }
  }

  scored(result: 'figure' | 'absent' | 'objected'): void {
    this.runs.inc({ result });
  }
}
