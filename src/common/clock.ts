import { Injectable } from '@nestjs/common';
import { performance } from 'node:perf_hooks';

/**
 * The only place that reads the clock. Decisions take times as arguments; code that needs the current
 * time takes a Clock, so that a test can move time by hand.
 */
export abstract class Clock {
  /** Wall time of this process. Never compared with the database's. */
  abstract now(): Date;
  /** Monotonic milliseconds, for deadlines and durations. */
  abstract monotonicMs(): number;
  /**
   * The time that statements use in place of PostgreSQL's own. In production it is null: the
   * statement then writes clock_timestamp() and reads now().
   */
  abstract databaseNow(): Date | null;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of this machine. */
@Injectable()
export class SystemClock extends Clock {
  override now(): Date {
    return new Date();
  }

  override monotonicMs(): number {
    return performance.now();
  }

  override databaseNow(): Date | null {
    return null;
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, ms));
      signal?.addEventListener('abort', done, { once: true });
    });
  }
}

/** Resolves when the signal aborts; at once if it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
}
