import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { Clock } from '../common/clock';
import { UnitOfWorkFactory } from '../common/uow';
import { describeError } from './failure';
import { sweepDone } from './task-sql';

const DONE_KEPT_MS = 24 * 3_600_000;
const BATCH = 1000;

/** Deletes done tasks a day after their end, in small commits. Never a dead one. */
@Injectable()
export class DoneJobSweep {
  private readonly logger = new Logger('Tasks');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly clock: Clock,
  ) {}

  @Cron(CronExpression.EVERY_10_MINUTES)
  async runOnSchedule(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.logger.warn(`the sweep of done tasks failed: ${describeError(error)}`);
    }
  }

  /** Answers how many rows it deleted. */
  async run(): Promise<number> {
    return this.units.run('task.sweep', async (uow) => {
      for (let deleted = 0; ;) {
        const now = this.clock.databaseNow();
        const sweep = sweepDone({ keptMs: DONE_KEPT_MS, limit: BATCH, now });
        const rows = await uow.commitOne('task.sweep', (tx) => tx.query(sweep.text, sweep.values));
        deleted += rows.length;
        if (rows.length < BATCH) return deleted;
      }
    });
  }
}
