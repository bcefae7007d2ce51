import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { LaneView } from './claim-sql';
import { Claims } from './claims';
import { HeldClaims } from './held-claims';
import { LaneBreakers } from './lane-breakers';
import { LaneRegistry } from './lane-registry';
import type { LaneName } from './task';
import { TaskRunner } from './task-runner';

/** Bounds one claim statement; a lane with more free slots gets another pass at once. */
const BATCH = 100;

export interface PassOutcome {
  readonly claimed: number;
  /** Monotonic time at which the next pass is worth while; Infinity when nothing waits for one. */
  readonly nextAtMs: number;
}

/** One look at the lanes that may claim, and the claims that it leads to. */
@Injectable()
export class ClaimPass {
  constructor(
    private readonly claims: Claims,
    private readonly held: HeldClaims,
    private readonly registry: LaneRegistry,
    private readonly breakers: LaneBreakers,
    private readonly runner: TaskRunner,
    private readonly clock: Clock,
  ) {}

  /** Claims in every registered lane but the stopped ones, as far as slots and breakers allow. */
  async run(stopped: ReadonlySet<LaneName>): Promise<PassOutcome> {
    const lanes = this.registry.all().map((handler) => handler.lane);
    const able = lanes.filter((lane) => !stopped.has(lane) && this.limit(lane) > 0);
    const views = able.length === 0 ? [] : await this.claims.look(able);
    const nextInMs = Math.min(this.breakers.nextProbeInMs(), ...views.map(nextDueInMs));
    const nextAtMs = this.clock.monotonicMs() + nextInMs;
    let claimed = 0;
    let isBatchFull = false;
    for (const view of views) {
      const count = await this.claimIn(view);
      claimed += count;
      isBatchFull ||= count >= BATCH;
    }
    return { claimed, nextAtMs: isBatchFull ? 0 : nextAtMs };
  }

  private async claimIn({ lane, hasExpired, hasReady }: LaneView): Promise<number> {
    let claimed = 0;
    if (hasExpired) claimed += await this.takeOver(lane);
    if (hasReady && this.limit(lane) > 0) claimed += await this.claimReady(lane);
    return claimed;
  }

  private async takeOver(lane: LaneName): Promise<number> {
    const sentAtMs = this.clock.monotonicMs();
    const rows = await this.claims.takeOver(lane, this.limit(lane));
    for (const row of rows) this.runner.start(row, { sentAtMs, takenOver: true });
    return rows.length;
  }

  private async claimReady(lane: LaneName): Promise<number> {
    const sentAtMs = this.clock.monotonicMs();
    const rows = await this.claims.claimReady(lane, this.limit(lane));
    for (const row of rows) this.runner.start(row, { sentAtMs, takenOver: false });
    return rows.length;
  }

  private limit(lane: LaneName): number {
    const freeSlots = this.registry.get(lane).concurrency - this.held.count(lane);
    return Math.min(freeSlots, BATCH, this.breakers.allowance(lane));
  }
}

function nextDueInMs(view: LaneView): number {
  return view.nextInMs ?? Infinity;
}
