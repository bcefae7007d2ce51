import { currentCommitLabel } from './commit-scope';
import { UnitOfWorkBusyError } from './errors';
import type { Tx } from './transaction';
import type { UnitOfWorkFactory } from './unit-of-work.factory';

/** More than that are done in several commits, unless a smaller number is given. */
const MAX_BATCH = 200;
/** Connections that all of one kind together take from the pool. */
const MAX_UNDER_WAY = 2;

/** Does in one transaction what many have asked for: as many answers, in the same order. */
type DoAll<Asked, Answer> = (tx: Tx, asked: readonly Asked[]) => Promise<readonly Answer[]>;

interface Waiting<Asked, Answer> {
  readonly asked: Asked;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * What many flows ask for one by one, done in few commits: thousands of readers that are woken at
 * once would otherwise empty the pool for everybody else, and hundreds of writers each wait for a
 * disk.
 *
 *   asked ──end of the tick, and fewer than two batches under way──> being done ──> answered
 *
 * A batch that has begun takes in nobody: an answer shows all that was committed before it was
 * asked for.
 */
export class CommitBatcher<Asked, Answer> {
  private waiting: Waiting<Asked, Answer>[] = [];
  private underWay = 0;

  constructor(
    private readonly units: UnitOfWorkFactory,
    /** Of the unit and of its commit. */
    private readonly label: string,
    private readonly doAll: DoAll<Asked, Answer>,
    private readonly maxBatch = MAX_BATCH,
    /** `commitOne`: `doAll` is one statement, as UnitOfWork.commitOne wants it. */
    private readonly how: 'commit' | 'commitOne' = 'commit',
  ) {}

  /** Resolves when it is committed. Rejects with whatever its batch failed with. */
  async submit(asked: Asked): Promise<Answer> {
    const outer = currentCommitLabel();
    if (outer !== undefined) {
      throw new UnitOfWorkBusyError(`"${this.label}" was asked inside the commit "${outer}"`);
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ asked, resolve, reject });
      // Whoever is woken by the same event comes along.
      if (this.waiting.length > 1) return;
      setImmediate(() => {
        this.goOn();
      });
    });
  }

  private goOn(): void {
    while (this.waiting.length > 0 && this.underWay < MAX_UNDER_WAY) {
      void this.commit(this.waiting.splice(0, this.maxBatch));
    }
  }

  private async commit(batch: readonly Waiting<Asked, Answer>[]): Promise<void> {
    this.underWay += 1;
    const all = batch.map(({ asked }) => asked);
    try {
      const answers = await this.units.run(this.label, (uow) =>
        uow[this.how](this.label, (tx) => this.doAll(tx, all)),
      );
      for (const [n, { resolve }] of batch.entries()) resolve(answers[n] as Answer);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.underWay -= 1;
      this.goOn();
    }
  }
}
