import { Injectable } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { Metrics } from '../../common/metrics';
import type { CallSubject } from './call-subject';

/** Counts calls of Notion by how they ended. */
@Injectable()
export class NotionMetrics {
  private readonly requests: Counter<'endpoint' | 'outcome'>;
  private readonly seconds: Histogram<'endpoint'>;
  private readonly limited: Counter<'reason'>;

  constructor(metrics: Metrics) {
    this.requests = metrics.counter(
      'notion_requests_total',
      'Calls of Notion by endpoint and outcome: ok, or the code of the error',
      ['endpoint', 'outcome'],
    );
    this.seconds = metrics.histogram(
      'notion_request_seconds',
      'From the start of a call of Notion to its end, whatever that was',
      ['endpoint'],
    );
    this.limited = metrics.counter(
      'notion_rate_limited_total',
      'Answers that asked for fewer calls (429, 529), by the reason that Notion gave',
      ['reason'],
    );
  }

  ended({ endpoint }: CallSubject, outcome: string, tookMs: number): void {
    this.requests.inc({ endpoint, outcome });
    this.seconds.observe({ endpoint }, tookMs / 1000);
  }

  rateLimited(reason: string | null): void {
    this.limited.inc({ reason: reason ?? 'none' });
  }
}
