import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import {
  type Breaker,
  type BreakerState,
  CLOSED,
  afterPeerResponded,
  afterPeerFailed,
  afterTime,
  withProbe,
} from './breaker';
import type { PeerUnavailableError } from './errors';
import type { Claim, LaneName } from './task';

export interface BreakerChange {
  readonly lane: LaneName;
  readonly from: BreakerState;
  readonly to: BreakerState;
  /** Until the next probe; 0 unless open. */
  readonly retryInMs: number;
}

/** A peer that answered another task so lately is not taken for away because of one failure. */
const RECENT_MS = 10_000;

interface PeerAnswer {
  readonly taskId: string;
  readonly atMs: number;
}

/** One circuit breaker per lane, in this process's memory: after a restart the peer is asked. */
@Injectable()
export class QueueBreakers {
  private readonly breakers = new Map<LaneName, Breaker>();
  private readonly listeners = new Set<(change: BreakerChange) => void>();
  /** When each lane's peer answered last: the two newest answers, to different tasks. */
  private readonly answers = new Map<LaneName, readonly PeerAnswer[]>();

  /** By lane, the tasks that failed since its peer answered last: one, or several (null). */
  private readonly failing = new Map<LaneName, string | null>();

  constructor(private readonly clock: Clock) {}

  state(lane: LaneName): BreakerState {
    return this.get(lane).state;
  }

  /** Whether the lane's peer counts as unavailable: true also while a probe is under way. */
  isOpen(lane: LaneName): boolean {
    return this.get(lane).state !== 'closed';
  }

  /** Calls `listener` at every change of state; answers a function that stops it. */
  onChange(listener: (change: BreakerChange) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** How many tasks of the lane may be claimed now. */
  allowance(lane: LaneName): number {
    const breaker = this.set(lane, afterTime(this.get(lane), this.clock.monotonicMs()));
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

  /** A claim was made; true when it is the lane's probe. */
  claimed(lane: LaneName): boolean {
    return this.set(lane, withProbe(this.get(lane), true)).state === 'half_open';
  }

  /** The probe ended without asking the peer. */
  probeVanished(lane: LaneName): void {
    this.set(lane, withProbe(this.get(lane), false));
  }

  /** The peer works: the flow of this task has just heard from it. */
  peerAnswered(lane: LaneName, taskId: string): void {
    this.failing.delete(lane);
    const answer = { taskId, atMs: this.clock.monotonicMs() };
    const other = this.answers.get(lane)?.find((earlier) => earlier.taskId !== taskId);
    this.answers.set(lane, other === undefined ? [answer] : [answer, other]);
    this.set(lane, afterPeerResponded(this.get(lane)));
  }

  /** Whether the lane's peer has answered another task since then (monotonic). */
  hasAnsweredOthers(lane: LaneName, taskId: string, sinceMs: number): boolean {
    const answers = this.answers.get(lane) ?? [];
    return answers.some((answer) => answer.taskId !== taskId && answer.atMs >= sinceMs);
  }

  /**
   * A failure that may concern its task only does not open the breaker while others are answered;
   * nor does it, repeated, keep it open for long. The second task that fails says that all do.
   */
  peerFailed(
    { lane, taskId }: Pick<Claim, 'lane' | 'taskId'>,
    error: PeerUnavailableError,
    wasProbe: boolean,
  ): void {
    const isAlone = this.failing.has(lane) ? this.failing.get(lane) === taskId : true;
    this.failing.set(lane, isAlone ? taskId : null);
    const mayBeItsOwn = isAlone && error.mayConcernTaskOnly;
    const recentMs = this.clock.monotonicMs() - RECENT_MS;
    if (mayBeItsOwn && this.hasAnsweredOthers(lane, taskId, recentMs)) return;
    const before = this.get(lane);
    const next = afterPeerFailed(mayBeItsOwn && before.state === 'half_open' ? CLOSED : before, {
      nowMs: this.clock.monotonicMs(),
      retryAfterMs: error.retryAfterMs ?? 0,
      wasProbe,
      chance: Math.random(),
    });
    this.set(lane, next);
  }

  private get(lane: LaneName): Breaker {
    return this.breakers.get(lane) ?? CLOSED;
  }

  private set(lane: LaneName, next: Breaker): Breaker {
    const { state: from } = this.get(lane);
    this.breakers.set(lane, next);
    if (from === next.state) return next;
    const retryInMs = next.state === 'open' ? next.untilMs - this.clock.monotonicMs() : 0;
    for (const listener of this.listeners) listener({ lane, from, to: next.state, retryInMs });
    return next;
  }
}
