import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { QueueBreakers } from './breakers';
import { ClaimRepository, type QueueView } from './claim.repository';
import { HeldJobs, Heartbeat } from './heartbeat';
import { JobRegistry, type RegisteredQueue } from './job';
import { JobRunner, storableError } from './job-runner';
import { JobMetrics } from './job.metrics';
import { JobWakeSignal } from './jobs.service';
import type { QueueName } from './queue-names';

/** How soon a runner without room is asked again. */
const FULL_MS = 25;
/** The most rows of one claim statement; a queue with more free slots gets another pass at once. */
const BATCH = 100;

export interface CycleOutcome {
  readonly claimed: number;
  /** Monotonic time at which the next pass is useful; Infinity when nothing waits for one. */
  readonly nextAtMs: number;
}

/**
 * One pass: reads the queues that may claim, and claims what they hold. A row whose due time the
 * last pass has read is claimed at that time without another read, and so is a row that may wait for
 * the only slot of a queue. A renewal of leases that is due comes before the next statement.
 */
@Injectable()
export class ClaimCycle {
  /** By queue, the monotonic time at which a row becomes due that the last pass has read. */
  private readonly expectedAtMs = new Map<QueueName, number>();
  private readonly stopped = new Set<QueueName>();
  private cycles = 0;

  constructor(
    private readonly claims: ClaimRepository,
    private readonly heartbeat: Heartbeat,
    private readonly held: HeldJobs,
    private readonly registry: JobRegistry,
    private readonly breakers: QueueBreakers,
    private readonly runner: JobRunner,
    private readonly clock: Clock,
  ) {}

  /** Nothing of these queues is claimed any more. */
  stop(which: (queue: RegisteredQueue) => boolean): void {
    for (const queue of this.registry.all()) if (which(queue)) this.stopped.add(queue.queue);
  }

  isStopped(queue: QueueName): boolean {
    return this.stopped.has(queue);
  }

  /**
   * Claims in every registered queue that is not stopped, as far as slots, breakers and the runner's
   * room allow. The queues take turns in being the first, because room may be left for one alone.
   */
  async run(): Promise<CycleOutcome> {
    let claimed = await this.claimExpected();
    const claiming = this.claimingQueues();
    await this.heartbeat.renewIfDue();
    const views = claiming.length === 0 ? [] : await this.claims.readQueues(claiming);
    const readAtMs = this.clock.monotonicMs();
    for (const { queue, nextInMs } of views) {
      if (nextInMs !== null) this.expectedAtMs.set(queue, readAtMs + nextInMs);
    }
    // Not of a queue that claims nothing: its breaker stays open, and passes would follow at once.
    const nextProbeInMs = this.breakers.nextProbeInMs(this.workedQueues().map(nameOf));
    const nextInMs = Math.min(nextProbeInMs, ...views.map(nextDueInMs));
    this.cycles += 1;
    const first = this.cycles % Math.max(1, views.length);
    let isMore = false;
    for (const view of [...views.slice(first), ...views.slice(0, first)]) {
      const outcome = await this.claimIn(view);
      claimed += outcome.claimed;
      isMore ||= outcome.isMore;
    }
    const againInMs = this.runner.room > 0 ? 0 : FULL_MS;
    return { claimed, nextAtMs: readAtMs + (isMore ? Math.min(againInMs, nextInMs) : nextInMs) };
  }

  /** A full queue is not read, so a row that waits for its slot is claimed when the slot is free. */
  slotFreed(queue: QueueName): void {
    if (this.freeSlots(queue) === 1) this.expectedAtMs.set(queue, this.clock.monotonicMs());
  }

  private workedQueues(): RegisteredQueue[] {
    return this.registry
      .all()
      .filter(({ queue, handler }) => handler.isOn !== false && !this.isStopped(queue));
  }

  private claimingQueues(): RegisteredQueue[] {
    return this.workedQueues().filter(({ queue }) => this.slots(queue) > 0);
  }

  private async claimExpected(): Promise<number> {
    const nowMs = this.clock.monotonicMs();
    let claimed = 0;
    for (const { queue } of this.claimingQueues()) {
      if (this.runner.room === 0 || (this.expectedAtMs.get(queue) ?? Infinity) > nowMs) continue;
      this.expectedAtMs.delete(queue);
      claimed += await this.claimReady(queue, this.limit(queue));
    }
    return claimed;
  }

  /** Takes over first, also without room, because those jobs wait longest. */
  private async claimIn({
    queue,
    hasExpired,
    hasReady,
  }: QueueView): Promise<{ claimed: number; isMore: boolean }> {
    const takenOver = hasExpired ? await this.takeOver(queue) : 0;
    const limit = this.limit(queue);
    const ready = hasReady && limit > 0 ? await this.claimReady(queue, limit) : 0;
    const isMore = takenOver === BATCH || (hasReady && ready === limit);
    // Without slots the next pass follows when one is free.
    return { claimed: takenOver + ready, isMore: isMore && this.slots(queue) > 0 };
  }

  private async takeOver(queue: QueueName): Promise<number> {
    await this.heartbeat.renewIfDue();
    const sentAtMs = this.clock.monotonicMs();
    const rows = await this.claims.takeOver(this.registry.get(queue), this.slots(queue));
    for (const row of rows) this.runner.start(row, { sentAtMs, takenOver: true });
    return rows.length;
  }

  private async claimReady(queue: QueueName, limit: number): Promise<number> {
    await this.heartbeat.renewIfDue();
    const sentAtMs = this.clock.monotonicMs();
    const rows = await this.claims.claimReady(this.registry.get(queue), limit, () =>
      this.heartbeat.renewIfDue(),
    );
    for (const row of rows) this.runner.start(row, { sentAtMs, takenOver: false });
    return rows.length;
  }

  /** The most ready jobs of the next claim. */
  private limit(queue: QueueName): number {
    return Math.min(this.slots(queue), this.runner.room);
  }

  private slots(queue: QueueName): number {
    return Math.min(this.freeSlots(queue), BATCH, this.breakers.allowance(queue));
  }

  private freeSlots(queue: QueueName): number {
    return this.registry.get(queue).concurrency - this.held.count(queue);
  }
}

function nextDueInMs(view: QueueView): number {
  return view.nextInMs ?? Infinity;
}

function nameOf({ queue }: RegisteredQueue): QueueName {
  return queue;
}

/** Wake-ups that arrive within this time share one pass. */
const MIN_GAP_MS = 4;
/** How long handBack waits for aborted flows. */
const HAND_BACK_WAIT_MS = 5000;
/** Delay of a job whose end could not be stored, because the pool did not reach the database. */
const UNSTORED_AGAIN_MS = 5000;

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
    if (!this.claimCycle.isStopped(queue)) this.endSleep();
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
