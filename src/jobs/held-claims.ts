import { Injectable } from '@nestjs/common';
import type { ClaimRef } from './claim-sql';
import type { HeldJob } from './held-claim';
import type { LaneName } from './task';

/** Every claim whose flow runs in this process. A flow is here before it starts. */
@Injectable()
export class HeldJobs {
  private readonly byRef = new Map<string, HeldJob>();
  private readonly countByLane = new Map<LaneName, number>();
  private onEmpty: (() => void)[] = [];

  add(held: HeldJob): void {
    this.byRef.set(keyOf(held.claim), held);
    this.countIn(held.claim.lane, 1);
  }

  remove(held: HeldJob): void {
    if (!this.byRef.delete(keyOf(held.claim))) return;
    this.countIn(held.claim.lane, -1);
    if (this.byRef.size > 0) return;
    for (const resolve of this.onEmpty.splice(0)) resolve();
  }

  /** Undefined for a claim that another process or a finished flow held. */
  find(ref: ClaimRef): HeldJob | undefined {
    return this.byRef.get(keyOf(ref));
  }

  all(): HeldJob[] {
    return [...this.byRef.values()];
  }

  count(lane: LaneName): number {
    return this.countByLane.get(lane) ?? 0;
  }

  /** Resolves when no flow is left. */
  whenEmpty(): Promise<void> {
    if (this.byRef.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.onEmpty.push(resolve));
  }

  private countIn(lane: LaneName, change: number): void {
    this.countByLane.set(lane, this.count(lane) + change);
  }
}

function keyOf(ref: ClaimRef): string {
  return `${ref.taskId}/${ref.claimNo.toString()}`;
}
