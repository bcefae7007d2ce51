import { Injectable, Logger } from '@nestjs/common';
import { COMMAND } from '../../common/command-name';
import type { ColloquyError } from '../../common/errors';
import { PeerHealth } from '../../common/lifecycle';
import {
  NotionPausedError,
  NotionUnauthorizedError,
  NotionUnavailableError,
  type CallSubject,
} from './errors';
import type { Counter, Histogram } from 'prom-client';
import { Metrics } from '../../common/metrics';

const ADVICE = `Boards are ranked when it responds again, and interviews go on; "${COMMAND} doctor" checks token and board.`;

/**
 * Whether Notion can be reached, by its last response. The readiness probe shows it as `notion`; it
 * never takes the process out of service.
 */
@Injectable()
export class NotionHealth {
  private readonly logger = new Logger('Notion');
  private problem: string | null = null;

  constructor(conditions: PeerHealth) {
    conditions.register('notion', () => this.problem, ADVICE);
  }

  responded(): void {
    if (this.problem === null) return;
    this.problem = null;
    this.logger.log('Notion responds again');
  }

  /** A refusal counts as a response. */
  failed(error: ColloquyError): void {
    const isProblem =
      error instanceof NotionUnavailableError ||
      error instanceof NotionUnauthorizedError ||
      error instanceof NotionPausedError;
    if (!isProblem) {
      this.responded();
      return;
    }
    if (this.problem === error.message) return;
    this.problem = error.message;
    this.logger.warn(error.message);
  }
}

/** Counts calls to Notion by how they ended. */
@Injectable()
export class NotionMetrics {
  private readonly requests: Counter<'endpoint' | 'outcome'>;
  private readonly seconds: Histogram<'endpoint'>;
  private readonly limited: Counter<'reason'>;

  constructor(metrics: Metrics) {
    this.requests = metrics.counter(
      'notion_requests_total',
      'Calls to Notion by endpoint and outcome: ok, or the code of the error',
      ['endpoint', 'outcome'],
    );
    this.seconds = metrics.histogram(
      'notion_request_seconds',
      'Duration of calls to Notion, with any outcome',
      ['endpoint'],
    );
    this.limited = metrics.counter(
      'notion_rate_limited_total',
      'Responses that asked for fewer calls (429, 529), by the reason that Notion gave',
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
