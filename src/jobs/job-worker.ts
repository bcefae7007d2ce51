import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { QueueBreakers } from './breakers';
import { Heartbeat } from './heartbeat';
import type { RegisteredQueue } from './job';
import { JobRunner, storableError } from './job-runner';
import { JobMetrics } from './job.metrics';
import { JobWakeSignal } from './jobs.service';
import type { QueueName } from './queue-names';
import { ClaimCycle, type CycleOutcome } from './claim-cycle';

/**
 * The loop: renew leases, read the queues, claim, then sleep until the next of those is due.
 *
 *   idle ──start──> running ──stop──> stopped
 *
 * A drain calls, in this order: stopClaims (some queues, the rest later), waitUntilSettled,
 * handBack, stop. Leases are renewed until stop, so a flow that still runs keeps its lease.
 */
@Injectable()
export class JobWorker {
  private readonly logger = new Logger('Jobs');
  private readonly starters: (() => void)[] = [];
  private loop: Promise<void> | null = null;
  private cycling: Promise<unknown> = Promise.resolve();
  private sleeping = new AbortController();
  private readonly stopping = new AbortController();
  private isFailing = false;
  private lastTickAtMs: number;

  constructor(
    private readonly claimCycle: ClaimCycle,
    private readonly heartbeat: Heartbeat,
    private readonly runner: JobRunner,
    wakeSignal: JobWakeSignal,
    breakers: QueueBreakers,
    metrics: JobMetrics,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {
    this.lastTickAtMs = clock.monotonicMs();
    runner.onSettled((queue) => {
      this.claimCycle.slotFreed(queue);
      this.endSleep();
    });
    wakeSignal.onWake((queue) => {
      this.wake(queue);
    });
    breakers.onChange(() => {
      this.endSleep();
    });
    metrics.showTickAge(() => this.lastTickAgeMs());
  }

  start(): void {
    if (this.loop !== null) return;
    this.loop = this.run();
    for (const begin of this.starters) begin();
  }

  get isStarted(): boolean {
    return this.loop !== null;
  }

  /** `begin` runs when the worker starts: whatever brings work in from outside starts then. */
  onStart(begin: () => void): void {
    this.starters.push(begin);
  }

  /** One pass: renews leases if that is due, then claims. Returns how many jobs it claimed. */
  async tick(): Promise<number> {
    return (await this.cycle()).claimed;
  }

  /** Claims in the queue soon, without waiting for the next poll. */
  wake(queue: QueueName): void {
    if (this.claimCycle.isStopped(queue)) return;
    this.claimCycle.expect(queue);
    this.endSleep();
  }

  /** Resolves when no job of these queues (all by default) will be claimed any more. */
  async stopClaims(which: (queue: RegisteredQueue) => boolean = () => true): Promise<void> {
    this.claimCycle.stop(which);
    await this.cycling;
  }

  /** Resolves when no flow runs, at the latest after `deadlineMs`; true when none runs. */
  waitUntilSettled(deadlineMs: number): Promise<boolean> {
    return this.runner.waitUntilSettled(deadlineMs);
  }

  /**
   * Aborts every flow, waits, and makes the jobs of the flows that have ended due at once. A flow
   * that does not end in time keeps its claim until the lease ends: handed back earlier, its next
   * write could conflict with its successor's. Returns how many were handed back.
   */
  async handBack(waitMs = HAND_BACK_WAIT_MS): Promise<number> {
    this.runner.askBack();
    await this.waitUntilSettled(waitMs);
    const ended = [...this.runner.takeReturned(), ...this.runner.takeUnstored()];
    return this.heartbeat.handBack(ended);
  }

  /** Ends the loop and the renewals; resolves when no statement runs. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.endSleep();
    await this.loop;
    await this.cycling;
  }

  /** Time since the last pass that reached the database, for the readiness probe. */
  lastTickAgeMs(): number {
    return this.clock.monotonicMs() - this.lastTickAtMs;
  }

  /** Starts the next pass now. A second abort would do nothing but build an error object. */
  private endSleep(): void {
    if (!this.sleeping.signal.aborted) this.sleeping.abort();
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.sleeping = new AbortController();
      const sleepMs = await this.cycleOrPoll();
      await this.clock.sleep(Math.min(MIN_GAP_MS, sleepMs), this.stopping.signal);
      await this.clock.sleep(Math.ceil(sleepMs - MIN_GAP_MS), this.sleeping.signal);
    }
  }

  private async cycleOrPoll(): Promise<number> {
    const { pollMs } = this.settings.jobs;
    try {
      const { nextAtMs } = await this.cycle();
      this.isFailing = false;
      const nextInMs = Math.max(0, nextAtMs - this.clock.monotonicMs());
      return Math.min(nextInMs, pollMs, this.heartbeat.dueInMs());
    } catch (error) {
      if (!this.isFailing) {
        this.logger.error(
          `Job worker cannot reach the database; retrying: ${storableError(error)}`,
        );
      }
      this.isFailing = true;
      return pollMs;
    }
  }

  /** Passes never overlap. */
  private cycle(): Promise<CycleOutcome> {
    const cycle = this.cycling.then(() => this.renewAndClaim());
    this.cycling = cycle.catch(() => undefined);
    return cycle;
  }

  private async renewAndClaim(): Promise<CycleOutcome> {
    try {
      await this.heartbeat.renewIfDue();
      await this.handBackUnstored();
      const outcome = await this.claimCycle.run();
      this.lastTickAtMs = this.clock.monotonicMs();
      return outcome;
    } catch (error) {
      this.heartbeat.databaseUnreachable();
      throw error;
    }
  }

  /** Claims that could not be handed back are kept for the next pass. */
  private async handBackUnstored(): Promise<void> {
    const unstored = this.runner.takeUnstored();
    try {
      await this.heartbeat.handBack(unstored, UNSTORED_AGAIN_MS);
    } catch (error) {
      this.runner.keepUnstored(unstored);
      throw error;
    }
  }
}

/** Wake-ups that arrive within this time share one pass. */
const MIN_GAP_MS = 4;
/** How long handBack waits for aborted flows. */
const HAND_BACK_WAIT_MS = 5000;
/** Delay of a job whose end could not be stored, because the pool did not reach the database. */
const UNSTORED_AGAIN_MS = 5000;
