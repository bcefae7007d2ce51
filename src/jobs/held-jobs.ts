import type { Clock } from '../common/clock';
import type { UnitOfWork } from '../common/uow';
import { HandBackRequestedError, LeaseLostError, type JobFlow, type Claim } from './job';
import { Injectable } from '@nestjs/common';
import type { ClaimRef } from './job.repository';

/**
 * A claim while its flow runs in this process.
 *
 *   working ──its last commit begins──> finishing ──one beat later, still here──> working
 *      └──another claim was seen──> lost <──┘
 *
 *   working    is beaten; may write under the fence.
 *   finishing  is not beaten: a beat that meets its last commit would take a done row for a lost
 *              one. A commit that is tried again from memory gets its beats back after a while.
 *   lost       its signal has aborted; whatever it still writes meets the fence.
 *
 * Independent of that, the drain may have asked for the job back: the signal has aborted too.
 */
export class HeldJob implements JobFlow {
  private readonly controller = new AbortController();
  private finishingSinceMs: number | null = null;
  private isLost = false;
  private isAskedBack = false;

  constructor(
    readonly claim: Claim,
    private readonly clock: Clock,
    /** Monotonic; counted from when the last successful beat was sent, so never too late. */
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

  isBeatable(beatMs: number): boolean {
    if (this.isLost) return false;
    if (this.finishingSinceMs === null) return true;
    return this.clock.monotonicMs() - this.finishingSinceMs >= beatMs;
  }

  extendTo(deadlineMs: number): void {
    this.deadlineMs = deadlineMs;
  }

  /** Counts from the first try: later ones must not keep the beats away. */
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

/** Every claim whose flow runs in this process. A flow is here before it starts. */
@Injectable()
export class HeldJobs {
  private readonly byRef = new Map<string, HeldJob>();
  private readonly countByQueue = new Map<string, number>();
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

  /** Undefined for a claim that another process or a finished flow held. */
  find(ref: ClaimRef): HeldJob | undefined {
    return this.byRef.get(keyOf(ref));
  }

  all(): HeldJob[] {
    return [...this.byRef.values()];
  }

  count(queue: string): number {
    return this.countByQueue.get(queue) ?? 0;
  }

  /** Resolves when no flow is left. */
  whenEmpty(): Promise<void> {
    if (this.byRef.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.onEmpty.push(resolve));
  }

  private countIn(queue: string, change: number): void {
    this.countByQueue.set(queue, this.count(queue) + change);
  }
}

function keyOf(ref: ClaimRef): string {
  return `${ref.jobId}/${ref.claimNo.toString()}`;
}
