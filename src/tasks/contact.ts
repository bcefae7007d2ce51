import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { CLAIM_CONNECTION, type ClaimConnection } from './claim-connection';

/**
 * Knows whether this worker may trust an expired lease. While the database was away nobody could
 * beat, so after an outage every lease has ended and every flow still runs: whoever returns waits
 * one full lease, in which the others beat, before taking over. A process that never lost contact
 * need not wait.
 */
@Injectable()
export class Contact {
  private firstSinceMs: number | null = null;
  private interruptedAtMs: number | null = null;

  constructor(
    @Inject(CLAIM_CONNECTION) private readonly connection: ClaimConnection,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /** A statement has answered. */
  succeeded(): void {
    this.firstSinceMs ??= this.connection.connectedSinceMs();
  }

  /** A statement has failed. */
  interrupted(): void {
    this.interruptedAtMs = this.clock.monotonicMs();
  }

  mayTakeOver(): boolean {
    const sinceMs = this.connection.connectedSinceMs();
    if (sinceMs === this.firstSinceMs && this.interruptedAtMs === null) return true;
    if (sinceMs === null) return false;
    const uninterruptedSinceMs = Math.max(sinceMs, this.interruptedAtMs ?? 0);
    return this.clock.monotonicMs() - uninterruptedSinceMs >= this.settings.tasks.leaseMs;
  }
}
