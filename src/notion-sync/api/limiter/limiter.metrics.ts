import { Injectable } from '@nestjs/common';
import type { Counter, Gauge, Histogram } from 'prom-client';
import { Metrics } from '../../../common/metrics';

/** Counts the permits of this process. */
@Injectable()
export class LimiterMetrics {
  private readonly waits: Histogram;
  private readonly permits: Counter<'end'>;
  private readonly waiting: Gauge;
  private readonly rate: Gauge;
  private readonly missed: Gauge;

  constructor(metrics: Metrics) {
    this.waits = metrics.histogram(
      'notion_permit_wait_seconds',
      'Time from the request for a permit to the permit',
    );
    this.permits = metrics.counter(
      'notion_permits_total',
      'Booked starts by how they ended: used, late, paused, dropped',
      ['end'],
    );
    this.waiting = metrics.gauge('notion_permit_queue', 'Calls of this process that wait to start');
    this.rate = metrics.gauge(
      'notion_allowed_rate_ratio',
      'Share of the allowed rate that was in force at the last permit of this process',
    );
    this.missed = metrics.gauge(
      'notion_missed_starts_in_a_row',
      'Booked starts that this process missed since the last call that it began',
    );
  }

  /** Missed starts since the last call that began. */
  missedInARow(count: number): void {
    this.missed.set(count);
  }

  requested(): void {
    this.waiting.inc();
  }

  granted(afterMs: number): void {
    this.waiting.dec();
    this.waits.observe(afterMs / 1000);
  }

  booked(rate: number): void {
    this.rate.set(rate);
  }

  ended(end: PermitEnd): void {
    this.permits.inc({ end });
  }
}

/**
 * How a booked start ended.
 *
 *   used     a call began
 *   late     this process woke up too late for it
 *   paused   Notion asked for a pause in between
 *   dropped  it was no longer needed: an abort, a lost lease, a failure
 */
export type PermitEnd = 'used' | 'late' | 'paused' | 'dropped';
