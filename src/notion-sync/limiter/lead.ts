import { LEAD_MS } from './timing';

/** Of the difference between a slow statement and a quicker one after it, so much is forgotten. */
const FORGOTTEN = 0.1;
/** The slowest of the next statements may be slower than the slowest so far. */
const HEADROOM = 1.1;
/** A timer wakes this much late without being slow. */
const SLACK_MS = 4;

/**
 * How long before its start a call has to be booked, and looked at again, so that it can begin in
 * time: as long as that took lately, at its slowest.
 */
export class LeadTime {
  private bookingMs = 0;
  private lookMs = 0;

  /** From the statement that books to the start. */
  get toBookMs(): number {
    return within((this.bookingMs + this.lookMs) * HEADROOM + SLACK_MS);
  }

  /** From waking up for the second look to the start. */
  get toLookMs(): number {
    return within(this.lookMs * HEADROOM + SLACK_MS);
  }

  booked(tookMs: number): void {
    this.bookingMs = slower(this.bookingMs, tookMs);
  }

  looked(tookMs: number): void {
    this.lookMs = slower(this.lookMs, tookMs);
  }
}

function slower(beforeMs: number, tookMs: number): number {
  return Math.max(tookMs, beforeMs + (tookMs - beforeMs) * FORGOTTEN);
}

function within(ms: number): number {
  return Math.min(LEAD_MS.max, Math.max(LEAD_MS.min, ms));
}
