import { newId } from '../../common/ids';

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
