import { Injectable, Inject } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';

/**
 * The connection of claims and beats: one of its own, so that they never wait for the pool.
 * persistence's ControlConnection is one.
 */
export interface ClaimConnection {
  /** Rows of one statement, which is its own transaction. Throws while the database is away. */
  query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Monotonic time at which the present, uninterrupted contact began; null without contact. */
  connectedSinceMs(): number | null;
}

/** Its token for injection. */
export const CLAIM_CONNECTION = Symbol('ClaimConnection');

/**
 * Knows whether this worker may trust an expired lease. While the database was away nobody could
 * beat, so after an outage every lease has ended and every flow still runs: whoever returns waits
 * one full lease, in which the others beat, before taking over. A process that never lost contact
 * need not wait. A statement, or a beat, that is late by half a lease counts as lost contact.
 */
@Injectable()
export class TakeoverGuard {
  private firstSinceMs: number | null = null;
  private interruptedAtMs: number | null = null;

  constructor(
    @Inject(CLAIM_CONNECTION) private readonly connection: ClaimConnection,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /** A statement that was sent then (monotonic) has answered. */
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
