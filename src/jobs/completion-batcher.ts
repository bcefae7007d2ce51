import {
  CommitBatcher,
  DatabaseBusyError,
  type Label,
  type Tx,
  type UnitOfWorkFactory,
} from '../common/uow';
import type { Claim } from './job';
import { isDatabaseFailure } from './job-runner';
import type { Jobs } from './jobs.service';

/** Writes the effects of many jobs in one commit. It takes no lock that another commit holds for long. */
type WriteEffects<Effect> = (tx: Tx, effects: readonly Effect[]) => Promise<unknown>;

interface Ended<Effect> {
  readonly claim: Claim;
  readonly effect: Effect;
}

/**
 * Completes the jobs of many flows in few commits, each job in the commit of its effect. For a queue whose
 * jobs are many and small: alone, each of them waits for a disk.
 *
 * The commit completes the jobs first, which locks those that are still held, and writes the effects of these
 * only. A lost lease concerns its own job. If an effect cannot be written, or waits too long for a lock, nothing of
 * the commit is stored, and each of its jobs is completed in a commit of its own: only the failing one fails. If the
 * database is gone, all of them run again, and the fence refuses those that are stored already.
 */
export class CompletionBatcher<Effect> {
  private readonly together: CommitBatcher<Ended<Effect>, boolean>;
  private readonly alone: CommitBatcher<Ended<Effect>, boolean>;

  constructor(
    units: UnitOfWorkFactory,
    private readonly jobs: Jobs,
    label: Label,
    private readonly writeAll: WriteEffects<Effect>,
  ) {
    const completeAll = (tx: Tx, ended: readonly Ended<Effect>[]) => this.completeAll(tx, ended);
    this.together = new CommitBatcher(units, label, completeAll);
    this.alone = new CommitBatcher(units, label, completeAll, 1);
  }

  /** The last thing that a flow does. Throws LeaseLostError: the effect is not stored either. */
  async complete(claim: Claim, effect: Effect): Promise<void> {
    const ended = { claim, effect };
    const isStored = await this.together.submit(ended).catch((error: unknown) => {
      if (isDatabaseFailure(error) && !(error instanceof DatabaseBusyError)) throw error;
      return this.alone.submit(ended);
    });
    if (!isStored) throw this.jobs.leaseOf(claim).lost();
  }

  private async completeAll(tx: Tx, ended: readonly Ended<Effect>[]): Promise<boolean[]> {
    const held = await this.jobs.completeHeld(
      tx,
      ended.map(({ claim }) => claim),
    );
    const effects = ended.filter(({ claim }) => held.has(claim)).map(({ effect }) => effect);
    if (effects.length > 0) await this.writeAll(tx, effects);
    return ended.map(({ claim }) => held.has(claim));
  }
}
