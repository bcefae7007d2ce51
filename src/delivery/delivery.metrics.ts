import { Injectable } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { Metrics } from '../common/metrics';
import type { PartRow } from './delivery.repository';
import type { NextSend } from './resend-rules';
import type { SendOutcome } from '../channels';

/** Counts sends and how parts end, after their commits. */
@Injectable()
export class DeliveryMetrics {
  private readonly attempts: Counter<'channel' | 'outcome'>;
  private readonly seconds: Histogram<'channel'>;
  private readonly unknown: Counter<'channel'>;
  private readonly ended: Counter<'channel' | 'end'>;
  private readonly paused: Counter<'channel'>;

  constructor(metrics: Metrics) {
    this.attempts = metrics.counter('delivery_attempts_total', 'Sends by how they ended', [
      'channel',
      'outcome',
    ]);
    this.seconds = metrics.histogram(
      'delivery_attempt_seconds',
      'From the start of a send to its end, with any outcome',
      ['channel'],
    );
    this.unknown = metrics.counter(
      'delivery_unknown_total',
      'Sends of which it is unknown whether they arrived: timeouts, 5xx, crashes before the commit',
      ['channel'],
    );
    this.ended = metrics.counter(
      'delivery_parts_total',
      'Parts by how they ended: sent, unconfirmed, dead, blocked',
      ['channel', 'end'],
    );
    this.paused = metrics.counter(
      'delivery_paused_seconds_total',
      'Seconds that channels asked this process to wait (429)',
      ['channel'],
    );
  }

  attempted(channel: string, outcome: SendOutcome, tookMs: number): void {
    this.attempts.inc({ channel, outcome: outcome.kind });
    this.seconds.observe({ channel }, tookMs / 1000);
    if (outcome.kind === 'unknown' || outcome.kind === 'server_error') {
      this.unknown.inc({ channel });
    }
    if (outcome.kind === 'paused') this.paused.inc({ channel }, outcome.forMs / 1000);
  }

  settled(part: PartRow, next: NextSend): void {
    if (next.kind !== 'again') this.ended.inc({ channel: part.channel, end: next.kind });
  }

  /** A send that an earlier claim left without a stored outcome. */
  found(part: PartRow, next: NextSend): void {
    if (next.kind !== 'sent') this.unknown.inc({ channel: part.channel });
    this.settled(part, next);
  }
}
