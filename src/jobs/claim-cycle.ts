import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { QueueBreakers } from './breakers';
import { ClaimRepository, type QueueView } from './claim.repository';
import { HeldJobs } from './held-jobs';
import { Heartbeat } from './heartbeat';
import { JobRegistry, type RegisteredQueue } from './job';
import { JobRunner } from './job-runner';
import type { QueueName } from './queue-names';

/**
 * One pass: reads the queues that may claim, and claims what they hold. A row whose due time the
 * last pass has read is claimed at that time without another read, and so is what a wake-up tells of, and a
 * row that may wait for the only slot of a queue. A renewal of leases that is due comes before the next statement.
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
    let [isMore, nextAtMs] = [false, readAtMs + nextInMs];
    for (const view of [...views.slice(first), ...views.slice(0, first)]) {
      const outcome = await this.claimIn(view);
      claimed += outcome.claimed;
      isMore ||= outcome.isMore;
      nextAtMs = Math.min(nextAtMs, outcome.armedAtMs);
    }
    const againInMs = this.runner.room > 0 ? 0 : FULL_MS;
    return { claimed, nextAtMs: isMore ? Math.min(readAtMs + againInMs, nextAtMs) : nextAtMs };
  }

  /** The queue has work now: the next pass claims before it reads the queues. */
  expect(queue: QueueName): void {
    this.expectedAtMs.set(queue, this.clock.monotonicMs());
  }

  /** A full queue is not read, so a row that waits for its slot is claimed when the slot is free. */
  slotFreed(queue: QueueName): void {
    if (this.freeSlots(queue) === 1) this.expect(queue);
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
      const limit = this.limit(queue);
      if (limit === 0 || (this.expectedAtMs.get(queue) ?? Infinity) > nowMs) continue;
      this.expectedAtMs.delete(queue);
      claimed += (await this.claimReady(queue, limit)).claimed;
    }
    return claimed;
  }

  /** Takes over first, also without room, because those jobs wait longest. */
  private async claimIn({
    queue,
    hasExpired,
    hasReady,
  }: QueueView): Promise<{ claimed: number; isMore: boolean; armedAtMs: number }> {
    const takenOver = hasExpired ? await this.takeOver(queue) : 0;
    const limit = this.limit(queue);
    const ready = hasReady && limit > 0 ? await this.claimReady(queue, limit) : NOTHING_READY;
    const isMore = takenOver === BATCH || (hasReady && ready.claimed + ready.armed === limit);
    // Rows that were found early after the view was read.
    const armedAtMs = ready.armedAtMs;
    this.expectedAtMs.set(queue, Math.min(this.expectedAtMs.get(queue) ?? Infinity, armedAtMs));
    // Without slots the next pass follows when one is free.
    const claimed = takenOver + ready.claimed;
    return { claimed, isMore: isMore && this.slots(queue) > 0, armedAtMs };
  }

  private async takeOver(queue: QueueName): Promise<number> {
    await this.heartbeat.renewIfDue();
    const sentAtMs = this.clock.monotonicMs();
    const rows = await this.claims.takeOver(this.registry.get(queue), this.slots(queue));
    for (const row of rows) this.runner.start(row, { sentAtMs, takenOver: true });
    return rows.length;
  }

  private async claimReady(queue: QueueName, limit: number): Promise<ReadyOutcome> {
    await this.heartbeat.renewIfDue();
    const sentAtMs = this.clock.monotonicMs();
    const { rows, armed, armedInMs } = await this.claims.claimReady(
      this.registry.get(queue),
      limit,
      () => this.heartbeat.renewIfDue(),
    );
    for (const row of rows) this.runner.start(row, { sentAtMs, takenOver: false });
    const armedAtMs = this.clock.monotonicMs() + (armedInMs ?? Infinity);
    return { claimed: rows.length, armed, armedAtMs };
  }

  /** The most ready jobs of the next claim. */
  private limit(queue: QueueName): number {
    const slots = this.slots(queue);
    return this.registry.get(queue).sharesCommits ? slots : Math.min(slots, this.runner.room);
  }

  private slots(queue: QueueName): number {
    return Math.min(this.freeSlots(queue), BATCH, this.breakers.allowance(queue));
  }

  private freeSlots(queue: QueueName): number {
    return this.registry.get(queue).concurrency - this.held.count(queue);
  }
}

/** How soon a runner without room is asked again. */
const FULL_MS = 25;
/** The most rows of one claim statement; a queue with more free slots gets another pass at once. */
const BATCH = 100;

interface ReadyOutcome {
  readonly claimed: number;
  /** Rows that were not due yet, the first of which is due at this monotonic time. */
  readonly armed: number;
  readonly armedAtMs: number;
}

const NOTHING_READY: ReadyOutcome = { claimed: 0, armed: 0, armedAtMs: Infinity };

export interface CycleOutcome {
  readonly claimed: number;
  /** Monotonic time at which the next pass is useful; Infinity when nothing waits for one. */
  readonly nextAtMs: number;
}

function nextDueInMs(view: QueueView): number {
  return view.nextInMs ?? Infinity;
}

function nameOf({ queue }: RegisteredQueue): QueueName {
  return queue;
}
