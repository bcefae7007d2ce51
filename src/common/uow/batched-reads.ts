import { currentCommitLabel } from './commit-scope';
import { UnitOfWorkBusyError } from './errors';
import type { Tx } from './tx';
import type { UnitsOfWork } from './units-of-work';

/** More questions than that are asked in several commits. */
const MAX_BATCH = 200;
/** Connections that all readers together take from the pool. */
const MAX_UNDER_WAY = 2;

/** Answers many questions in one transaction: as many answers, in the same order. */
type ReadAll<Question, Answer> = (
  tx: Tx,
  questions: readonly Question[],
) => Promise<readonly Answer[]>;

interface Waiting<Question, Answer> {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads that many flows ask for one by one, made in few commits: thousands of readers that are
 * woken at once would otherwise empty the pool for everybody else.
 *
 *   asked ──end of the tick, and fewer than two batches under way──> being read ──> answered
 *
 * A batch that has begun takes in nobody: an answer shows all that was committed before it was
 * asked for.
 */
export class BatchedReads<Question, Answer> {
  private waiting: Waiting<Question, Answer>[] = [];
  private underWay = 0;

  constructor(
    private readonly units: UnitsOfWork,
    /** Of the unit and of its commit. */
    private readonly label: string,
    private readonly readAll: ReadAll<Question, Answer>,
  ) {}

  /** Rejects with whatever its batch failed with. */
  async ask(question: Question): Promise<Answer> {
    const outer = currentCommitLabel();
    if (outer !== undefined) {
      throw new UnitOfWorkBusyError(`"${this.label}" was asked inside the commit "${outer}"`);
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, resolve, reject });
      // Whoever is woken by the same event comes along.
      if (this.waiting.length > 1) return;
      setImmediate(() => {
        this.readOn();
      });
    });
  }

  private readOn(): void {
    while (this.waiting.length > 0 && this.underWay < MAX_UNDER_WAY) {
      void this.read(this.waiting.splice(0, MAX_BATCH));
    }
  }

  private async read(batch: readonly Waiting<Question, Answer>[]): Promise<void> {
    this.underWay += 1;
    const questions = batch.map(({ question }) => question);
    try {
      const answers = await this.units.run(this.label, (uow) =>
        uow.commit(this.label, (tx) => this.readAll(tx, questions)),
      );
      for (const [n, { resolve }] of batch.entries()) resolve(answers[n] as Answer);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.underWay -= 1;
      this.readOn();
    }
  }
}
