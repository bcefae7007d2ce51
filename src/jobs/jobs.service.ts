import { ReplicaId } from './claim.repository';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock';
import { type Tx, type UnitOfWork, UnitOfWorkFactory } from '../common/uow';
import { LeaseLostError, JobNotDeadError, type Claim } from './job';
import { HeldJobs } from './held-jobs';
import type { Statement } from './job.repository';
import { JobRegistry } from './job-registry';
import * as sql from './job.repository';
import { Cron, CronExpression } from '@nestjs/schedule';
import { describeError } from './job-runner';

export interface EnqueuedJob {
  readonly jobId: string;
  readonly dueAt: Date;
  /** False when the work joined the key's open job. */
  readonly isNew: boolean;
}

/** A claim whose statements ask by themselves (`isHeldSql`) whether it is held. */
export interface Lease {
  readonly jobId: string;
  readonly claimNo: number;
  /** They have found that it is not. Answers what is to be thrown. */
  lost(): LeaseLostError;
}

/**
 * Tells the worker of this process that a queue has work. It only saves the wait for the next poll:
 * a wake-up that is lost costs a fraction of a second.
 */
@Injectable()
export class WakeSignal {
  private listener: (queue: string) => void = () => undefined;

  onWake(listener: (queue: string) => void): void {
    this.listener = listener;
  }

  wake(queue: string): void {
    this.listener(queue);
  }
}

/** Jobs as their callers see them: every method writes in the caller's transaction. */
@Injectable()
export class Jobs {
  constructor(
    private readonly clock: Clock,
    private readonly held: HeldJobs,
    private readonly replica: ReplicaId,
    private readonly signal: WakeSignal,
  ) {}

  /**
   * Says that there is work for the key. An open job of the key is made due sooner if need be,
   * and keeps the payload of its first upsert: what must not merge belongs into the key. The worker
   * of this process is woken after the commit.
   */
  async enqueue(
    tx: Tx,
    job: { queue: string; key: string; dueInMs: number; payload?: unknown },
  ): Promise<EnqueuedJob> {
    this.wakeAfter(tx, job.queue);
    const rows = await run<sql.EnqueuedRow>(
      tx,
      sql.upsert({
        queue: job.queue,
        key: job.key,
        dueInMs: job.dueInMs,
        payload: job.payload,
        worker: this.replica.value,
        now: this.clock.databaseNow(),
      }),
    );
    return firstOf(rows);
  }

  /** The same for many keys, in one order for all: two that do this do not wait for each other. */
  async enqueueAll(
    tx: Tx,
    jobs: { queue: string; keys: readonly string[]; dueInMs: number },
  ): Promise<void> {
    this.wakeAfter(tx, jobs.queue);
    const [worker, now] = [this.replica.value, this.clock.databaseNow()];
    await run(tx, sql.upsertAll({ ...jobs, worker, now }));
  }

  /** For a statement of another repository that makes a job of the queue due. */
  wakeAfter(tx: Tx, queue: string): void {
    tx.afterCommit(() => {
      this.signal.wake(queue);
    }, `wake:${queue}`);
  }

  /** Every commit of a job's flow holds it, as early as its lock order allows. Or LeaseLostError. */
  async fence(tx: Tx, claim: Claim): Promise<void> {
    this.requireRow(await run(tx, sql.fence(claim)), claim);
  }

  /** For statements that have no effect of their own to undo. */
  leaseOf(claim: Claim): Lease {
    const lost = (): LeaseLostError => {
      this.held.find(claim)?.lose();
      return LeaseLostError.of(claim);
    };
    return { jobId: claim.jobId, claimNo: claim.claimNo, lost };
  }

  /** Ends the job in the commit of its effect. Throws LeaseLostError, which undoes the effect. */
  async complete(tx: Tx, claim: Claim): Promise<void> {
    this.held.find(claim)?.finish();
    this.requireRow(await run(tx, sql.complete(claim, this.clock.databaseNow())), claim);
  }

  /**
   * Ends the job by a statement of the caller's, which has its effect, and answers with rows, only
   * where the claim is held: (id, claim_no, running). Throws LeaseLostError.
   */
  async completeBy<Row>(claim: Claim, statement: () => Promise<Row[]>): Promise<Row> {
    this.held.find(claim)?.finish();
    const rows = await statement();
    this.requireRow(rows, claim);
    return firstOf(rows);
  }

  /** The same for many in one commit: answers those that are still held, and what is not, is left out. */
  async fenceAll(tx: Tx, claims: readonly Claim[]): Promise<Set<Claim>> {
    const rows = await run<{ jobId: string }>(tx, sql.fenceAll(claims));
    const held = new Set(rows.map(({ jobId }) => jobId));
    return new Set(claims.filter(({ jobId }) => held.has(jobId)));
  }

  /** Of claims that are fenced in this commit. Throws LeaseLostError. */
  async completeAll(tx: Tx, claims: readonly Claim[]): Promise<void> {
    if (claims.length === 0) return;
    for (const claim of claims) this.held.find(claim)?.finish();
    const rows = await run<{ jobId: string }>(
      tx,
      sql.completeAll(claims, this.clock.databaseNow()),
    );
    const ended = new Set(rows.map(({ jobId }) => jobId));
    for (const claim of claims) this.requireRow(ended.has(claim.jobId) ? [claim] : [], claim);
  }

  /** Gives a dead job a new budget and makes it due. Throws JobNotDeadError. */
  async replay(tx: Tx, jobId: string): Promise<{ queue: string; key: string }> {
    const rows = await run<{ queue: string; key: string }>(
      tx,
      sql.replay(jobId, this.clock.databaseNow()),
    );
    const [row] = rows;
    if (row === undefined) {
      throw new JobNotDeadError('only a dead job can be replayed', { fields: { jobId } });
    }
    return row;
  }

  /** Ends the key's jobs that wait; answers their ids. A running one is not touched. */
  async cancel(tx: Tx, job: { queue: string; key: string }): Promise<string[]> {
    const rows = await run<{ jobId: string }>(
      tx,
      sql.cancel({ ...job, now: this.clock.databaseNow() }),
    );
    return rows.map((row) => row.jobId);
  }

  /** Makes a job in `retry` dead without a further try; a person can replay it. */
  async abandon(tx: Tx, jobId: string): Promise<void> {
    await run(tx, sql.abandon(jobId, this.clock.databaseNow()));
  }

  /**
   * Nothing is left of what was to be done about these keys, or about `key:something`, in one queue
   * or in all. A flow that runs for one loses its lease: its next commit fails, and its next beat
   * aborts it.
   */
  async erase(tx: Tx, of: { queue?: string; keys: readonly string[] }): Promise<void> {
    await run(tx, sql.erase({ queue: of.queue ?? null, keys: of.keys }));
  }

  /** The same for jobs of every queue that no flow runs for, ended ones among them. */
  async eraseIdle(tx: Tx, { keys }: { keys: readonly string[] }): Promise<void> {
    await run(tx, sql.eraseIdle(keys));
  }

  /** Jobs that this replica enqueued or claimed last, and that run or are due within that time. */
  async countOwnDue(tx: Tx, of: { queue: string; withinMs: number }): Promise<number> {
    const [worker, now] = [this.replica.value, this.clock.databaseNow()];
    const rows = await run<{ count: number }>(tx, sql.countOwnDue({ ...of, worker, now }));
    return firstOf(rows).count;
  }

  private requireRow(rows: readonly unknown[], claim: Claim): void {
    if (rows.length > 0) return;
    this.held.find(claim)?.lose();
    throw LeaseLostError.of(claim);
  }
}

function run<Row>(tx: Tx, statement: Statement): Promise<Row[]> {
  return tx.query<Row>(statement.text, statement.values);
}

function firstOf<Row>(rows: readonly Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('the statement returned no row');
  return row;
}

const DONE_KEPT_MS = 24 * 3_600_000;
const BATCH = 1000;

/** The last row that a batch has looked at. */
interface SweepPosition {
  readonly endedAt: string;
  readonly id: string;
}

interface DoneRow {
  readonly jobId: string;
  readonly queue: string;
  readonly endedAt: string;
}

/**
 * Deletes done jobs a day after their end, in small commits. Never a dead one, nor one that its
 * queue's handler still needs.
 */
@Injectable()
export class DoneJobSweep {
  private readonly logger = new Logger('Jobs');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly registry: JobRegistry,
    private readonly clock: Clock,
  ) {}

  @Cron(CronExpression.EVERY_10_MINUTES)
  async runOnSchedule(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.logger.warn(`the sweep of done jobs failed: ${describeError(error)}`);
    }
  }

  /** Returns how many rows it deleted. */
  async run(): Promise<number> {
    return this.units.run('job.sweep', async (uow) => {
      let after: SweepPosition | null = null;
      for (let deleted = 0; ;) {
        const batch = await this.sweepBatch(uow, after);
        deleted += batch.deleted;
        after = batch.next;
        if (after === null) return deleted;
      }
    });
  }

  private sweepBatch(
    uow: UnitOfWork,
    after: SweepPosition | null,
  ): Promise<{ deleted: number; next: SweepPosition | null }> {
    return uow.commit('job.sweep', async (tx) => {
      const now = this.clock.databaseNow();
      const rows = await run<DoneRow>(
        tx,
        sql.oldDone({ keptMs: DONE_KEPT_MS, limit: BATCH, now, after }),
      );
      const needed = await this.neededOf(tx, rows);
      const done = rows.map(({ jobId }) => jobId).filter((jobId) => !needed.has(jobId));
      const deleted = done.length === 0 ? 0 : (await run(tx, sql.deleteDone(done))).length;
      const last = rows.length < BATCH ? undefined : rows.at(-1);
      return {
        deleted,
        next: last === undefined ? null : { endedAt: last.endedAt, id: last.jobId },
      };
    });
  }

  private async neededOf(tx: Tx, rows: readonly DoneRow[]): Promise<Set<string>> {
    const needed = new Set<string>();
    for (const { queue, handler } of this.registry.all()) {
      const own = rows.filter((row) => row.queue === queue).map(({ jobId }) => jobId);
      if (own.length === 0 || handler.stillNeeded === undefined) continue;
      for (const jobId of await handler.stillNeeded(tx, own)) needed.add(jobId);
    }
    return needed;
  }
}
