import { Injectable, Logger } from '@nestjs/common';
import type { Counter, Gauge, Histogram } from 'prom-client';
import type { ChannelName } from '../channels';
import { ColloquyError, describeError } from '../common/errors';
import { Metrics, shared } from '../common/metrics';
import { UnitOfWorkFactory, WriteConflictError } from '../common/uow';
import { DebounceRepository, type OpenJobs } from '../jobs';
import { NotOpenError } from './errors';
import type { FlushCause } from './flush';

const MESSAGES = [1, 2, 3, 5, 8, 13, 21, 34, 50];
/** A reply includes the quiet time of some seconds, and during an outage it may take an hour. */
const REPLY_SECONDS = [1, 2.5, 5, 7.5, 10, 15, 20, 30, 45, 60, 120, 300, 900, 3600];

/**
 * How a claim of a buffer ended; `success` divided by all outcomes is the success rate. `put_back`: an
 * earlier reply is not delivered yet. `handed_back`: this process stops, and another one goes on.
 */
export type FlushOutcome =
  'success' | 'failure' | 'peer_unavailable' | 'lost' | 'put_back' | 'handed_back';

/** What is counted of a buffer at its first flush. */
export interface FlushedBuffer {
  readonly cause: FlushCause;
  /** Of its last message; null when all its messages were erased or moved. */
  readonly channel: ChannelName | null;
  readonly count: number;
  /** Since its first message. */
  readonly waitMs: number;
  /** Since its last message. */
  readonly quietMs: number;
}

/** Counts what happens to buffers in this process; reads the open ones from the database at each scrape. */
@Injectable()
export class BufferMetrics {
  private readonly logger = new Logger('Buffer');
  private readonly flushes: Counter<'cause'>;
  private readonly outcomes: Counter<'channel' | 'outcome'>;
  private readonly expired: Counter;
  private readonly waits: Histogram<'channel'>;
  private readonly replies: Histogram<'channel'>;
  private readonly sizes: Histogram<'channel'>;
  private readonly activities: Counter<'kind'>;
  private readonly errors: Counter<'operation' | 'code'>;
  private readonly open = shared(() => this.measure());

  constructor(
    metrics: Metrics,
    private readonly units: UnitOfWorkFactory,
    private readonly timers: DebounceRepository,
  ) {
    this.flushes = metrics.counter('buffer_flushes_total', 'Flushed buffers by cause', ['cause']);
    this.outcomes = metrics.counter('buffer_flush_outcomes_total', 'How flushes ended', [
      'channel',
      'outcome',
    ]);
    this.expired = metrics.counter('buffer_expired_total', 'Buffers that expired without a reply');
    this.waits = metrics.histogram('buffer_wait_seconds', 'From the first message to the flush', [
      'channel',
    ]);
    this.replies = metrics.histogram(
      'reply_wait_seconds',
      'From the last message of an answer to its stored reply, quiet time included',
      ['channel'],
      REPLY_SECONDS,
    );
    this.sizes = metrics.histogram(
      'buffer_flush_messages',
      'Messages of a flushed buffer',
      ['channel'],
      MESSAGES,
    );
    this.activities = metrics.counter('buffer_activity_total', 'Typing and recording', ['kind']);
    this.errors = metrics.counter('buffer_errors_total', 'Refused or failed calls', [
      'operation',
      'code',
    ]);
    this.measured(metrics, 'buffers_open', 'Open buffers in the database', 'jobs');
    this.measured(
      metrics,
      'answers_waiting',
      'Answers in the database that are being replied to, or are due for it',
      'due',
    );
    this.measured(metrics, 'buffer_mean_messages', 'Mean size of an open buffer', 'meanCount');
  }

  /** Once for each buffer, at its first flush. */
  flushed(buffer: FlushedBuffer): void {
    const channel = buffer.channel ?? 'none';
    this.flushes.inc({ cause: buffer.cause });
    this.waits.observe({ channel }, Math.max(0, buffer.waitMs) / 1000);
    this.sizes.observe({ channel }, buffer.count);
  }

  ended(channel: ChannelName | null, outcome: FlushOutcome): void {
    this.outcomes.inc({ channel: channel ?? 'none', outcome });
  }

  /** The reply to an answer is stored. */
  replied(channel: ChannelName | null, waitMs: number): void {
    this.replies.observe({ channel: channel ?? 'none' }, Math.max(0, waitMs) / 1000);
  }

  expiredOne(): void {
    this.expired.inc();
  }

  activity(kind: 'typing' | 'recording'): void {
    this.activities.inc({ kind });
  }

  /** Counts what `call` throws, except write conflicts, which are retried, and refusals of the interview. */
  async watch<T>(operation: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      const isExpected = error instanceof WriteConflictError || error instanceof NotOpenError;
      if (!isExpected) this.failed(operation, error);
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
      const open = await this.open();
      if (open !== undefined) gauge.set(open[figure]);
    });
  }

  private async measure(): Promise<OpenJobs | undefined> {
    try {
      return await this.units.run('buffer.measure', (uow) =>
        uow.commitOne('buffer.measure', (tx) => this.timers.measureOpen(tx, 'flush')),
      );
    } catch (error) {
      this.logger.debug(`the open buffers could not be counted: ${describeError(error)}`);
      return undefined;
    }
  }
}
