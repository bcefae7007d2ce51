import { describeError } from '../common/errors';
import { storable } from '../common/text';
import {
  CommitOutcomeUnknownError,
  DatabaseBusyError,
  DatabaseUnavailableError,
  PoolExhaustedError,
  UnitOfWorkFactory,
} from '../common/uow';
import { Injectable, Logger } from '@nestjs/common';
import { Clock, settledWithin } from '../common/clock';
import {
  type Claim,
  type DeadJob,
  type JobHandlerClass,
  JobNotCompletedError,
  JobPostponedError,
  JobPutBackError,
  JobRegistry,
  LeaseLostError,
  PeerUnavailableError,
  type RegisteredQueue,
} from './job';
import { Settings } from '../common/config';
import { Flow, errorTypeOf } from '../common/tracing';
import { giveBackDelayMs, retryDelayMs, QueueBreakers } from './breakers';
import type { ClaimedRow, EndedClaim } from './claim.repository';
import { HeldJob, HeldJobs } from './held-jobs';
import { JobMetrics } from './job.metrics';
import type { QueueName } from './queue-names';
import { JobEndings } from './job-endings';

/** Runs claimed jobs and decides how each claim ends. It neither claims nor renews. */
@Injectable()
export class JobRunner {
  private readonly logger = new Logger('Jobs');
  private returned: EndedClaim[] = [];
  private unstored: EndedClaim[] = [];
  private settled: (queue: QueueName) => void = () => undefined;

  constructor(
    private readonly registry: JobRegistry,
    private readonly held: HeldJobs,
    private readonly breakers: QueueBreakers,
    private readonly endings: JobEndings,
    private readonly units: UnitOfWorkFactory,
    private readonly metrics: JobMetrics,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /** The listener is called after each flow: a slot is free, and its key may have another job. */
  onSettled(listener: (queue: QueueName) => void): void {
    this.settled = listener;
  }

  /**
   * How many more jobs may start now. More would only wait for a connection, and a crash meanwhile
   * would count as a lost claim of each.
   */
  get room(): number {
    return Math.max(0, MOST_WAITING - this.units.waitingForJobs);
  }

  /** `sentAtMs`: monotonic time at which the claim statement was sent. */
  start(row: ClaimedRow, options: { sentAtMs: number; takenOver: boolean }): void {
    const { takenOver } = options;
    const claim = claimOf(row, takenOver);
    const deadlineMs = options.sentAtMs + this.settings.jobs.leaseMs;
    const isProbe = this.breakers.claimed(claim.queue);
    const uow = this.units.openForJob(claim.queue);
    const held = new HeldJob(claim, this.clock, deadlineMs, isProbe, uow, () => {
      this.breakers.peerResponded(claim.queue, claim.jobId);
    });
    // Without an earlier failure: since this attempt began.
    const failedSinceMs = options.sentAtMs - (row.failedMsAgo ?? 0);
    this.held.add(held);
    const firstLatenessMs = claim.claimNo === 1 ? row.latenessMs : null;
    this.metrics.claimed(claim.queue, { takenOver, firstLatenessMs });
    const flow = this.flowOf(row);
    void flow.run(() => this.runToEnd(held, { ...row, failedSinceMs }, flow));
  }

  /** Aborts every flow, so that its job can be handed back. */
  askBack(): void {
    for (const held of this.held.all()) held.askBack();
  }

  /** Resolves when no flow runs, at the latest after `deadlineMs`; true when none runs. */
  async waitUntilSettled(deadlineMs: number): Promise<boolean> {
    await settledWithin(this.clock, deadlineMs, this.held.whenEmpty());
    return this.held.all().length === 0;
  }

  /** Claims that were asked back and whose flows have ended; each is returned once. */
  takeReturned(): EndedClaim[] {
    return this.returned.splice(0);
  }

  /**
   * Claims whose end could not be stored, because the pool did not reach the database; each is returned
   * once, unless it is given to keepUnstored. The claim connection may still reach it. Without it, their
   * leases end as if this process had crashed: failures are not counted, and ten ends make a job dead.
   */
  takeUnstored(): EndedClaim[] {
    return this.unstored.splice(0);
  }

  /** The claims of takeUnstored could not be handed back; the next call returns them again. */
  keepUnstored(claims: readonly EndedClaim[]): void {
    this.unstored.push(...claims);
  }

  private flowOf({ queue, jobId, claimNo, trace }: ClaimedRow): Flow {
    const { continuesTrace } = this.registry.get(queue);
    return Flow.begin({
      name: `job ${queue}`,
      kind: 'consumer',
      ...(continuesTrace ? { parent: trace } : { cause: trace }),
      attributes: {
        'colloquy.queue': queue,
        'colloquy.job.id': jobId,
        'colloquy.job.claim': claimNo,
      },
    });
  }

  private async runToEnd(held: HeldJob, history: JobHistory, flow: Flow): Promise<void> {
    const { claim } = held;
    const startedMs = this.clock.monotonicMs();
    let errorType: string | null = null;
    try {
      const queue = this.registry.get(claim.queue);
      const exhausted = exhaustion(claim, history, queue);
      if (exhausted === null) {
        const error = await outcomeOf(queue.handler, held);
        errorType = error === null ? null : errorTypeOf(error);
        await this.conclude(queue, held, history, error);
      } else {
        held.finish();
        await this.markDead(queue, { ...claim, ...exhausted }, claim.failures);
      }
    } catch (error) {
      errorType = errorTypeOf(error);
      // The row stays running until its claim is handed back or its lease ends.
      if (error instanceof LeaseLostError) {
        this.metrics.lost(claim.queue);
        this.warn(claim, 'the lease was lost', 'another claim has the job, or the job was deleted');
      } else {
        const cause = storableError(error);
        this.logger.error(
          `${nameOf(claim)}: its result could not be stored; the job runs again, at the latest when its lease has ended: ${cause}`,
        );
      }
    } finally {
      this.metrics.ran(claim.queue, this.clock.monotonicMs() - startedMs);
      flow.end({}, errorType);
      held.uow.close();
      this.held.remove(held);
      if (held.isProbe) this.breakers.probeVanished(claim.queue);
      this.settled(claim.queue);
    }
  }

  private async conclude(
    registered: RegisteredQueue,
    held: HeldJob,
    history: JobHistory,
    error: unknown,
  ): Promise<void> {
    const { claim } = held;
    const { queue } = claim;
    if (error === null) {
      this.metrics.completed(queue);
      return;
    }
    if (error instanceof JobPutBackError) {
      this.metrics.gaveBack(queue);
      return;
    }
    if (held.wasLost || error instanceof LeaseLostError) throw LeaseLostError.of(claim);
    if (held.wasAskedBack) {
      this.returned.push(claim);
      return;
    }
    held.finish();
    if (error instanceof JobPostponedError) {
      this.metrics.gaveBack(queue);
      await this.giveBack(claim, error, error.againInMs);
      return;
    }
    if (error instanceof PeerUnavailableError && this.isOwnFailure(claim, history, error)) {
      const reason = 'the peer responds to other jobs and fails only for this one';
      await this.fail(registered, claim, `${reason}: ${storableError(error)}`);
    } else if (error instanceof PeerUnavailableError) {
      this.metrics.gaveBack(queue);
      this.breakers.peerFailed(claim, error, held.isProbe);
      const delayMs = giveBackDelayMs(history.givenBack + 1, Math.random());
      this.warn(claim, `its peer is unavailable, ${againIn(delayMs)}`, storableError(error));
      await this.giveBack(claim, error, delayMs);
    } else if (isDatabaseFailure(error)) {
      this.metrics.gaveBack(queue);
      const delayMs = retryDelayMs(1, Math.random());
      this.warn(claim, `the database failed, ${againIn(delayMs)}`, storableError(error));
      await this.giveBack(claim, error, delayMs);
    } else {
      await this.fail(registered, claim, storableError(error));
    }
  }

  private giveBack(claim: Claim, error: unknown, delayMs: number): Promise<void> {
    return this.store(claim, () => this.endings.giveBack(claim, storableError(error), delayMs));
  }

  /** Stores the end of a claim; if the database fails, it is kept for takeUnstored. */
  private async store(ended: EndedClaim, end: () => Promise<void>): Promise<void> {
    try {
      await end();
    } catch (failure) {
      if (isDatabaseFailure(failure)) this.unstored.push(ended);
      throw failure;
    }
  }

  /**
   * A peer that has responded to another job since this one failed, or since this attempt began, is
   * available: it fails because of what this job sends. Without this rule one prompt that a firewall
   * refuses would stop the whole queue.
   */
  private isOwnFailure(
    { queue, jobId }: Claim,
    { failedSinceMs }: JobHistory,
    error: PeerUnavailableError,
  ): boolean {
    return (
      error.mayConcernJobOnly && this.breakers.hasRespondedToOthers(queue, jobId, failedSinceMs)
    );
  }

  private async fail(registered: RegisteredQueue, claim: Claim, error: string): Promise<void> {
    this.metrics.failed(claim.queue);
    const failures = claim.failures + 1;
    const ended = { ...claim, ownFailure: { failures, error } };
    if (failures < registered.maxFailures) {
      const delayMs = retryDelayMs(failures, Math.random());
      this.warn(claim, `failed, ${againIn(delayMs)}`, error);
      await this.store(ended, () => this.endings.scheduleRetry(claim, error, delayMs));
      return;
    }
    this.warn(claim, 'failed for the last time', error);
    try {
      await this.markDead(registered, { ...claim, reason: 'failed', error }, failures);
    } catch (deadError) {
      const count = () => this.endings.countFailure(claim, error);
      if (!(deadError instanceof LeaseLostError)) await this.store(ended, count);
      throw deadError;
    }
  }

  private warn(claim: Claim, what: string, error: string): void {
    this.logger.warn(`${nameOf(claim)}: ${what}: ${error}`);
  }

  private async markDead(
    { handler }: RegisteredQueue,
    job: DeadJob,
    failures: number,
  ): Promise<void> {
    await this.endings.markDead(handler, job, failures);
    this.metrics.died(job.queue);
    this.logger.error(`${nameOf(job)} is dead and is not tried again: ${job.error}`);
  }
}

/** No more jobs are claimed while this many wait for a connection. */
const MOST_WAITING = 24;

const DESCRIPTION_LIMIT = 500;

/**
 * One line for `job.last_error` and the log, without what PostgreSQL cannot store. The cut may leave
 * half a surrogate pair, so it comes first.
 */
export function storableError(error: unknown): string {
  return storable(describeError(error).slice(0, DESCRIPTION_LIMIT), '');
}

/** The database failed or was busy, which is not a failure of the job. */
export function isDatabaseFailure(error: unknown): boolean {
  return (
    error instanceof DatabaseUnavailableError ||
    error instanceof DatabaseBusyError ||
    error instanceof PoolExhaustedError ||
    error instanceof CommitOutcomeUnknownError
  );
}

function againIn(ms: number): string {
  return `tried again in ${String(Math.round(ms / 100) / 10)} s`;
}

/** What the row says about earlier claims of the job. */
interface JobHistory extends Pick<ClaimedRow, 'claimsWithoutProgress' | 'givenBack' | 'lastError'> {
  /** Monotonic time of the last failure, or of the start of this claim when there was none. */
  readonly failedSinceMs: number;
}

/** Null after a run that completed its job; otherwise the error that it threw. */
async function outcomeOf(handler: JobHandlerClass, held: HeldJob): Promise<unknown> {
  try {
    await handler.run(held.claim, held);
  } catch (error) {
    return error ?? new Error('the handler threw undefined');
  }
  if (held.isFinishing) return null;
  return new JobNotCompletedError('the handler returned without completing its job');
}

/** Claims in a row that ended without a stored result, by a crash or a freeze, before a job is dead. */
const MAX_CLAIMS_WITHOUT_PROGRESS = 10;

/** Why a claimed job must not run again; null when it may. */
function exhaustion(
  claim: Claim,
  { claimsWithoutProgress, lastError }: JobHistory,
  { maxFailures }: RegisteredQueue,
): Pick<DeadJob, 'reason' | 'error'> | null {
  if (claim.failures >= maxFailures) {
    return { reason: 'failed', error: lastError ?? `failed ${claim.failures} times` };
  }
  if (claimsWithoutProgress > MAX_CLAIMS_WITHOUT_PROGRESS) {
    const lost = claimsWithoutProgress - 1;
    return { reason: 'crashed', error: `${lost} claims ended without a result` };
  }
  return null;
}

function claimOf(row: ClaimedRow, takenOver: boolean): Claim {
  const { jobId, queue, key, claimNo, failures, payload, dueAt, firstAt } = row;
  return { jobId, queue, key, claimNo, failures, payload, dueAt, firstAt, takenOver };
}

function nameOf(claim: Claim): string {
  return `job ${claim.jobId} of ${claim.queue}, claim ${claim.claimNo}`;
}
