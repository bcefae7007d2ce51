/**
 * The only place that reads the clock. Decisions take times as arguments; whoever needs "now"
 * asks a Clock, so that a test can move time by hand.
 */
export abstract class Clock {
  /** Wall time of this process. Never compared with the database's. */
  abstract now(): Date;
  /** Milliseconds that never jump: for deadlines and durations. */
  abstract monotonicMs(): number;
  /**
   * The time that statements use in place of PostgreSQL's own. Production answers null: the
   * statement then writes clock_timestamp() and reads now().
   */
  abstract databaseNow(): Date | null;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
