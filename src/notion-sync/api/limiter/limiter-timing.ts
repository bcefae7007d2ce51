import { newId } from '../../../common/ids';

/**
 * Why no rolling second has more starts than it may: a call granted for `g` starts in
 * [g, g + MARGIN_MS] or not at all, and the grant of the n-th call after it lies at least
 * 1 s + MARGIN_MS behind `g`. So those two starts are at least a second apart, whatever stalls.
 * The same holds for the minute.
 */
export const MARGIN_MS = 10;
/** So long, of the margin, a start waits for the one before it. */
export const TURN_MS = 4;
/** Notion counts calls as they arrive: so much may one be faster on its way than another. */
const TRANSIT_MS = 15;
export const SECOND_MS = 1000 + MARGIN_MS + TRANSIT_MS;
export const MINUTE_MS = 60_000 + MARGIN_MS + TRANSIT_MS;

/** A pause up to this long is waited out; a longer one is the caller's, who can give its task back. */
export const PATIENCE_MS = 5000;

/**
 * A permit is booked, and looked at again, so long before its start as those statements take (see
 * Lead); a start that was missed by more than the margin is moved or lost.
 */
export const LEAD_MS = { min: 10, max: 2000 };

/** Starts that one process misses in a row before it says so: two seconds at the full rate. */
export const MISSED_IN_A_ROW = 6;

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

/** What one statement told of the database's clock; the first two are monotonic, of this process. */
export interface ClockReading {
  readonly sentMs: number;
  readonly heardMs: number;
  /** Read by the database somewhere between the two. */
  readonly databaseMs: number;
}

/**
 * Turns the database's times into this process's, always by the same offset: starts that are timed
 * by one timescale are exactly as far apart as they were granted, however far away the database is.
 */
export interface Timescale {
  /** In the log of starts, for all replicas. */
  readonly id: string;
  /** This process's time less the database's; null before the first reading. */
  readonly offsetMs: number | null;
}

/** How much two clocks may drift apart: 0.5 ms in a second is more than any machine allows. */
const DRIFT = 0.0005;
/** An offset that is known to be this much too large makes room for a better one. */
const COARSE_MS = 20;

/**
 * What this process knows of the database's clock. A reading bounds the offset between the two
 * clocks by the time of its round trip; all readings together bound it better, as the offset
 * hardly changes. Starts are timed by the upper bound, so they are never early.
 */
export class DatabaseClock {
  private low = -Infinity;
  private high = Infinity;
  private readAtMs = 0;
  private changes = 0;
  private readonly processId = newId();
  private now: { readonly id: string; offsetMs: number | null } = this.another(null);

  /** For what is booked from now on. A timescale that nobody has used yet learns its offset later. */
  get timescale(): Timescale {
    return this.now;
  }

  observe({ sentMs, heardMs, databaseMs }: ClockReading): void {
    const drifted = Math.max(0, heardMs - this.readAtMs) * DRIFT;
    this.readAtMs = heardMs;
    this.low = Math.max(this.low - drifted, sentMs - databaseMs);
    this.high = Math.min(this.high + drifted, heardMs - databaseMs);
    if (this.low > this.high) {
      // One of the clocks was set: only the newest reading still counts.
      this.low = sentMs - databaseMs;
      this.high = heardMs - databaseMs;
    }
    const { offsetMs } = this.now;
    if (offsetMs === null) this.now.offsetMs = this.high;
    else if (offsetMs < this.low || offsetMs > this.high + COARSE_MS) {
      this.now = this.another(this.high);
    }
  }

  /** By how much what `timescale` times may happen too early or too late, by the database's clock. */
  errorOf({ offsetMs }: Timescale): { readonly earlyMs: number; readonly lateMs: number } {
    if (offsetMs === null || this.high === Infinity) return { earlyMs: 0, lateMs: 0 };
    return {
      earlyMs: Math.max(0, this.high - offsetMs),
      lateMs: Math.max(0, offsetMs - this.low),
    };
  }

  private another(offsetMs: number | null): { readonly id: string; offsetMs: number | null } {
    this.changes += 1;
    return { id: `${this.processId}/${String(this.changes)}`, offsetMs };
  }
}
