import type { BoardTask } from '../board/board-task';
import { arrange } from './arrange';
import { type Constraints, type Cycle, constraintsOf } from './constraints';
import { type Candidate, Comparison, type RankingRules } from './criteria';

/** A task's place on its person's board. */
export interface RankedTask extends Candidate {
  /** From 1. */
  readonly rank: number;
  /** The rank it would have if nothing waited for anything. */
  readonly ownRank: number;
}

export interface Ranking {
  readonly rules: RankingRules;
  /** By rank. */
  readonly ranked: readonly RankedTask[];
  /** In what order a person can work: by rank, but nothing before what it waits for or is a part of. */
  readonly workOrder: readonly BoardTask[];
  readonly cycles: readonly Cycle[];
}

/**
 * Ranks the open tasks of one person. `importance` looks at importance alone. `weighted` adds due
 * date and age, and puts blockers before what they block and parents before their children. The
 * order of `tasks` does not matter, and no two tasks share a rank.
 */
export function rankBoard(tasks: readonly BoardTask[], rules: RankingRules): Ranking {
  const comparison = new Comparison(rules);
  const own = tasks
    .filter((task) => !task.isClosed)
    .map((task) => comparison.candidate(task))
    .sort((a, b) => comparison.compare(a, b));
  const { before, cycles }: Constraints = constraintsOf(own.map(({ task }) => task));
  const workable = arrange(before).flatMap((place) => withOwnRank(own, place));
  const byRank =
    rules.strategy === 'weighted' ? workable : own.flatMap((_, place) => withOwnRank(own, place));
  return {
    rules,
    ranked: byRank.map((candidate, place) => ({ ...candidate, rank: place + 1 })),
    workOrder: workable.map(({ task }) => task),
    cycles,
  };
}

function withOwnRank(
  own: readonly Candidate[],
  place: number,
): (Candidate & { readonly ownRank: number })[] {
  const candidate = own[place];
  return candidate === undefined ? [] : [{ ...candidate, ownRank: place + 1 }];
}
