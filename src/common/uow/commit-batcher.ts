import { type InFlow, captureFlow, outsideFlows, step } from '../tracing';
import { UnitOfWorkBusyError } from './errors';
import { type Tx, currentCommitLabel } from './transaction';
import type { UnitOfWork } from './unit-of-work';
import type { UnitOfWorkFactory } from './unit-of-work.factory';
import type { Label } from './labels';

/** More items than this are committed in several batches, unless a smaller number is given. */
const MAX_BATCH = 200;
/** Batches of one batcher that run at a time; each needs a connection of the pool. */
const MAX_RUNNING = 2;

/**
 * Handles many items in one transaction; returns as many results, in the same order. It runs in no flow:
 * `flows` runs what belongs to an item in the flow that submitted it.
 */
type HandleAll<Item, Result> = (
  tx: Tx,
  items: readonly Item[],
  flows: readonly InFlow[],
) => Promise<readonly Result[]>;

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly unit: UnitOfWork | undefined;
  readonly inFlow: InFlow;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits the items of many flows in few transactions. Otherwise thousands of readers that are woken at
 * once would use up the pool, and hundreds of writers would each wait for a disk.
 *
 *   submitted ──end of the tick, and fewer than two batches running──> committing ──> resolved
 *
 * No item joins a batch that has begun, so a result includes everything that was committed before its
 * item was submitted.
 *
 * A batch is one commit, and a commit has one unit: that of its first item whose unit is idle,
 * otherwise one that is opened for the batch. Readers that wake together give no unit, because the
 * commits of one stream would be the reads of hundreds of others; jobs give none, because a job's unit
 * waits for the connections that jobs share.
 */
export class CommitBatcher<Item, Result> {
  private waiting: Waiting<Item, Result>[] = [];
  private running = 0;

  constructor(
    private readonly units: UnitOfWorkFactory,
    /** The label of the commit, and of a unit that is opened for it. */
    private readonly label: Label,
    private readonly handleAll: HandleAll<Item, Result>,
    private readonly maxBatch = MAX_BATCH,
    /** `commitOne`: `handleAll` is one statement, as UnitOfWork.commitOne requires. */
    private readonly how: 'commit' | 'commitOne' = 'commit',
  ) {}

  /**
   * Resolves when the item is committed. Rejects with the error of its batch. `unit`: the unit of the
   * item's flow, which may commit the batch; the flow commits nothing with it meanwhile.
   */
  async submit(item: Item, unit?: UnitOfWork): Promise<Result> {
    const outer = currentCommitLabel();
    if (outer !== undefined) {
      throw new UnitOfWorkBusyError(`"${this.label}" was called inside the commit "${outer}"`);
    }
    return step({ name: `shared commit ${this.label}` }, () => this.enqueue(item, unit));
  }

  private enqueue(item: Item, unit: UnitOfWork | undefined): Promise<Result> {
    const inFlow = captureFlow();
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, unit, inFlow, resolve, reject });
      // Flows that are woken by the same event share the batch.
      if (this.waiting.length > 1) return;
      setImmediate(() => {
        outsideFlows(() => {
          this.startBatches();
        });
      });
    });
  }

  private startBatches(): void {
    while (this.waiting.length > 0 && this.running < MAX_RUNNING) {
      void this.commit(this.waiting.splice(0, this.maxBatch));
    }
  }

  private async commit(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    this.running += 1;
    const items = batch.map(({ item }) => item);
    const flows = batch.map(({ inFlow }) => inFlow);
    try {
      const commit = (uow: UnitOfWork): Promise<readonly Result[]> =>
        uow[this.how](this.label, (tx) => this.handleAll(tx, items, flows));
      const idle = batch.find(({ unit }) => unit?.isIdle)?.unit;
      const results = await (idle === undefined
        ? this.units.run(this.label, commit)
        : commit(idle));
      for (const [n, { resolve }] of batch.entries()) resolve(results[n] as Result);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.running -= 1;
      this.startBatches();
    }
  }
}
