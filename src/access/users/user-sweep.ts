import { Injectable, Logger } from '@nestjs/common';
import { Cron, CronExpression } from '@nestjs/schedule';
import { describeError } from '../../common/errors';
import { type Tx, UnitOfWorkFactory } from '../../common/uow';
import { UserLinkRepository } from './user-link.repository';
import { UserSessionRepository } from './user-session.repository';

/** Rows that one statement deletes, and statements of one run for each table. */
const BATCH = 1000;
const MAX_BATCHES = 20;

/** Deletes rows of expired sessions, and of links that ended 30 days ago. Replicas may run it side by side. */
@Injectable()
export class UserSweep {
  private readonly logger = new Logger('Users');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly sessions: UserSessionRepository,
    private readonly links: UserLinkRepository,
  ) {}

  @Cron(CronExpression.EVERY_10_MINUTES)
  async sweepOnSchedule(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      this.logger.warn(
        `could not delete expired sessions and links of users, trying again in 10 minutes: ${describeError(error)}`,
      );
    }
  }

  /** Returns how many rows it has deleted. */
  async sweep(): Promise<{ sessions: number; links: number }> {
    const sessions = await this.deleteAll((tx) => this.sessions.sweepExpired(tx, BATCH));
    const links = await this.deleteAll((tx) => this.links.sweepEnded(tx, BATCH));
    return { sessions, links };
  }

  private deleteAll(someOf: (tx: Tx) => Promise<number>): Promise<number> {
    return this.units.run('user.sweep', async (uow) => {
      let deleted = 0;
      for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
        const count = await uow.commitOne('user.sweep', someOf);
        deleted += count;
        if (count < BATCH) break;
      }
      return deleted;
    });
  }
}
