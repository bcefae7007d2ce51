import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '../common/config';
import { currentTraceparent } from '../common/tracing';
import { type Tx, UnitOfWorkFactory } from '../common/uow';
import { type Claim, JobNotDeadError, JobRegistry, LeaseLostError } from './job';
import { HeldJobs } from './held-jobs';
import { type DoneRow, type EnqueuedJob, JobRepository } from './job.repository';
import { Cron, CronExpression } from '@nestjs/schedule';
import { storableError } from './job-runner';
import type { QueueName } from './queue-names';

/** A claim for statements that check by themselves (`isHeldSql`) whether it is held. */
export interface Lease {
  readonly jobId: string;
  readonly claimNo: number;
  /** To be called when it is not held any more; returns the error to throw. */
  lost(): LeaseLostError;
}

/**
 * Wakes the worker of this process because a queue has work. It only saves the wait for the next
 * poll: a lost wake-up costs a fraction of a second.
 */
@Injectable()
export class JobWakeSignal {
  private listener: (queue: QueueName) => void = () => undefined;

  onWake(listener: (queue: QueueName) => void): void {
    this.listener = listener;
  }

  wake(queue: QueueName): void {
    this.listener(queue);
  }
}

/** Jobs for other rooms: every method writes in the caller's transaction. */
@Injectable()
export class Jobs {
  constructor(
    private readonly repository: JobRepository,
    private readonly held: HeldJobs,
    private readonly signal: JobWakeSignal,
    private readonly settings: Settings,
  ) {}

  /**
   * Adds work for the key: opens a job, or joins the key's open job, which is then due at the
   * earlier of the two times and keeps its first payload. Work that must not be joined needs a key
   * of its own. The worker of this process is woken after the commit.
   */
  async enqueue(
    tx: Tx,
    job: { queue: QueueName; key: string; dueInMs: number; payload?: unknown },
  ): Promise<EnqueuedJob> {
    this.wakeAfter(tx, job.queue, job.dueInMs);
    return this.repository.enqueue(tx, { ...job, trace: currentTraceparent() });
  }

  /**
   * As enqueue, for many keys, which are locked in one order: two such commits never deadlock.
   * `traces`: by key, the trace that caused the work, when it is not the current one.
   */
  async enqueueAll(
    tx: Tx,
    jobs: {
      queue: QueueName;
      keys: readonly string[];
      dueInMs: number;
      traces?: readonly (string | null)[];
    },
  ): Promise<void> {
    this.wakeAfter(tx, jobs.queue, jobs.dueInMs);
    const traces = jobs.traces ?? jobs.keys.map(() => currentTraceparent());
    await this.repository.enqueueAll(tx, { ...jobs, traces });
  }

  /**
   * Wakes the worker after the commit; for a statement of another repository that makes a job due.
   * A job that is due later than one poll from now needs no wake-up: a poll reads its time before.
   */
  wakeAfter(tx: Tx, queue: QueueName, dueInMs = 0): void {
    if (dueInMs > this.settings.jobs.pollMs) return;
    tx.afterCommit(() => {
      this.signal.wake(queue);
    }, `wake:${queue}`);
  }

  /**
   * Locks the claim's row for the rest of the commit. Every commit of a flow calls it, as early as
   * the lock order allows. Throws LeaseLostError.
   */
  async fence(tx: Tx, claim: Claim): Promise<void> {
    this.requireHeld(await this.repository.fence(tx, claim), claim);
  }

  /** For statements that change nothing, so that nothing has to be rolled back. */
  leaseOf(claim: Claim): Lease {
    return { jobId: claim.jobId, claimNo: claim.claimNo, lost: () => this.lost(claim) };
  }

  /** Completes the job in the commit of its effect. Throws LeaseLostError, which rolls both back. */
  async complete(tx: Tx, claim: Claim): Promise<void> {
    this.held.find(claim)?.finish();
    this.requireHeld(await this.repository.complete(tx, claim), claim);
  }

  /**
   * Completes the job by a statement of the caller that also has its effect. The statement returns
   * a row only if the claim is held: (id, claim_no, running). Throws LeaseLostError.
   */
  async completeBy<Row>(claim: Claim, statement: () => Promise<Row[]>): Promise<Row> {
    this.held.find(claim)?.finish();
    const [row] = await statement();
    if (row === undefined) throw this.lost(claim);
    return row;
  }

  /** As fence, for many claims in one commit: returns those that are still held. */
  fenceAll(tx: Tx, claims: readonly Claim[]): Promise<Set<Claim>> {
    return this.repository.fenceAll(tx, claims);
  }

  /** Completes claims that this commit has fenced. Throws LeaseLostError. */
  async completeAll(tx: Tx, claims: readonly Claim[]): Promise<void> {
    const completed = await this.completeHeld(tx, claims);
    for (const claim of claims) this.requireHeld(completed.has(claim), claim);
  }

  /** As complete, for many claims in one commit: returns those that were still held. */
  async completeHeld(tx: Tx, claims: readonly Claim[]): Promise<Set<Claim>> {
    if (claims.length === 0) return new Set();
    for (const claim of claims) this.held.find(claim)?.finish();
    return this.repository.completeAll(tx, claims);
  }

  /**
   * Resets the failures of a dead job and makes it due. A claim whose statement has begun does not see
   * that, and takes a later job of the key first: where the order matters, the caller replays only
   * without a later job (see TurnReplay). Throws JobNotDeadError.
   */
  async replay(tx: Tx, jobId: string): Promise<{ queue: QueueName; key: string }> {
    const replayed = await this.repository.replay(tx, jobId);
    if (replayed === undefined) {
      throw new JobNotDeadError('only a dead job can be replayed', { fields: { jobId } });
    }
    return replayed;
  }

  /** Ends the key's waiting jobs and returns their ids. A running one is not changed. */
  cancel(tx: Tx, job: { queue: QueueName; key: string }): Promise<string[]> {
    return this.repository.cancel(tx, job);
  }

  /** Makes a job in `retry` dead without a further try; a person can replay it. */
  async abandon(tx: Tx, jobId: string): Promise<void> {
    await this.repository.abandon(tx, jobId);
  }

  /**
   * Deletes all jobs of these keys, and of keys `key:something`, in one queue or in all. A flow that
   * runs for one of them loses its lease: its next commit fails, and the next renewal aborts it.
   */
  async erase(tx: Tx, of: { queue?: QueueName; keys: readonly string[] }): Promise<void> {
    await this.repository.erase(tx, { queue: of.queue ?? null, keys: of.keys });
  }

  /** Deletes the jobs of these keys in every queue, ended ones too, except running ones. */
  async eraseIdle(tx: Tx, { keys }: { keys: readonly string[] }): Promise<void> {
    await this.repository.eraseIdle(tx, keys);
  }

  /** Jobs that this replica enqueued or claimed last, and that run or are due within that time. */
  countOwnDue(tx: Tx, of: { queue: QueueName; withinMs: number }): Promise<number> {
    return this.repository.countOwnDue(tx, of);
  }

  private requireHeld(isHeld: boolean, claim: Claim): void {
    if (!isHeld) throw this.lost(claim);
  }

  private lost(claim: Claim): LeaseLostError {
    this.held.find(claim)?.lose();
    return LeaseLostError.of(claim);
  }
}

const DONE_KEPT_MS = 24 * 3_600_000;
const BATCH = 1000;

/**
 * Deletes done jobs a day after their end, in small commits; never a dead one, and none that its
 * handler still needs.
 */
@Injectable()
export class DoneJobSweep {
  private readonly logger = new Logger('Jobs');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly registry: JobRegistry,
    private readonly jobs: JobRepository,
  ) {}

  @Cron(CronExpression.EVERY_10_MINUTES)
  async runOnSchedule(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      this.logger.warn(
        `deleting done jobs failed; it runs again in 10 minutes: ${storableError(error)}`,
      );
    }
  }

  /** Returns how many rows it deleted. */
  async run(): Promise<number> {
    return this.units.run('job.sweep', async (uow) => {
      const kept: string[] = [];
      for (let count = 0; ;) {
        const { read, deleted } = await uow.commit('job.sweep', (tx) => this.sweep(tx, kept));
        count += deleted.size;
        kept.push(...read.filter((jobId) => !deleted.has(jobId)));
        if (read.length < BATCH) return count;
      }
    });
  }

  /** One batch. `kept`: rows of earlier batches that were needed or locked. */
  private async sweep(
    tx: Tx,
    kept: readonly string[],
  ): Promise<{ read: string[]; deleted: Set<string> }> {
    const old = { keptMs: DONE_KEPT_MS, limit: BATCH, except: kept };
    const rows = await this.jobs.oldDone(tx, old);
    const needed = await this.neededOf(tx, rows);
    const read = rows.map(({ jobId }) => jobId);
    const done = read.filter((jobId) => !needed.has(jobId));
    const deleted = done.length === 0 ? new Set<string>() : await this.jobs.deleteDone(tx, done);
    return { read, deleted };
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
