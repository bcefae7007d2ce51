import { Injectable, Logger } from '@nestjs/common';
import type { Counter, Gauge, Histogram } from 'prom-client';
import { ColloquyError } from '../common/errors';
import { Metrics } from '../common/metrics';
import { UnitOfWorkFactory } from '../common/uow';
import { DebounceRepository, type OpenJobs } from '../jobs';
import type { FlushCause } from './flush';

const MESSAGES = [1, 2, 3, 5, 8, 13, 21, 34, 50];

/** How a claim of a buffer ended; `success` divided by all outcomes is the success rate. */
export type FlushOutcome = 'success' | 'failure' | 'peer_unavailable' | 'lost' | 'put_back';

/** Counts what happens to buffers in this process; reads the open ones from the database at each scrape. */
@Injectable()
export class BufferMetrics {
  private readonly logger = new Logger('Buffer');
  private readonly flushes: Counter<'cause'>;
  private readonly outcomes: Counter<'outcome'>;
  private readonly expired: Counter;
  private readonly waits: Histogram;
  private readonly sizes: Histogram;
  private readonly activities: Counter<'kind'>;
  private readonly errors: Counter<'operation' | 'code'>;
  private measuring: Promise<OpenJobs | undefined> | null = null;

  constructor(
    metrics: Metrics,
    private readonly units: UnitOfWorkFactory,
    private readonly timers: DebounceRepository,
  ) {
    this.flushes = metrics.counter('buffer_flushes_total', 'Flushed buffers by cause', ['cause']);
    this.outcomes = metrics.counter('buffer_flush_outcomes_total', 'How flushes ended', [
      'outcome',
    ]);
    this.expired = metrics.counter('buffer_expired_total', 'Buffers that expired without a reply');
    this.waits = metrics.histogram('buffer_wait_seconds', 'From the first message to the flush');
    this.sizes = metrics.histogram(
      'buffer_flush_messages',
      'Messages of a flushed buffer',
      [],
      MESSAGES,
    );
    this.activities = metrics.counter('buffer_activity_total', 'Typing and recording', ['kind']);
    this.errors = metrics.counter('buffer_errors_total', 'Refused or failed calls', [
      'operation',
      'code',
    ]);
    this.measured(metrics, 'buffers_open', 'Open buffers in the database', 'jobs');
    this.measured(metrics, 'buffer_mean_messages', 'Mean size of an open buffer', 'meanCount');
  }

  /** Once for each buffer, at its first flush. */
  flushed(buffer: { cause: FlushCause; count: number; waitMs: number }): void {
    this.flushes.inc({ cause: buffer.cause });
    this.waits.observe(Math.max(0, buffer.waitMs) / 1000);
    this.sizes.observe(buffer.count);
  }

  ended(outcome: FlushOutcome): void {
    this.outcomes.inc({ outcome });
  }

  expiredOne(): void {
    this.expired.inc();
  }

  activity(kind: 'typing' | 'recording'): void {
    this.activities.inc({ kind });
  }

  /** Counts what `call` throws. */
  async watch<T>(operation: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      this.failed(operation, error);
      throw error;
    }
  }

  failed(operation: string, error: unknown): void {
    const code = error instanceof ColloquyError ? error.code : 'unexpected';
    this.errors.inc({ operation, code });
  }

  /** Without a database the figure keeps its last value, so that a scrape never fails. */
  private measured(metrics: Metrics, name: string, help: string, figure: keyof OpenJobs): void {
    metrics.gauge(name, help, [], async (gauge: Gauge) => {
      this.measuring ??= this.measure();
      const open = await this.measuring;
      this.measuring = null;
      if (open !== undefined) gauge.set(open[figure]);
    });
  }

  private async measure(): Promise<OpenJobs | undefined> {
    try {
      return await this.units.run('buffer.measure', (uow) =>
        uow.commitOne('buffer.measure', (tx) => this.timers.measureOpen(tx, 'flush')),
      );
    } catch (error) {
      this.logger.debug(`the open buffers could not be counted: ${String(error)}`);
      return undefined;
    }
  }
}
