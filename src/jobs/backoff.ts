/** Doubling delays with a cap. `chance` is a number from 0 to 1: the jitter is an argument. */
interface Backoff {
  readonly firstMs: number;
  readonly capMs: number;
}

const RETRY: Backoff = { firstMs: 1000, capMs: 300_000 };
const PROBE: Backoff = { firstMs: 1000, capMs: 30_000 };

/** Delay before the next try of a task that has now failed `failures` times (1 or more). */
export function retryDelayMs(failures: number, chance: number): number {
  return jittered(RETRY, failures, chance);
}

/**
 * Delay before a task that was given back `times` times (1 or more) is tried again. Capped as the
 * probes are: once the peer is back, nothing waits much longer than its breaker.
 */
export function giveBackDelayMs(times: number, chance: number): number {
  return jittered(PROBE, times, chance);
}

/** Delay before a lane's peer is asked again after `failures` failed probes in a row. */
export function probeDelayMs(failures: number, chance: number): number {
  return jittered(PROBE, failures, chance);
}

/** From half of the delay to the whole of it, so that the cap is never exceeded. */
function jittered(backoff: Backoff, failures: number, chance: number): number {
  const wholeMs = Math.min(backoff.capMs, backoff.firstMs * 2 ** (Math.max(1, failures) - 1));
  return wholeMs * (0.5 + chance / 2);
}
