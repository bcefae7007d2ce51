import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import type { BeatRow } from './claim-sql';
import { Claims } from './claims';
import { Contact } from './contact';
import { HeldClaims } from './held-claims';

/**
 * Renews the leases of all held claims, together, three times per lease. Asked before every
 * statement of a pass: where each takes long, the claims of many lanes would outlast a lease.
 */
@Injectable()
export class Heartbeat {
  private nextAtMs = 0;
  /** When the last beat was sent, or would have been, had anything been held. */
  private lastSentMs: number;

  constructor(
    private readonly claims: Claims,
    private readonly held: HeldClaims,
    private readonly contact: Contact,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {
    this.lastSentMs = clock.monotonicMs();
  }

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
    if (beatable.length === 0) this.sent(sentAtMs);
    if (sentAtMs < this.nextAtMs) return;
    // Late beats here are late elsewhere too, most likely: an expired lease then says little.
    if (sentAtMs - this.lastSentMs > this.settings.tasks.leaseMs / 2) this.contact.interrupted();
    const rows = await this.claims.beat(beatable.map((held) => held.claim));
    this.sent(sentAtMs);
    for (const row of rows) this.apply(row, sentAtMs + this.settings.tasks.leaseMs);
  }

  private sent(atMs: number): void {
    this.lastSentMs = atMs;
    this.nextAtMs = atMs + this.beatMs();
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
