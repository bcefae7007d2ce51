import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import type { UnitOfWork } from '../common/uow';
import { ClaimRepository, type EndedClaim, type HeartbeatRow } from './claim.repository';
import {
  type Claim,
  type ClaimRef,
  HandBackRequestedError,
  type JobFlow,
  LeaseLostError,
} from './job';
import { TakeoverGuard } from './takeover-guard';
import type { QueueName } from './queue-names';

/**
 * A claim while its flow runs in this process.
 *
 *   working ──its last commit begins──> finishing ──one heartbeat later, not ended──> working
 *      └──another claim was seen──> lost <──┘
 *
 *   working    its lease is renewed; it may write under the fence.
 *   finishing  its lease is not renewed: a renewal during its last commit would take the done row
 *              for a lost one. If the commit is retried for long, renewals begin again.
 *   lost       its signal has aborted; the fence refuses whatever it still writes.
 *
 * In each state a drain may ask for the job back, which aborts the signal too.
 */
export class HeldJob implements JobFlow {
  private readonly controller = new AbortController();
  private finishingSinceMs: number | null = null;
  private isLost = false;
  private isAskedBack = false;

  constructor(
    readonly claim: Claim,
    private readonly clock: Clock,
    /** Monotonic; counted from when the last successful renewal was sent, so never too late. */
    private deadlineMs: number,
    readonly isProbe: boolean,
    readonly uow: UnitOfWork,
    private readonly onPeerResponded: () => void,
  ) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get wasLost(): boolean {
    return this.isLost;
  }

  get wasAskedBack(): boolean {
    return this.isAskedBack;
  }

  get isFinishing(): boolean {
    return this.finishingSinceMs !== null;
  }

  get holdsLease(): boolean {
    return !this.isLost && this.clock.monotonicMs() < this.deadlineMs;
  }

  assertLease(): void {
    if (!this.holdsLease) throw LeaseLostError.of(this.claim);
  }

  peerResponded(): void {
    this.onPeerResponded();
  }

  isRenewable(heartbeatMs: number): boolean {
    if (this.isLost) return false;
    if (this.finishingSinceMs === null) return true;
    return this.clock.monotonicMs() - this.finishingSinceMs >= heartbeatMs;
  }

  extendTo(deadlineMs: number): void {
    this.deadlineMs = deadlineMs;
  }

  /** Counts from the first try, so that retries of the last commit do not delay the renewals. */
  finish(): void {
    this.finishingSinceMs ??= this.clock.monotonicMs();
  }

  lose(): void {
    if (this.isLost) return;
    this.isLost = true;
    this.controller.abort(LeaseLostError.of(this.claim));
  }

  askBack(): void {
    this.isAskedBack = true;
    this.controller.abort(new HandBackRequestedError('the process is stopping'));
  }
}

/** Every claim whose flow runs in this process. It is added before its flow starts. */
@Injectable()
export class HeldJobs {
  private readonly byRef = new Map<string, HeldJob>();
  private readonly countByQueue = new Map<QueueName, number>();
  private onEmpty: (() => void)[] = [];

  add(held: HeldJob): void {
    this.byRef.set(keyOf(held.claim), held);
    this.countIn(held.claim.queue, 1);
  }

  remove(held: HeldJob): void {
    if (!this.byRef.delete(keyOf(held.claim))) return;
    this.countIn(held.claim.queue, -1);
    if (this.byRef.size > 0) return;
    for (const resolve of this.onEmpty.splice(0)) resolve();
  }

  /** Undefined for a claim whose flow has ended or runs in another process. */
  find(ref: ClaimRef): HeldJob | undefined {
    return this.byRef.get(keyOf(ref));
  }

  all(): HeldJob[] {
    return [...this.byRef.values()];
  }

  count(queue: QueueName): number {
    return this.countByQueue.get(queue) ?? 0;
  }

  /** Resolves when no flow is left. */
  whenEmpty(): Promise<void> {
    if (this.byRef.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.onEmpty.push(resolve));
  }

  private countIn(queue: QueueName, change: number): void {
    this.countByQueue.set(queue, this.count(queue) + change);
  }
}

function keyOf(ref: ClaimRef): string {
  return `${ref.jobId}/${ref.claimNo.toString()}`;
}

/** A fence locks its row for a few round trips; after this time it is most likely free. */
const SKIPPED_AGAIN_MS = 50;

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
