import { Injectable } from '@nestjs/common';
import { performance } from 'node:perf_hooks';
import { ColloquyError } from './errors';

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

/**
 * Runs `work` under a time limit: its signal aborts after `ms`, or with the caller's signal. Settles
 * as `work` does, so `work` must end soon after the abort. When it fails after that with an error of a
 * library, which may hide the abort, an error that `isTimeLimit` recognises is thrown instead.
 */
export async function withTimeLimit<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
  caller?: AbortSignal,
): Promise<T> {
  const late = new AbortController();
  const settled = new AbortController();
  void clock.sleep(ms, settled.signal).then(() => {
    if (!settled.signal.aborted) late.abort(new DOMException('the time is over', 'TimeoutError'));
  });
  try {
    return await work(caller === undefined ? late.signal : AbortSignal.any([caller, late.signal]));
  } catch (error) {
    throw late.signal.aborted && !(error instanceof ColloquyError) ? late.signal.reason : error;
  } finally {
    settled.abort('settled');
  }
}

export function isTimeLimit(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}

/** Waits for `work`, at most `ms`; undefined: it has not settled by then, and goes on. */
export async function settledWithin<T>(
  clock: Clock,
  ms: number,
  work: Promise<T>,
): Promise<T | undefined> {
  const settled = new AbortController();
  try {
    return await Promise.race([work, clock.sleep(ms, settled.signal).then(() => undefined)]);
  } finally {
    settled.abort('settled');
  }
}
