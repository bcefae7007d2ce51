import { Injectable, Logger } from '@nestjs/common';
import { PeerHealth } from '../../common/lifecycle';
import { LimiterMetrics } from './limiter-metrics';
import { MISSED_IN_A_ROW } from './timing';

/** Hears that calls of Notion cannot start any more, in a sentence; null: they can again. */
export type LimiterListener = (trouble: string | null) => void;

/**
 * Whether this process starts its calls of Notion when it may. Booked starts that are missed in a
 * row mean a sync that stands still: the log says so, the readiness probe (`notion_limiter`), the
 * metrics, and whoever listens.
 */
@Injectable()
export class LimiterHealth {
  private readonly logger = new Logger('Notion');
  private inARow = 0;
  private trouble: string | null = null;
  private listener: LimiterListener = () => undefined;

  constructor(
    conditions: PeerHealth,
    private readonly metrics: LimiterMetrics,
  ) {
    conditions.register('notion_limiter', () => this.trouble);
  }

  onChange(listener: LimiterListener): void {
    this.listener = listener;
  }

  /** Said again as often as so many more were missed. */
  missed(): void {
    this.inARow += 1;
    this.metrics.missedInARow(this.inARow);
    if (this.inARow % MISSED_IN_A_ROW !== 0) return;
    this.trouble =
      `Calls of Notion miss their starts (${String(this.inARow)} in a row): ` +
      'the process or its database connection is too slow, or unsteady';
    this.logger.warn(this.trouble);
    this.listener(this.trouble);
  }

  kept(): void {
    this.inARow = 0;
    this.metrics.missedInARow(0);
    if (this.trouble === null) return;
    this.trouble = null;
    this.logger.log('Calls of Notion start in time again');
    this.listener(null);
  }
}
