import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { UnitOfWorkFactory } from '../common/uow';
import { LeaseLostError } from './errors';
import type { JobHandlerClass } from './lane-handler';
import type { Statement } from './statement';
import type { Claim, DeadJob } from './task';
import * as sql from './task-sql';

/**
 * The ways a claim ends without its effect, each one commit that is fenced by (id, claim_no).
 * LeaseLostError: somebody else ended it.
 */
@Injectable()
export class JobEndings {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly clock: Clock,
  ) {}

  /** Due again after `delayMs`, one more failure of its own. */
  async fail(claim: Claim, error: string, delayMs: number): Promise<void> {
    const now = this.clock.databaseNow();
    await this.end('task.fail', claim, sql.retry(claim, { ownFailures: 1, delayMs, error, now }));
  }

  /** Due again after `delayMs`; the task is not to blame. */
  async giveBack(claim: Claim, error: string, delayMs: number): Promise<void> {
    const now = this.clock.databaseNow();
    await this.end(
      'task.give_back',
      claim,
      sql.retry(claim, { ownFailures: 0, delayMs, error, now }),
    );
  }

  async countFailure(claim: Claim, error: string): Promise<void> {
    await this.end('task.count_failure', claim, sql.countFailure(claim, error));
  }

  /**
   * Dead, together with what its lane owes for it. The lane comes first: it locks the conversation,
   * which every other commit locks before the task. A lost lease undoes both.
   */
  async bury(handler: JobHandlerClass, task: DeadJob, failures: number): Promise<void> {
    const { error } = task;
    await this.units.run('task.bury', (uow) =>
      uow.commit('task.bury', async (tx) => {
        await handler.onDead(tx, task);
        const bury = sql.bury(task, { failures, error, now: this.clock.databaseNow() });
        requireRow(await tx.query(bury.text, bury.values), task);
      }),
    );
  }

  private async end(label: string, claim: Claim, statement: Statement): Promise<void> {
    await this.units.run(label, (uow) =>
      uow.commit(label, async (tx) => {
        requireRow(await tx.query(statement.text, statement.values), claim);
      }),
    );
  }
}

function requireRow(rows: readonly unknown[], claim: Claim): void {
  if (rows.length === 0) throw LeaseLostError.of(claim);
}
