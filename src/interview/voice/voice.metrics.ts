import { Injectable, Logger } from '@nestjs/common';
import { describeError } from '../../common/errors';
import { Metrics } from '../../common/metrics';
import { UnitOfWorkFactory } from '../../common/uow';
import { VoiceRepository } from './voice.repository';

/** Counts the voice messages that wait for a transcript. */
@Injectable()
export class VoiceMetrics {
  private readonly logger = new Logger('Voices');

  constructor(
    metrics: Metrics,
    private readonly units: UnitOfWorkFactory,
    private readonly voices: VoiceRepository,
  ) {
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
