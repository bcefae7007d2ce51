import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { ClaimRepository, type EndedClaim, type HeartbeatRow } from './claim.repository';
import { TakeoverGuard } from './takeover-guard';
import { type HeldJob, HeldJobs } from './held-jobs';

/**
 * Renews the leases of all held claims in one statement, three times per lease. It is called before
 * every statement of a pass, because slow claims in many queues could take longer than a lease.
 *
 * A row that was locked is tried again soon: with a slow database a flow that commits often locks
 * its row half of the time, and the lease would end if three renewals in a row missed it.
 */
@Injectable()
export class Heartbeat {
  private nextAtMs = 0;
  /** When the last renewal was sent, or was due while nothing was held. */
  private lastSentMs: number;
  private skipped: HeldJob[] = [];
  private skippedAgainAtMs = 0;

  constructor(
    private readonly claims: ClaimRepository,
    private readonly held: HeldJobs,
    private readonly guard: TakeoverGuard,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {
    this.lastSentMs = clock.monotonicMs();
  }

  dueInMs(): number {
    if (this.renewable().length === 0) return Infinity;
    const atMs = this.skippedNow().length === 0 ? Infinity : this.skippedAgainAtMs;
    return Math.max(0, Math.min(this.nextAtMs, atMs) - this.clock.monotonicMs());
  }

  /** The database was not reached: the next statement is a renewal. */
  databaseUnreachable(): void {
    this.guard.interrupted();
    this.nextAtMs = 0;
  }

  /** Gives claims up whose flows have ended, due after `delayMs`; returns how many were still held. */
  async handBack(claims: readonly EndedClaim[], delayMs = 0): Promise<number> {
    return claims.length === 0 ? 0 : this.claims.handBack(claims, delayMs);
  }

  async renewIfDue(): Promise<void> {
    const renewable = this.renewable();
    const sentAtMs = this.clock.monotonicMs();
    // What is claimed after this has a new lease.
    if (renewable.length === 0) this.sent(sentAtMs);
    const isDue = sentAtMs >= this.nextAtMs;
    const due = isDue ? renewable : sentAtMs >= this.skippedAgainAtMs ? this.skippedNow() : [];
    if (due.length === 0) return;
    // Other workers are most likely late too, so their expired leases prove little.
    if (sentAtMs - this.lastSentMs > this.settings.jobs.leaseMs / 2) this.guard.interrupted();
    const rows = await this.claims.renew(due.map((held) => held.claim));
    if (isDue) this.sent(sentAtMs);
    this.skipped = rows.flatMap((row) => this.apply(row, sentAtMs + this.settings.jobs.leaseMs));
    this.skippedAgainAtMs = this.clock.monotonicMs() + SKIPPED_AGAIN_MS;
  }

  private sent(atMs: number): void {
    this.lastSentMs = atMs;
    this.nextAtMs = atMs + this.heartbeatMs();
  }

  /** Returns the claim if its row was skipped. */
  private apply(row: HeartbeatRow, deadlineMs: number): HeldJob[] {
    const held = this.held.find(row);
    if (held === undefined) return [];
    if (row.isRenewed) {
      held.extendTo(deadlineMs);
      return [];
    }
    // Not renewed and still its own: the row was locked, most likely by a commit of its own flow.
    const isOwn = row.currentClaimNo === row.claimNo;
    if (isOwn && row.state === 'running') return [held];
    if (!isOwn || !held.isFinishing) held.lose();
    return [];
  }

  private skippedNow(): HeldJob[] {
    return this.skipped.filter(
      (held) => this.held.find(held.claim) === held && held.isRenewable(this.heartbeatMs()),
    );
  }

  private renewable(): HeldJob[] {
    return this.held.all().filter((held) => held.isRenewable(this.heartbeatMs()));
  }

  private heartbeatMs(): number {
    return this.settings.jobs.leaseMs / 3;
  }
}

/** A fence locks its row for a few round trips; after this time it is most likely free. */
const SKIPPED_AGAIN_MS = 50;
