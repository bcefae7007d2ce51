import { Clock } from '../../src/common/clock';

interface Sleeper {
  readonly wakeAtMs: number;
  readonly wake: () => void;
}

/** Time that moves only by `advance`, and back by `setBack`; the database is given the same time. */
export class FakeClock extends Clock {
  private elapsedMs = 0;
  private setBackMs = 0;
  private readonly sleepers = new Set<Sleeper>();

  constructor(private readonly startedAt: Date = new Date('2026-03-02T09:00:00.000Z')) {
    super();
  }

  override now(): Date {
    return new Date(this.startedAt.getTime() + this.elapsedMs - this.setBackMs);
  }

  override monotonicMs(): number {
    return this.elapsedMs;
  }

  override databaseNow(): Date {
    return this.now();
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const sleeper: Sleeper = {
        wakeAtMs: this.elapsedMs + ms,
        wake: () => {
          this.sleepers.delete(sleeper);
          signal?.removeEventListener('abort', sleeper.wake);
          resolve();
        },
      };
      this.sleepers.add(sleeper);
      signal?.addEventListener('abort', sleeper.wake, { once: true });
    });
  }

  /** Sets the time of day back, as a person or a time server does; what is slept through stays. */
  setBack(ms: number): void {
    this.setBackMs += ms;
  }

  /** Moves time forward and wakes, in order, every sleeper that is due by then. */
  advance(ms: number): void {
    this.elapsedMs += ms;
    const due = [...this.sleepers].filter((sleeper) => sleeper.wakeAtMs <= this.elapsedMs);
    due.sort((a, b) => a.wakeAtMs - b.wakeAtMs);
    for (const sleeper of due) sleeper.wake();
  }
}
