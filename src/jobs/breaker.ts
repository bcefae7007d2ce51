import { probeDelayMs } from './backoff';

/**
 * The circuit breaker of one peer, as a value and its transitions. A lane has one.
 *
 *   closed ──peer failed──> open ──its time is up──> half_open ──peer answered──> closed
 *                            ^ └─peer failed: waits     │  │ one at a time, the probe
 *                            └───────peer failed────────┘  └─probe vanished─> half_open
 *
 *   closed     its peer is asked as one likes (a lane claims).
 *   open       nobody asks until `untilMs`, which is never before a Retry-After.
 *   half_open  one question finds out whether the peer is back.
 *
 * `failures` counts the periods without an answer in a row; it sets the next delay. A failure of
 * a flow that was begun before the breaker opened says nothing new and does not raise it.
 */
export type Breaker =
  | { readonly state: 'closed' }
  | { readonly state: 'open'; readonly failures: number; readonly untilMs: number }
  | { readonly state: 'half_open'; readonly failures: number; readonly isProbing: boolean };

export type BreakerState = Breaker['state'];

export const CLOSED: Breaker = { state: 'closed' };

export function afterPeerFailed(
  breaker: Breaker,
  event: { nowMs: number; retryAfterMs: number; wasProbe: boolean; chance: number },
): Breaker {
  const askedUntilMs = event.nowMs + event.retryAfterMs;
  if (breaker.state === 'open') {
    return { ...breaker, untilMs: Math.max(breaker.untilMs, askedUntilMs) };
  }
  const isNews = breaker.state === 'closed' || event.wasProbe;
  if (!isNews && event.retryAfterMs === 0) return breaker;
  const failures = (breaker.state === 'closed' ? 0 : breaker.failures) + (isNews ? 1 : 0);
  const untilMs = Math.max(askedUntilMs, event.nowMs + probeDelayMs(failures, event.chance));
  return { state: 'open', failures, untilMs };
}

/** An open breaker stays: the answer was asked for before, and a Retry-After is a promise. */
export function afterPeerResponded(breaker: Breaker): Breaker {
  return breaker.state === 'half_open' ? CLOSED : breaker;
}

export function afterTime(breaker: Breaker, nowMs: number): Breaker {
  if (breaker.state !== 'open' || nowMs < breaker.untilMs) return breaker;
  return { state: 'half_open', failures: breaker.failures, isProbing: false };
}

export function withProbe(breaker: Breaker, isProbing: boolean): Breaker {
  return breaker.state === 'half_open' ? { ...breaker, isProbing } : breaker;
}
