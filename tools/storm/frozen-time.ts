/**
 * Time in which a replica is frozen (SIGSTOP). It can do nothing then, so bounds on how long something may
 * take do not count it; bounds on what may happen hold all the same.
 */
export interface FrozenTime {
  /** Both of `performance.now()`. */
  readonly fromMs: number;
  readonly toMs: number;
}

/** How much of the time between two moments lies in at least one of these. */
export function frozenMsBetween(
  frozen: readonly FrozenTime[],
  fromMs: number,
  toMs: number,
): number {
  let sum = 0;
  let countedToMs = fromMs;
  for (const time of frozen.toSorted((one, other) => one.fromMs - other.fromMs)) {
    const beginMs = Math.max(time.fromMs, countedToMs);
    const endMs = Math.min(time.toMs, toMs);
    if (endMs <= beginMs) continue;
    sum += endMs - beginMs;
    countedToMs = endMs;
  }
  return sum;
}

const TIMER_MS = 10;
const STALL_MS = 30;

/** Times in which this process was too busy to run its timers: what arrives then is noted late. */
export class Stalls {
  readonly all: FrozenTime[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor() {
    let lastRunMs = performance.now();
    this.timer = setInterval(() => {
      const nowMs = performance.now();
      if (nowMs - lastRunMs > STALL_MS) this.all.push({ fromMs: lastRunMs, toMs: nowMs });
      lastRunMs = nowMs;
    }, TIMER_MS);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}
