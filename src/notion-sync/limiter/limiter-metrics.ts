import { Injectable } from '@nestjs/common';
import type { Counter, Gauge, Histogram } from 'prom-client';
import { Metrics } from '../../common/metrics';

/**
 * What became of a booked start.
 *
 *   used     a call began
 *   late     this process woke up too late for it
 *   paused   Notion asked for a pause in between
 *   dropped  nobody wanted it any more: an abort, a lost lease, a failure
 */
export type PermitEnd = 'used' | 'late' | 'paused' | 'dropped';

/** Counts permits of this process; the limits themselves are everybody's. */
@Injectable()
export class LimiterMetrics {
  private readonly waits: Histogram;
  private readonly permits: Counter<'end'>;
  private readonly waiting: Gauge;
  private readonly rate: Gauge;
  private readonly pauses: Counter;
  private readonly missed: Gauge;

  constructor(metrics: Metrics) {
    this.waits = metrics.histogram(
      'notion_permit_wait_seconds',
      'From asking for a permit to having it',
    );
    this.permits = metrics.counter(
      'notion_permits_total',
      'Booked starts by what became of them: used, late, paused, dropped',
      ['end'],
    );
    this.waiting = metrics.gauge('notion_permit_queue', 'Calls of this process that wait to start');
    this.rate = metrics.gauge(
      'notion_allowed_rate_ratio',
      'Share of the allowed rate that was in force at the last permit of this process',
    );
    this.pauses = metrics.counter(
      'notion_paused_seconds_total',
      'Seconds that Notion asked this process to wait',
    );
    this.missed = metrics.gauge(
      'notion_missed_starts_in_a_row',
      'Booked starts that this process missed since the last call that it began',
    );
  }

  /** Since the last call that began. */
  missedInARow(count: number): void {
    this.missed.set(count);
  }

  asked(): void {
    this.waiting.inc();
  }

  answered(afterMs: number): void {
    this.waiting.dec();
    this.waits.observe(afterMs / 1000);
  }

  booked(rate: number): void {
    this.rate.set(rate);
  }

  ended(end: PermitEnd): void {
    this.permits.inc({ end });
  }

  paused(forMs: number): void {
    this.pauses.inc(forMs / 1000);
  }
}
