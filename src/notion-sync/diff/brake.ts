import type { Ranking } from '../ranking/rank-board';

export interface BrakeRules {
  /** Of the tasks that have a rank, the share that may change places in one run. */
  readonly share: number;
  /** Boards with fewer ranked tasks are never braked: half of three tasks is nothing unusual. */
  readonly minTasks: number;
}

export interface BrakeDecision {
  readonly isBraked: boolean;
  /** Tasks that change places with others. */
  readonly moved: number;
  /** Tasks that had a rank before. */
  readonly of: number;
}

/**
 * Whether a run is so unusual that a person should see it first. What counts is who changes places
 * with whom: a new task at the top gives every other task a new number, and every morning gives
 * them new dates, and yet nobody's work is turned round. `moved` is the fewest tasks that have to
 * be taken out so that the others stay in their old order. A board's first ranking moves nobody.
 */
export function brakeOf(ranking: Ranking, rules: BrakeRules): BrakeDecision {
  const before = ranking.ranked.flatMap(({ task }) => task.written.queueRank ?? []);
  const moved = before.length - longestRise(before);
  const isLarge = before.length >= rules.minTasks;
  return { isBraked: isLarge && moved > rules.share * before.length, moved, of: before.length };
}

/** For the attention list. */
export function describeBrake({ moved, of }: BrakeDecision): string {
  return `The ranking would move ${String(moved)} of ${String(of)} tasks; nothing was written.`;
}

/** Length of the longest subsequence that never falls (patience sorting). */
function longestRise(values: readonly number[]): number {
  const tails: number[] = [];
  for (const value of values) {
    const place = tails.findIndex((tail) => tail > value);
    tails[place === -1 ? tails.length : place] = value;
  }
  return tails.length;
}
