import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { PeerUnavailableError, Claim } from './job';

/** Doubling delays with a cap. `chance` is a number from 0 to 1: the jitter is an argument. */
interface Backoff {
  readonly firstMs: number;
  readonly capMs: number;
}

const RETRY: Backoff = { firstMs: 1000, capMs: 300_000 };
const PROBE: Backoff = { firstMs: 1000, capMs: 30_000 };

/** Delay before the next try of a job that has now failed `failures` times (1 or more). */
export function retryDelayMs(failures: number, chance: number): number {
  return jittered(RETRY, failures, chance);
}

/**
 * Delay before a job that was given back `times` times (1 or more) is tried again. Capped as the
 * probes are: once the peer is back, nothing waits much longer than its breaker.
 */
export function giveBackDelayMs(times: number, chance: number): number {
  return jittered(PROBE, times, chance);
}

/** Delay before a queue's peer is asked again after `failures` failed probes in a row. */
export function probeDelayMs(failures: number, chance: number): number {
  return jittered(PROBE, failures, chance);
}

/** From half of the delay to the whole of it, so that the cap is never exceeded. */
function jittered(backoff: Backoff, failures: number, chance: number): number {
  const wholeMs = Math.min(backoff.capMs, backoff.firstMs * 2 ** (Math.max(1, failures) - 1));
  return wholeMs * (0.5 + chance / 2);
}

/**
 * The circuit breaker of one peer, as a value and its transitions. A queue has one.
 *
 *   closed ──peer failed──> open ──its time is up──> half_open ──peer answered──> closed
 *                            ^ └─peer failed: waits     │  │ one at a time, the probe
 *                            └───────peer failed────────┘  └─probe vanished─> half_open
 *
 *   closed     its peer is asked as one likes (a queue claims).
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

export interface BreakerChange {
  readonly queue: string;
  readonly from: BreakerState;
  readonly to: BreakerState;
  /** Until the next probe; 0 unless open. */
  readonly retryInMs: number;
}

/** A peer that answered another job so lately is not taken for away because of one failure. */
const RECENT_MS = 10_000;

interface PeerAnswer {
  readonly jobId: string;
  readonly atMs: number;
}

/** One circuit breaker per queue, in this process's memory: after a restart the peer is asked. */
@Injectable()
export class QueueBreakers {
  private readonly breakers = new Map<string, Breaker>();
  private readonly listeners = new Set<(change: BreakerChange) => void>();
  /** When each queue's peer answered last: the two newest answers, to different jobs. */
  private readonly answers = new Map<string, readonly PeerAnswer[]>();

  /** By queue, the jobs that failed since its peer answered last: one, or several (null). */
  private readonly failing = new Map<string, string | null>();

  constructor(private readonly clock: Clock) {}

  state(queue: string): BreakerState {
    return this.get(queue).state;
  }

  /** Whether the queue's peer counts as unavailable: true also while a probe is under way. */
  isOpen(queue: string): boolean {
    return this.get(queue).state !== 'closed';
  }

  /** Calls `listener` at every change of state; answers a function that stops it. */
  onChange(listener: (change: BreakerChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** How many jobs of the queue may be claimed now. */
  allowance(queue: string): number {
    const breaker = this.set(queue, afterTime(this.get(queue), this.clock.monotonicMs()));
    if (breaker.state === 'closed') return Infinity;
    return breaker.state === 'half_open' && !breaker.isProbing ? 1 : 0;
  }

  /** Until an open breaker lets a probe through; Infinity when none is open. */
  nextProbeInMs(): number {
    const nowMs = this.clock.monotonicMs();
    const waits = [...this.breakers.values()].map((breaker) =>
      breaker.state === 'open' ? Math.max(0, breaker.untilMs - nowMs) : Infinity,
    );
    return Math.min(Infinity, ...waits);
  }

  /** A claim was made; true when it is the queue's probe. */
  claimed(queue: string): boolean {
    return this.set(queue, withProbe(this.get(queue), true)).state === 'half_open';
  }

  /** The probe ended without asking the peer. */
  probeVanished(queue: string): void {
    this.set(queue, withProbe(this.get(queue), false));
  }

  /** The peer works: the flow of this job has just heard from it. */
  peerResponded(queue: string, jobId: string): void {
    this.failing.delete(queue);
    const answer = { jobId, atMs: this.clock.monotonicMs() };
    const other = this.answers.get(queue)?.find((earlier) => earlier.jobId !== jobId);
    this.answers.set(queue, other === undefined ? [answer] : [answer, other]);
    this.set(queue, afterPeerResponded(this.get(queue)));
  }

  /** Whether the queue's peer has answered another job since then (monotonic). */
  hasRespondedToOthers(queue: string, jobId: string, sinceMs: number): boolean {
    const answers = this.answers.get(queue) ?? [];
    return answers.some((answer) => answer.jobId !== jobId && answer.atMs >= sinceMs);
  }

  /**
   * A failure that may concern its job only does not open the breaker while others are answered;
   * nor does it, repeated, keep it open for long. The second job that fails says that all do.
   */
  peerFailed(
    { queue, jobId }: Pick<Claim, 'queue' | 'jobId'>,
    error: PeerUnavailableError,
    wasProbe: boolean,
  ): void {
    const isAlone = this.failing.has(queue) ? this.failing.get(queue) === jobId : true;
    this.failing.set(queue, isAlone ? jobId : null);
    const mayBeItsOwn = isAlone && error.mayConcernJobOnly;
    const recentMs = this.clock.monotonicMs() - RECENT_MS;
    if (mayBeItsOwn && this.hasRespondedToOthers(queue, jobId, recentMs)) return;
    const before = this.get(queue);
    const next = afterPeerFailed(mayBeItsOwn && before.state === 'half_open' ? CLOSED : before, {
      nowMs: this.clock.monotonicMs(),
      retryAfterMs: error.retryAfterMs ?? 0,
      wasProbe,
      chance: Math.random(),
    });
    this.set(queue, next);
  }

  private get(queue: string): Breaker {
    return this.breakers.get(queue) ?? CLOSED;
  }

  private set(queue: string, next: Breaker): Breaker {
    const { state: from } = this.get(queue);
    this.breakers.set(queue, next);
    if (from === next.state) return next;
    const retryInMs = next.state === 'open' ? next.untilMs - this.clock.monotonicMs() : 0;
    for (const listener of this.listeners) listener({ queue, from, to: next.state, retryInMs });
    return next;
  }
}
