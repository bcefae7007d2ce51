import type { Clock } from '../../src/common/clock';
import { ApiError } from './api-error';

/** How many calls a connection may start; null: no limit. */
export interface CallLimits {
  /** In any rolling second. */
  readonly perSecond: number | null;
  /** In a window of 60 s; a new window begins with the first call after the last one has ended. */
  readonly perWindow: number | null;
}

const WINDOW_MS = 60_000;

/** Rate limits (429) and overload (529). A refused call does not count. */
export class Limits {
  allowed: CallLimits = { perSecond: 3, perWindow: 180 };
  private starts: number[] = [];
  private window = { sinceMs: -Infinity, calls: 0 };
  private pause = { untilMs: -Infinity, reason: '' };
  private overloadUntilMs = -Infinity;

  constructor(private readonly clock: Clock) {}

  lift(): void {
    this.allowed = { perSecond: null, perWindow: null };
  }

  /**
   * For this many seconds every call gets 429, like under the limit of a whole workspace, which may last
   * longer than a minute.
   */
  pauseFor(seconds: number, reason = 'workspace'): void {
    this.pause = { untilMs: this.clock.monotonicMs() + seconds * 1000, reason };
  }

  /** For this many seconds every call gets 529. */
  overloadFor(seconds: number): void {
    this.overloadUntilMs = this.clock.monotonicMs() + seconds * 1000;
  }

  /** Counts a call; throws 429 or 529 with the whole seconds until a call is allowed again. */
  count(): void {
    const now = this.clock.monotonicMs();
    const overloadMs = this.overloadUntilMs - now;
    if (overloadMs > 0) throw ApiError.overloaded(seconds(overloadMs));
    const pauseMs = this.pause.untilMs - now;
    if (pauseMs > 0) throw ApiError.rateLimited(seconds(pauseMs), this.pause.reason);
    this.countInWindow(now);
    this.countInSecond(now);
  }

  private countInWindow(now: number): void {
    if (now - this.window.sinceMs >= WINDOW_MS) this.window = { sinceMs: now, calls: 0 };
    if (this.window.calls >= (this.allowed.perWindow ?? Infinity)) {
      const leftMs = this.window.sinceMs + WINDOW_MS - now;
      throw ApiError.rateLimited(seconds(leftMs), 'connection');
    }
    this.window.calls += 1;
  }

  private countInSecond(now: number): void {
    this.starts = this.starts.filter((at) => now - at < 1000);
    if (this.starts.length >= (this.allowed.perSecond ?? Infinity)) {
      this.window.calls -= 1;
      throw ApiError.rateLimited(1, 'connection');
    }
    this.starts.push(now);
  }
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
