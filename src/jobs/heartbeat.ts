import { HeldJob, HeldJobs } from './held-jobs';
import { Clock } from '../common/clock';
import { Injectable } from '@nestjs/common';
import { type HeartbeatRow, ClaimRepository } from './claim.repository';
import { Settings } from '../common/config';
import { TakeoverGuard } from './takeover-guard';

/** A fence holds its row for a few round trips, then it is free for a while. */
const SKIPPED_AGAIN_MS = 50;

/**
 * Renews the leases of all held claims, together, three times per lease. Asked before every
 * statement of a pass: where each takes long, the claims of many queues would outlast a lease.
 *
 * A row that was locked is tried again soon: a flow that commits often, with a database far away, holds its row half of the
 * time, and three beats in a row that miss it would end the lease.
 */
@Injectable()
export class Heartbeat {
  private nextAtMs = 0;
  /** When the last beat was sent, or would have been, had anything been held. */
  private lastSentMs: number;
  private skipped: HeldJob[] = [];
  private skippedAgainAtMs = 0;

  constructor(
    private readonly claims: ClaimRepository,
    private readonly held: HeldJobs,
    private readonly contact: TakeoverGuard,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {
    this.lastSentMs = clock.monotonicMs();
  }

  dueInMs(): number {
    if (this.beatable().length === 0) return Infinity;
    const atMs = this.skippedNow().length === 0 ? Infinity : this.skippedAgainAtMs;
    return Math.max(0, Math.min(this.nextAtMs, atMs) - this.clock.monotonicMs());
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
    const isDue = sentAtMs >= this.nextAtMs;
    const due = isDue ? beatable : sentAtMs >= this.skippedAgainAtMs ? this.skippedNow() : [];
    if (due.length === 0) return;
    // Late beats here are late elsewhere too, most likely: an expired lease then says little.
    if (sentAtMs - this.lastSentMs > this.settings.jobs.leaseMs / 2) this.contact.interrupted();
    const rows = await this.claims.beat(due.map((held) => held.claim));
    if (isDue) this.sent(sentAtMs);
    this.skipped = rows.flatMap((row) => this.apply(row, sentAtMs + this.settings.jobs.leaseMs));
    this.skippedAgainAtMs = this.clock.monotonicMs() + SKIPPED_AGAIN_MS;
  }

  private sent(atMs: number): void {
    this.lastSentMs = atMs;
    this.nextAtMs = atMs + this.beatMs();
  }

  /** Returns the claim if its row was skipped. */
  private apply(row: HeartbeatRow, deadlineMs: number): HeldJob[] {
    const held = this.held.find(row);
    if (held === undefined) return [];
    if (row.isBeaten) {
      held.extendTo(deadlineMs);
      return [];
    }
    // Not beaten and still its own: the row was locked, most likely by a commit of its own flow.
    const isOwn = row.currentClaimNo === row.claimNo;
    if (isOwn && row.state === 'running') return [held];
    if (!isOwn || !held.isFinishing) held.lose();
    return [];
  }

  private skippedNow(): HeldJob[] {
    return this.skipped.filter(
      (held) => this.held.find(held.claim) === held && held.isBeatable(this.beatMs()),
    );
  }

  private beatable() {
    return this.held.all().filter((held) => held.isBeatable(this.beatMs()));
  }

  private beatMs(): number {
    return this.settings.jobs.leaseMs / 3;
  }
}
