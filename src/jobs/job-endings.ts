import { type Label, type Tx, UnitOfWorkFactory } from '../common/uow';
import { Injectable } from '@nestjs/common';
import { type Claim, type DeadJob, type JobHandlerClass, LeaseLostError } from './job';
import { JobRepository } from './job.repository';

/**
 * The ways in which a claim ends without its effect; each is one commit, fenced by (id, claim_no).
 * They throw LeaseLostError when another claim has the job, or the job was deleted.
 */
@Injectable()
export class JobEndings {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly jobs: JobRepository,
  ) {}

  /** Due again after `delayMs`, with one more failure of its own. */
  async scheduleRetry(claim: Claim, error: string, delayMs: number): Promise<void> {
    await this.end('job.fail', claim, (tx) =>
      this.jobs.retry(tx, claim, { ownFailures: 1, delayMs, error }),
    );
  }

  /** Due again after `delayMs`, without a failure of its own. */
  async giveBack(claim: Claim, error: string, delayMs: number): Promise<void> {
    await this.end('job.give_back', claim, (tx) =>
      this.jobs.retry(tx, claim, { ownFailures: 0, delayMs, error }),
    );
  }

  async countFailure(claim: Claim, error: string): Promise<void> {
    await this.end('job.count_failure', claim, (tx) => this.jobs.countFailure(tx, claim, error));
  }

  /**
   * Makes the job dead, together with what its handler writes. The handler runs first, because it
   * locks the conversation, which every other commit locks before the job. A lost lease undoes both.
   */
  async markDead(handler: JobHandlerClass, job: DeadJob, failures: number): Promise<void> {
    // The label is a label value of metrics, so it keeps its name.
    await this.end('job.mark_dead', job, async (tx) => {
      await handler.onDead(tx, job);
      return this.jobs.markDead(tx, job, { failures, error: job.error });
    });
  }

  /** `write` returns false when the lease is lost. */
  private async end(
    label: Label,
    claim: Claim,
    write: (tx: Tx) => Promise<boolean>,
  ): Promise<void> {
    await this.units.run(label, (uow) =>
      uow.commit(label, async (tx) => {
        if (!(await write(tx))) throw LeaseLostError.of(claim);
      }),
    );
  }
}
