import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { PeerUnavailableError } from './job';
import type { QueueName } from './queue-names';

/**
 * The circuit breaker of one peer, as a value and its transitions. A queue has one.
 *
 *   closed ──peer failed──> open ──delay over──> half_open ──peer responded──> closed
 *                            ^ └─peer failed: waits  │  │ one job at a time, the probe
 *                            └──────peer failed──────┘  └─probe without a call─> half_open
 *
 *   closed     the queue claims as usual.
 *   open       nothing is claimed until `untilMs`, which is never before a Retry-After.
 *   half_open  one job, the probe, finds out whether the peer is available.
 *
 * `failures` counts the failed probes in a row and sets the next delay. A failure of a flow that
 * began before the breaker opened does not raise it.
 */
export type Breaker =
  | { readonly state: 'closed' }
  | { readonly state: 'open'; readonly failures: number; readonly untilMs: number }
  | { readonly state: 'half_open'; readonly failures: number; readonly isProbing: boolean };

/**
 * One circuit breaker per queue, in the memory of this process; closed after a restart. `Name`: peers
 * that are no queue's only one have names of their own.
 */
@Injectable()
export class QueueBreakers<Name extends string = QueueName> {
  private readonly breakers = new Map<Name, Breaker>();
  private readonly listeners = new Set<(change: BreakerChange<Name>) => void>();
  /** The two newest responses of each queue's peer, to different jobs. */
  private readonly responses = new Map<Name, readonly PeerResponse[]>();

  /** By queue, the job that failed since its peer responded last; null: several jobs. */
  private readonly failing = new Map<Name, string | null>();

  constructor(private readonly clock: Clock) {}

  state(queue: Name): BreakerState {
    return this.get(queue).state;
  }

  /** Whether the queue's peer counts as unavailable: true also while a probe is under way. */
  isOpen(queue: Name): boolean {
    return this.get(queue).state !== 'closed';
  }

  /** Calls `listener` at every change of state; returns a function that ends that. */
  onChange(listener: (change: BreakerChange<Name>) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** How many jobs of the queue may be claimed now. */
  allowance(queue: Name): number {
    const breaker = this.set(queue, afterTime(this.get(queue), this.clock.monotonicMs()));
    if (breaker.state === 'closed') return Infinity;
    return breaker.state === 'half_open' && !breaker.isProbing ? 1 : 0;
  }

  /** Time until an open breaker of these queues lets a probe through; Infinity when none is open. */
  nextProbeInMs(queues: readonly Name[]): number {
    const nowMs = this.clock.monotonicMs();
    const waits = queues.map((queue) => {
      const breaker = this.get(queue);
      return breaker.state === 'open' ? Math.max(0, breaker.untilMs - nowMs) : Infinity;
    });
    return Math.min(Infinity, ...waits);
  }

  /** A claim was made; true when it is the queue's probe. */
  claimed(queue: Name): boolean {
    return this.set(queue, withProbe(this.get(queue), true)).state === 'half_open';
  }

  /** The probe ended without a call to the peer. */
  probeVanished(queue: Name): void {
    this.set(queue, withProbe(this.get(queue), false));
  }

  /** The peer has just responded to this job. */
  peerResponded(queue: Name, jobId: string): void {
    this.failing.delete(queue);
    const response = { jobId, atMs: this.clock.monotonicMs() };
    const other = this.responses.get(queue)?.find((earlier) => earlier.jobId !== jobId);
    this.responses.set(queue, other === undefined ? [response] : [response, other]);
    this.set(queue, afterPeerResponded(this.get(queue)));
  }

  /** Whether the queue's peer has responded to another job since then (monotonic). */
  hasRespondedToOthers(queue: Name, jobId: string, sinceMs: number): boolean {
    const responses = this.responses.get(queue) ?? [];
    return responses.some((response) => response.jobId !== jobId && response.atMs >= sinceMs);
  }

  /**
   * A failure that may concern its job only does not open the breaker while the peer responds to
   * other jobs, and its repetitions do not lengthen the delay. When a second job fails, the peer
   * counts as unavailable.
   */
  peerFailed(
    { queue, jobId }: { queue: Name; jobId: string },
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

  private get(queue: Name): Breaker {
    return this.breakers.get(queue) ?? CLOSED;
  }

  private set(queue: Name, next: Breaker): Breaker {
    const { state: from } = this.get(queue);
    this.breakers.set(queue, next);
    if (from === next.state) return next;
    const retryInMs = next.state === 'open' ? next.untilMs - this.clock.monotonicMs() : 0;
    for (const listener of this.listeners) listener({ queue, from, to: next.state, retryInMs });
    return next;
  }
}

export const CLOSED: Breaker = { state: 'closed' };
/** A peer that responded to another job within this time does not count as unavailable after one failure. */
const RECENT_MS = 10_000;

export interface BreakerChange<Name extends string = QueueName> {
  readonly queue: Name;
  readonly from: BreakerState;
  readonly to: BreakerState;
  /** Time until the next probe; 0 unless open. */
  readonly retryInMs: number;
}

export type BreakerState = Breaker['state'];

interface PeerResponse {
  readonly jobId: string;
  readonly atMs: number;
}

export function afterTime(breaker: Breaker, nowMs: number): Breaker {
  if (breaker.state !== 'open' || nowMs < breaker.untilMs) return breaker;
  return { state: 'half_open', failures: breaker.failures, isProbing: false };
}

export function withProbe(breaker: Breaker, isProbing: boolean): Breaker {
  return breaker.state === 'half_open' ? { ...breaker, isProbing } : breaker;
}

/** An open breaker stays open: the call was made before it opened, and a Retry-After is kept. */
export function afterPeerResponded(breaker: Breaker): Breaker {
  return breaker.state === 'half_open' ? CLOSED : breaker;
}

export function afterPeerFailed(
  breaker: Breaker,
  event: { nowMs: number; retryAfterMs: number; wasProbe: boolean; chance: number },
): Breaker {
  const askedUntilMs = event.nowMs + event.retryAfterMs;
  if (breaker.state === 'open') {
    return { ...breaker, untilMs: Math.max(breaker.untilMs, askedUntilMs) };
  }
  const counts = breaker.state === 'closed' || event.wasProbe;
  if (!counts && event.retryAfterMs === 0) return breaker;
  const failures = (breaker.state === 'closed' ? 0 : breaker.failures) + (counts ? 1 : 0);
  const untilMs = Math.max(askedUntilMs, event.nowMs + probeDelayMs(failures, event.chance));
  return { state: 'open', failures, untilMs };
}

/** Doubling delays with a cap. `chance` is a number from 0 to 1: the jitter is an argument. */
interface Backoff {
  readonly firstMs: number;
  readonly capMs: number;
}

const PROBE: Backoff = { firstMs: 1000, capMs: 30_000 };

/** Delay before a queue's peer is asked again after `failures` failed probes in a row. */
export function probeDelayMs(failures: number, chance: number): number {
  return jittered(PROBE, failures, chance);
}

/** Between half of the delay and the whole, so that the cap is never exceeded. */
function jittered(backoff: Backoff, failures: number, chance: number): number {
  const wholeMs = Math.min(backoff.capMs, backoff.firstMs * 2 ** (Math.max(1, failures) - 1));
  return wholeMs * (0.5 + chance / 2);
}

const RETRY: Backoff = { firstMs: 1000, capMs: 300_000 };

/** Delay before the next try of a job that has now failed `failures` times (1 or more). */
export function retryDelayMs(failures: number, chance: number): number {
  return jittered(RETRY, failures, chance);
}

/**
 * Delay before a job that was given back `times` times (1 or more) is tried again. The cap is that
 * of the probes, so that no job waits much longer than the breaker once the peer is available.
 */
export function giveBackDelayMs(times: number, chance: number): number {
  return jittered(PROBE, times, chance);
}
