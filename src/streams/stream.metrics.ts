import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../common/metrics';

/** Counts segments, signals and reads of replies that are being written. */
@Injectable()
export class StreamMetrics {
  private readonly segments: Counter;
  private readonly signals: Counter;
  private readonly reads: Counter;
  private readonly gaps: Counter;

  constructor(metrics: Metrics) {
    this.segments = metrics.counter('stream_segments_total', 'Pieces of replies stored');
    this.signals = metrics.counter('stream_signals_total', 'Signals sent to other replicas');
    this.reads = metrics.counter(
      'stream_mirror_reads_total',
      'Times that rows of replies of other replicas were read',
    );
    this.gaps = metrics.counter(
      'stream_mirror_gaps_total',
      "Pieces of other replicas' replies that arrived before an earlier piece",
    );
  }

  segmentsWritten(count: number): void {
    this.segments.inc(count);
  }

  signalsSent(count: number): void {
    this.signals.inc(count);
  }

  followRead(): void {
    this.reads.inc();
  }

  gapSeen(): void {
    this.gaps.inc();
  }
}
