import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../../common/metrics';

/**
 * `answered`: by the interviewer. `unanalysed`: the model had failed on the answer for good.
 * `code`: no interviewer was to see it. `stopped`: by the candidate. The others got no reply.
 */
export type TurnOutcome = 'answered' | 'unanalysed' | 'code' | 'stopped' | 'failed' | 'expired';

/** Counts turns, after the fact. */
@Injectable()
export class TurnMetrics {
  private readonly turns: Counter<'outcome'>;

  constructor(metrics: Metrics) {
    this.turns = metrics.counter('turns_total', 'Answers by how they ended', ['outcome']);
  }

  ended(outcome: TurnOutcome): void {
    this.turns.inc({ outcome });
  }
}
