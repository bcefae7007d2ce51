import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { describeError } from '../common/errors';
import { UnitOfWorkFactory } from '../common/uow';
import { AttentionRepository } from './attention.repository';
import { AttentionService } from './attention.service';

const SWEEP_MS = 5000;

/**
 * Adds jobs to the attention list that have been given back for longer than ATTENTION_AFTER_MS,
 * whatever they wait for: an outage that lasts, or one prompt that its server always refuses while
 * no other job calls that server. The job is still tried. The sweep reads the table, so it also finds jobs
 * that no worker claims because a breaker is open.
 */
@Injectable()
export class WaitingJobs {
  private readonly logger = new Logger('Attention');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly items: AttentionRepository,
    private readonly attention: AttentionService,
  ) {}

  @Interval(SWEEP_MS)
  async runOnSchedule(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      const seconds = String(SWEEP_MS / 1000);
      this.logger.warn(
        `the search for waiting jobs failed and is repeated in ${seconds} s: ${describeError(error)}`,
      );
    }
  }

  /** How many items were added, and how many were closed because their job does not wait any more. */
  async sweep(): Promise<{ raised: number; settled: number }> {
    return this.units.run('attention.waiting', (uow) =>
      uow.commit('attention.waiting', async (tx) => {
        const settled = await this.items.closeWaiting(tx);
        const raised = await this.items.addWaiting(tx, ATTENTION_AFTER_MS);
        await this.attention.tellTeam(tx, [...settled, ...raised]);
        return { raised: raised.length, settled: settled.length };
      }),
    );
  }
}

/** Longer than peers are away for a deploy or a fail-over, so that those wake nobody. */
export const ATTENTION_AFTER_MS = 900_000;
