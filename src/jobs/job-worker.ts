import { TakeoverGuard } from './takeover-guard';
import { WakeSignal } from './jobs.service';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../common/clock';
import { type QueueView, ClaimRepository } from './claim.repository';
import { Heartbeat } from './heartbeat';
import { HeldJobs } from './held-jobs';
import { QueueBreakers } from './breakers';
import { JobRegistry, type RegisteredQueue } from './job-registry';
import { JobRunner, describeError } from './job-runner';
import { Settings } from '../common/config';
import { JobMetrics } from './job.metrics';

/** Bounds one claim statement; a queue with more free slots gets another pass at once. */
const BATCH = 100;

export interface PassOutcome {
  readonly claimed: number;
  /** Monotonic time at which the next pass is worth while; Infinity when nothing waits for one. */
  readonly nextAtMs: number;
}

/**
 * One look at the queues that may claim, and the claims that it leads to. A row that the last look
 * saw coming is claimed at its time without being looked at again, and so is what may wait for the
 * only free slot of a queue. Beats that become due meanwhile
 * come before the next statement.
 */
@Injectable()
export class ClaimPass {
  /** By queue, the monotonic time at which the last look saw a row become due. */
  private readonly expectedAtMs = new Map<string, number>();

  constructor(
    private readonly claims: ClaimRepository,
    private readonly heartbeat: Heartbeat,
    private readonly held: HeldJobs,
    private readonly registry: JobRegistry,
    private readonly breakers: QueueBreakers,
    private readonly runner: JobRunner,
    private readonly clock: Clock,
  ) {}

  /** Claims in every registered queue but the stopped ones, as far as slots and breakers allow. */
  async run(stopped: ReadonlySet<string>): Promise<PassOutcome> {
    const expected = await this.claimExpected(stopped);
    const able = this.able(stopped);
    await this.heartbeat.beatIfDue();
    const views = able.length === 0 ? [] : await this.claims.look(able);
    const lookedAtMs = this.clock.monotonicMs();
    for (const { queue, nextInMs } of views) {
      if (nextInMs !== null) this.expectedAtMs.set(queue, lookedAtMs + nextInMs);
    }
    const nextInMs = Math.min(this.breakers.nextProbeInMs(), ...views.map(nextDueInMs));
    let claimed = expected;
    let isBatchFull = false;
    for (const view of views) {
      const count = await this.claimIn(view);
      claimed += count;
      isBatchFull ||= count >= BATCH;
    }
    return { claimed, nextAtMs: isBatchFull ? 0 : lookedAtMs + nextInMs };
  }

  /** A queue that was full is not looked at, so what waits for its slot is claimed at once. */
  slotFreed(queue: string): void {
    if (this.freeSlots(queue) === 1) this.expectedAtMs.set(queue, this.clock.monotonicMs());
  }

  private able(stopped: ReadonlySet<string>): RegisteredQueue[] {
    return this.registry
      .all()
      .filter(({ queue, handler }) => handler.isOn !== false && !stopped.has(queue))
      .filter(({ queue }) => this.limit(queue) > 0);
  }

  private async claimExpected(stopped: ReadonlySet<string>): Promise<number> {
    const nowMs = this.clock.monotonicMs();
    let claimed = 0;
    for (const { queue } of this.able(stopped)) {
      if ((this.expectedAtMs.get(queue) ?? Infinity) > nowMs) continue;
      this.expectedAtMs.delete(queue);
      claimed += await this.claimReady(queue);
    }
    return claimed;
  }

  private async claimIn({ queue, hasExpired, hasReady }: QueueView): Promise<number> {
    let claimed = 0;
    if (hasExpired) claimed += await this.takeOver(queue);
    if (hasReady && this.limit(queue) > 0) claimed += await this.claimReady(queue);
    return claimed;
  }

  private async takeOver(queue: string): Promise<number> {
    await this.heartbeat.beatIfDue();
    const sentAtMs = this.clock.monotonicMs();
    const rows = await this.claims.takeOver(this.registry.get(queue), this.limit(queue));
    for (const row of rows) this.runner.start(row, { sentAtMs, takenOver: true });
    return rows.length;
  }

  private async claimReady(queue: string): Promise<number> {
    await this.heartbeat.beatIfDue();
    const sentAtMs = this.clock.monotonicMs();
    const rows = await this.claims.claimReady(this.registry.get(queue), this.limit(queue), () =>
      this.heartbeat.beatIfDue(),
    );
    for (const row of rows) this.runner.start(row, { sentAtMs, takenOver: false });
    return rows.length;
  }

  private limit(queue: string): number {
    return Math.min(this.freeSlots(queue), BATCH, this.breakers.allowance(queue));
  }

  private freeSlots(queue: string): number {
    return this.registry.get(queue).concurrency - this.held.count(queue);
  }
}

function nextDueInMs(view: QueueView): number {
  return view.nextInMs ?? Infinity;
}

/** Wake-ups that arrive within this time share one pass. */
const MIN_GAP_MS = 4;
/** How long hand-back waits for aborted flows. */
const HAND_BACK_WAIT_MS = 5000;

/**
 * The loop: beat, look, claim, then sleep until the next of those is due. It starts when told to.
 *
 *   idle ──start──> running ──stop──> stopped
 *
 * A drain calls, in this order: stopClaims (some queues, the rest later), waitUntilSettled,
 * handBack, stop. Beats go on until stop: a flow that still runs keeps its lease.
 */
@Injectable()
export class JobWorker {
  private readonly logger = new Logger('Jobs');
  private readonly stopped = new Set<string>();
  private readonly starters: (() => void)[] = [];
  private loop: Promise<void> | null = null;
  private passing: Promise<unknown> = Promise.resolve();
  private sleeping = new AbortController();
  private readonly stopping = new AbortController();
  private isFailing = false;
  private lastTickAtMs: number;

  constructor(
    private readonly claimPass: ClaimPass,
    private readonly heartbeat: Heartbeat,
    private readonly claims: ClaimRepository,
    private readonly contact: TakeoverGuard,
    private readonly runner: JobRunner,
    private readonly held: HeldJobs,
    private readonly registry: JobRegistry,
    wakeSignal: WakeSignal,
    breakers: QueueBreakers,
    metrics: JobMetrics,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {
    this.lastTickAtMs = clock.monotonicMs();
    runner.onSettled((queue) => {
      this.claimPass.slotFreed(queue);
      this.sleeping.abort();
    });
    wakeSignal.onWake((queue) => {
      this.wake(queue);
    });
    breakers.onChange(() => {
      this.sleeping.abort();
    });
    metrics.showTickAge(() => this.lastTickAgeMs());
  }

  start(): void {
    if (this.loop !== null) return;
    this.loop = this.run();
    for (const begin of this.starters) begin();
  }

  /** Called once the process takes work: what brings work in from outside begins then. */
  onStart(begin: () => void): void {
    this.starters.push(begin);
  }

  /** One pass: a beat if it is due, then claims. Answers how many jobs it claimed. */
  async tick(): Promise<number> {
    return (await this.pass()).claimed;
  }

  /** Claims of the queue soon, without waiting for the next poll. */
  wake(queue: string): void {
    if (!this.stopped.has(queue)) this.sleeping.abort();
  }

  /** Resolves when nothing of these queues (all by default) will be claimed any more. */
  async stopClaims(which: (queue: RegisteredQueue) => boolean = () => true): Promise<void> {
    for (const queue of this.registry.all()) if (which(queue)) this.stopped.add(queue.queue);
    await this.passing;
  }

  /** Resolves when no flow runs, at the latest after `deadlineMs`; true when none runs. */
  async waitUntilSettled(deadlineMs: number): Promise<boolean> {
    const timer = new AbortController();
    await Promise.race([this.held.whenEmpty(), this.clock.sleep(deadlineMs, timer.signal)]);
    timer.abort();
    return this.held.all().length === 0;
  }

  /**
   * Asks every flow to stop, waits, and makes the jobs of those that have settled due at once.
   * A flow that does not settle in time keeps its claim until the lease ends: handed back earlier,
   * its next write could meet its successor's. Answers how many were handed back.
   */
  async handBack(waitMs = HAND_BACK_WAIT_MS): Promise<number> {
    for (const held of this.held.all()) held.askBack();
    await this.waitUntilSettled(waitMs);
    const returned = this.runner.takeReturned();
    return returned.length === 0 ? 0 : this.claims.handBack(returned);
  }

  /** Ends the loop and the beats; resolves when no statement is under way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.sleeping.abort();
    await this.loop;
    await this.passing;
  }

  /** Since the last pass that reached the database: for readiness. */
  lastTickAgeMs(): number {
    return this.clock.monotonicMs() - this.lastTickAtMs;
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.sleeping = new AbortController();
      const sleepMs = await this.passOrPoll();
      await this.clock.sleep(Math.min(MIN_GAP_MS, sleepMs), this.stopping.signal);
      await this.clock.sleep(Math.ceil(sleepMs - MIN_GAP_MS), this.sleeping.signal);
    }
  }

  private async passOrPoll(): Promise<number> {
    const { pollMs } = this.settings.jobs;
    try {
      const { nextAtMs } = await this.pass();
      this.isFailing = false;
      const nextInMs = Math.max(0, nextAtMs - this.clock.monotonicMs());
      return Math.min(nextInMs, pollMs, this.heartbeat.dueInMs());
    } catch (error) {
      if (!this.isFailing)
        this.logger.error(
          `the job worker cannot reach the database and tries again: ${describeError(error)}`,
        );
      this.isFailing = true;
      return pollMs;
    }
  }

  /** One at a time, whoever asks. */
  private pass(): Promise<PassOutcome> {
    const pass = this.passing.then(() => this.beatAndClaim());
    this.passing = pass.catch(() => undefined);
    return pass;
  }

  private async beatAndClaim(): Promise<PassOutcome> {
    try {
      await this.heartbeat.beatIfDue();
      const outcome = await this.claimPass.run(this.stopped);
      this.lastTickAtMs = this.clock.monotonicMs();
      return outcome;
    } catch (error) {
      this.contact.interrupted();
      this.heartbeat.hurry();
      throw error;
    }
  }
}
