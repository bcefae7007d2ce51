import { Injectable } from '@nestjs/common';
import type { Clock } from '../common/clock';
import type { UnitOfWork } from '../common/uow';
import {
  type Claim,
  type ClaimRef,
  HandBackRequestedError,
  type JobFlow,
  LeaseLostError,
} from './job';
import type { QueueName } from './queue-names';

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
