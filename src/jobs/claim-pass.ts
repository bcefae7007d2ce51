import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { QueueView } from './claim-sql';
import { ClaimRepository } from './claims';
import { Heartbeat } from './heartbeat';
import { HeldJobs } from './held-claims';
import { QueueBreakers } from './lane-breakers';
import { JobRegistry } from './lane-registry';
import type { LaneName } from './task';
import { JobRunner } from './task-runner';

/** Bounds one claim statement; a lane with more free slots gets another pass at once. */
const BATCH = 100;

export interface PassOutcome {
  readonly claimed: number;
  /** Monotonic time at which the next pass is worth while; Infinity when nothing waits for one. */
  readonly nextAtMs: number;
}

/**
 * One look at the lanes that may claim, and the claims that it leads to. A row that the last look
 * saw coming is claimed at its time without being looked at again, and so is what may wait for the
 * only free slot of a lane. Beats that become due meanwhile
 * come before the next statement.
 */
@Injectable()
export class ClaimPass {
  /** By lane, the monotonic time at which the last look saw a row become due. */
  private readonly expectedAtMs = new Map<LaneName, number>();

  constructor(
    private readonly claims: ClaimRepository,
    private readonly heartbeat: Heartbeat,
    private readonly held: HeldJobs,
    private readonly registry: JobRegistry,
    private readonly breakers: QueueBreakers,
    private readonly runner: JobRunner,
    private readonly clock: Clock,
  ) {}

  /** Claims in every registered lane but the stopped ones, as far as slots and breakers allow. */
  async run(stopped: ReadonlySet<LaneName>): Promise<PassOutcome> {
    const expected = await this.claimExpected(stopped);
    const able = this.able(stopped);
    await this.heartbeat.beatIfDue();
    const views = able.length === 0 ? [] : await this.claims.look(able);
    const lookedAtMs = this.clock.monotonicMs();
    for (const { lane, nextInMs } of views) {
      if (nextInMs !== null) this.expectedAtMs.set(lane, lookedAtMs + nextInMs);
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

  /** A lane that was full is not looked at, so what waits for its slot is claimed at once. */
  slotFreed(lane: LaneName): void {
    if (this.freeSlots(lane) === 1) this.expectedAtMs.set(lane, this.clock.monotonicMs());
  }

  private able(stopped: ReadonlySet<LaneName>): LaneName[] {
    const lanes = this.registry.all().map((handler) => handler.lane);
    return lanes.filter((lane) => !stopped.has(lane) && this.limit(lane) > 0);
  }

  private async claimExpected(stopped: ReadonlySet<LaneName>): Promise<number> {
    const nowMs = this.clock.monotonicMs();
    let claimed = 0;
    for (const lane of this.able(stopped)) {
      if ((this.expectedAtMs.get(lane) ?? Infinity) > nowMs) continue;
      this.expectedAtMs.delete(lane);
      claimed += await this.claimReady(lane);
    }
    return claimed;
  }

  private async claimIn({ lane, hasExpired, hasReady }: QueueView): Promise<number> {
    let claimed = 0;
    if (hasExpired) claimed += await this.takeOver(lane);
    if (hasReady && this.limit(lane) > 0) claimed += await this.claimReady(lane);
    return claimed;
  }

  private async takeOver(lane: LaneName): Promise<number> {
    await this.heartbeat.beatIfDue();
    const sentAtMs = this.clock.monotonicMs();
    const rows = await this.claims.takeOver(lane, this.limit(lane));
    for (const row of rows) this.runner.start(row, { sentAtMs, takenOver: true });
    return rows.length;
  }

  private async claimReady(lane: LaneName): Promise<number> {
    await this.heartbeat.beatIfDue();
    const sentAtMs = this.clock.monotonicMs();
    const rows = await this.claims.claimReady(lane, this.limit(lane), () =>
      this.heartbeat.beatIfDue(),
    );
    for (const row of rows) this.runner.start(row, { sentAtMs, takenOver: false });
    return rows.length;
  }

  private limit(lane: LaneName): number {
    return Math.min(this.freeSlots(lane), BATCH, this.breakers.allowance(lane));
  }

  private freeSlots(lane: LaneName): number {
    return this.registry.get(lane).concurrency - this.held.count(lane);
  }
}

function nextDueInMs(view: QueueView): number {
  return view.nextInMs ?? Infinity;
}
