import { Injectable, Logger } from '@nestjs/common';
import type { Counter, Histogram } from 'prom-client';
import { describeError } from '../../common/errors';
import { Metrics } from '../../common/metrics';
import { UnitOfWorkFactory } from '../../common/uow';
import { type VoiceEnd, type VoiceProblem, VoiceRepository } from './voice.repository';

const SECONDS = [0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120];

/** Counts ended voices and requests for transcripts. */
@Injectable()
export class VoiceMetrics {
  private readonly logger = new Logger('Voices');
  private readonly ends: Counter<'outcome'>;
  private readonly requests: Counter<'outcome'>;
  private readonly durations: Histogram;

  constructor(
    metrics: Metrics,
    private readonly units: UnitOfWorkFactory,
    private readonly voices: VoiceRepository,
  ) {
    this.ends = metrics.counter('voices_total', 'Voice messages by how they ended', ['outcome']);
    this.requests = metrics.counter('transcriptions_total', 'Requests for a transcript', [
      'outcome',
    ]);
    this.durations = metrics.histogram(
      'transcription_seconds',
      'From a request for a transcript to its end, with any outcome',
      [],
      SECONDS,
    );
    metrics.gauge(
      'voices_waiting',
      'Voice messages that wait for a transcript',
      [],
      async (gauge) => {
        const count = await this.countWaiting();
        if (count !== null) gauge.set(count);
      },
    );
  }

  ended(end: VoiceEnd): void {
    const outcome: VoiceProblem | 'heard' = end.kind === 'heard' ? 'heard' : end.problem;
    this.ends.inc({ outcome });
  }

  requested(outcome: string, latencyMs: number): void {
    this.requests.inc({ outcome });
    this.durations.observe(latencyMs / 1000);
  }

  /** A failure of the database does not fail the scrape; the figure then stays as it was. */
  private async countWaiting(): Promise<number | null> {
    try {
      return await this.units.run('voice.measure', (uow) =>
        uow.commitOne('voice.measure', (tx) => this.voices.countWaiting(tx)),
      );
    } catch (error) {
      this.logger.debug(`waiting voices were not counted: ${describeError(error)}`);
      return null;
    }
  }
}
