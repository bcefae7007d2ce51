import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import type { BeatRow } from './claim-sql';
import { Claims } from './claims';
import { HeldClaims } from './held-claims';

/** Renews the leases of all held claims, together, three times per lease. */
@Injectable()
export class Heartbeat {
  private nextAtMs = 0;

  constructor(
    private readonly claims: Claims,
    private readonly held: HeldClaims,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  dueInMs(): number {
    if (this.beatable().length === 0) return Infinity;
    return Math.max(0, this.nextAtMs - this.clock.monotonicMs());
  }

  /** After lost contact: whatever comes first next, it is a beat. */
  hurry(): void {
    this.nextAtMs = 0;
  }

  async beatIfDue(): Promise<void> {
    const beatable = this.beatable();
    const sentAtMs = this.clock.monotonicMs();
    // What is claimed after this has just got its lease.
    if (beatable.length === 0) this.nextAtMs = sentAtMs + this.beatMs();
    if (sentAtMs < this.nextAtMs) return;
    const rows = await this.claims.beat(beatable.map((held) => held.claim));
    this.nextAtMs = sentAtMs + this.beatMs();
    for (const row of rows) this.apply(row, sentAtMs + this.settings.tasks.leaseMs);
  }

  private apply(row: BeatRow, deadlineMs: number): void {
    const held = this.held.find(row);
    if (held === undefined) return;
    if (row.isBeaten) {
      held.extendTo(deadlineMs);
      return;
    }
    // Not beaten and still its own: the row was locked, most likely by a commit of its own flow.
    const isOwn = row.currentClaimNo === row.claimNo;
    if (isOwn && (row.state === 'running' || held.isFinishing)) return;
    held.lose();
  }

  private beatable() {
    return this.held.all().filter((held) => held.isBeatable(this.beatMs()));
  }

  private beatMs(): number {
    return this.settings.tasks.leaseMs / 3;
  }
}
