import { newId } from '../../../common/ids';

/**
 * Why no rolling second has more starts than allowed: a call granted for time `g` starts in
 * [g, g + MARGIN_MS] or not at all, and the n-th call after it is granted at least 1 s + MARGIN_MS
 * after `g`. So those two starts are at least a second apart in spite of any delays. The same holds for
 * the minute.
 */
export const MARGIN_MS = 10;
/** The part of the margin in which a start waits for the one before it. */
export const TURN_MS = 4;
/** Notion counts calls when they arrive; one call may travel this much faster than another. */
const TRANSIT_MS = 15;
export const SECOND_MS = 1000 + MARGIN_MS + TRANSIT_MS;
export const MINUTE_MS = 60_000 + MARGIN_MS + TRANSIT_MS;

/** The limiter waits for a pause up to this long; for a longer one, the caller gives its job back. */
export const MAX_AWAITED_PAUSE_MS = 5000;

/**
 * A permit is booked and checked again as long before its start as those statements take (see
 * LeadTime). A start that was missed by more than the margin is moved or lost.
 */
export const LEAD_MS = { min: 10, max: 2000 };

/** Missed starts in a row before they are reported: two seconds at the full rate. */
export const MISSED_IN_A_ROW = 6;

/** The share by which the lead shrinks after a statement that was quicker. */
const FORGOTTEN = 0.1;
/** The slowest of the next statements may be slower than the slowest so far. */
const HEADROOM = 1.1;
/** The usual delay of a timer. */
const SLACK_MS = 4;

/**
 * How long before its start a call has to be booked and checked again to begin in time: the longest
 * time that these steps took lately.
 */
export class LeadTime {
  private bookingMs = 0;
  private checkMs = 0;

  /** From the statement that books to the start. */
  get toBookMs(): number {
    return within((this.bookingMs + this.checkMs) * HEADROOM + SLACK_MS);
  }

  /** From waking up for the second check to the start. */
  get toCheckMs(): number {
    return within(this.checkMs * HEADROOM + SLACK_MS);
  }

  booked(tookMs: number): void {
    this.bookingMs = slower(this.bookingMs, tookMs);
  }

  checked(tookMs: number): void {
    this.checkMs = slower(this.checkMs, tookMs);
  }
}

function slower(beforeMs: number, tookMs: number): number {
  return Math.max(tookMs, beforeMs + (tookMs - beforeMs) * FORGOTTEN);
}

function within(ms: number): number {
  return Math.min(LEAD_MS.max, Math.max(LEAD_MS.min, ms));
}

/** One reading of the database's clock; the first two times are monotonic ones of this process. */
export interface ClockReading {
  readonly sentMs: number;
  readonly heardMs: number;
  /** The database's time somewhere between the two. */
  readonly databaseMs: number;
}

/**
 * Converts the database's times into this process's with a fixed offset: starts that use one timescale
 * are exactly as far apart as they were granted, however far away the database is.
 */
export interface Timescale {
  /** Its id in the log of starts, which all replicas read. */
  readonly id: string;
  /** This process's time less the database's; null before the first reading. */
  readonly offsetMs: number | null;
}

/** How fast two clocks may drift apart: 0.5 ms per second is more than on any machine. */
const DRIFT = 0.0005;
/** An offset that is known to be this much too large is replaced by a better one. */
const COARSE_MS = 20;

/**
 * What this process knows of the database's clock. A reading bounds the offset between the two clocks
 * by the time of its round trip. All readings together bound it better, because the offset hardly
 * changes. Starts use the upper bound, so they are never early.
 */
export class DatabaseClock {
  private low = -Infinity;
  private high = Infinity;
  private readAtMs = 0;
  private changes = 0;
  private readonly processId = newId();
  private now: { readonly id: string; offsetMs: number | null } = this.another(null);

  /** The timescale for new bookings. An unused one gets its offset later. */
  get timescale(): Timescale {
    return this.now;
  }

  observe({ sentMs, heardMs, databaseMs }: ClockReading): void {
    const drifted = Math.max(0, heardMs - this.readAtMs) * DRIFT;
    this.readAtMs = heardMs;
    this.low = Math.max(this.low - drifted, sentMs - databaseMs);
    this.high = Math.min(this.high + drifted, heardMs - databaseMs);
    if (this.low > this.high) {
      // One of the clocks was set, so only the newest reading counts.
      this.low = sentMs - databaseMs;
      this.high = heardMs - databaseMs;
    }
    const { offsetMs } = this.now;
    if (offsetMs === null) this.now.offsetMs = this.high;
    else if (offsetMs < this.low || offsetMs > this.high + COARSE_MS) {
      this.now = this.another(this.high);
    }
  }

  /** The error of `timescale` in milliseconds of the database's clock, in both directions. */
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
