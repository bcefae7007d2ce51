import { Injectable, Inject } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { ControlConnection } from '../persistence';

/**
 * The connection of claims and heartbeats. It is outside the pool, so claims and heartbeats never wait
 * for a pooled connection.
 */
export type ClaimConnection = Pick<ControlConnection, 'query' | 'connectedSinceMs'>;

/**
 * Decides whether this worker may take over expired leases. During an outage of the database no
 * worker can renew, so after it every lease has ended although every flow still runs: a worker that
 * has lost its connection waits one full lease, in which the others renew theirs. One that never lost
 * it does not wait. A statement or a renewal that is late by half a lease counts as a lost connection.
 */
@Injectable()
export class TakeoverGuard {
  private firstSinceMs: number | null = null;
  private interruptedAtMs: number | null = null;

  constructor(
    @Inject(ControlConnection) private readonly connection: ClaimConnection,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /** A statement that was sent at this monotonic time has returned. */
  succeeded(sentAtMs: number): void {
    const tookMs = this.clock.monotonicMs() - sentAtMs;
    if (tookMs > this.settings.jobs.leaseMs / 2) this.interrupted();
    this.firstSinceMs ??= this.connection.connectedSinceMs();
  }

  /** A statement has failed, or was late. */
  interrupted(): void {
    this.interruptedAtMs = this.clock.monotonicMs();
  }

  mayTakeOver(): boolean {
    const sinceMs = this.connection.connectedSinceMs();
    if (sinceMs === this.firstSinceMs && this.interruptedAtMs === null) return true;
    if (sinceMs === null) return false;
    const uninterruptedSinceMs = Math.max(sinceMs, this.interruptedAtMs ?? 0);
    return this.clock.monotonicMs() - uninterruptedSinceMs >= this.settings.jobs.leaseMs;
  }
}
