import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { describeError } from '../errors';
import { UnitOfWorkFactory } from '../uow';
import { IdempotencyRepository } from './idempotency.repository';

/** Deletes requests with an Idempotency-Key after a day. */
@Injectable()
export class IdempotencySweep {
  private readonly logger = new Logger('Http');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly requests: IdempotencyRepository,
  ) {}

  @Cron(CronExpression.EVERY_HOUR)
  async runOnSchedule(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.logger.warn(
        `could not delete old idempotent requests, trying again in an hour: ${describeError(error)}`,
      );
    }
  }

  /** Returns how many it deleted. */
  async run(): Promise<number> {
    return this.units.run('idempotency.sweep', async (uow) => {
      for (let deleted = 0; ;) {
        const count = await uow.commitOne('idempotency.sweep', (tx) =>
          this.requests.deleteOld(tx, BATCH),
        );
        deleted += count;
        if (count < BATCH) return deleted;
      }
    });
  }
}

const BATCH = 1000;
