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
 * worker can renew, so after it every lease has ended although every flow still runs. A worker
 * therefore takes over only after one full lease of uninterrupted connection, in which the others
 * renew theirs; this holds for its first connection too, because a process may start in an outage.
 * A statement or a renewal that is late by half a lease counts as a lost connection.
 */
@Injectable()
export class TakeoverGuard {
  private interruptedAtMs = -Infinity;

  constructor(
    @Inject(ControlConnection) private readonly connection: ClaimConnection,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /** A statement that was sent at this monotonic time has returned. */
  succeeded(sentAtMs: number): void {
    const tookMs = this.clock.monotonicMs() - sentAtMs;
    if (tookMs > this.settings.jobs.leaseMs / 2) this.interrupted();
  }

  /** A statement has failed, or was late. */
  interrupted(): void {
    this.interruptedAtMs = this.clock.monotonicMs();
  }

  mayTakeOver(): boolean {
    const sinceMs = this.connection.connectedSinceMs();
    if (sinceMs === null) return false;
    const uninterruptedSinceMs = Math.max(sinceMs, this.interruptedAtMs);
    return this.clock.monotonicMs() - uninterruptedSinceMs >= this.settings.jobs.leaseMs;
  }
}
