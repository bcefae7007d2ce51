import type { BoardTask } from './board-tasks';
import { type Day, daysBetween } from '../../common/calendar';
import { arrange, type Constraints, type Cycle, constraintsOf } from './ranking-constraints';

export interface Ranking {
  readonly rules: RankingRules;
  /** By rank. */
  readonly ranked: readonly RankedTask[];
  /** The order in which a person can work: by rank, but after the tasks that a task waits for. */
  readonly workOrder: readonly BoardTask[];
  readonly cycles: readonly Cycle[];
}

/**
 * Ranks the open tasks of one person. `importance` uses importance only. `weighted` adds due date and
 * age, and puts blockers before the tasks that they block and parents before their children. The order
 * of `tasks` does not matter, and no two tasks share a rank.
 */
export function rankBoard(tasks: readonly BoardTask[], rules: RankingRules): Ranking {
  const comparison = new Comparison(rules);
  const own = tasks
    .filter((task) => !task.isClosed)
    .map((task) => comparison.scored(task))
    .sort((a, b) => comparison.compare(a, b));
  const { before, cycles }: Constraints = constraintsOf(own.map(({ task }) => task));
  const workable = arrange(before).flatMap((place) => withOwnRank(own, place));
  const byRank =
    rules.strategy === 'weighted' ? workable : own.flatMap((_, place) => withOwnRank(own, place));
  return {
    rules,
    ranked: byRank.map((scored, place) => ({ ...scored, rank: place + 1 })),
    workOrder: workable.map(({ task }) => task),
    cycles,
  };
}

/** How a board is ranked. */
export interface RankingRules {
  readonly strategy: 'importance' | 'weighted';
  readonly weights: Weights;
  readonly today: Day;
}

/** The weights of the weighted ranking, in points. */
export interface Weights {
  /** Per unit of importance. */
  readonly importance: number;
  /** For a task that is due today or overdue, fading to none `DUE_DAYS` before. */
  readonly due: number;
  /** For a task that is `AGE_DAYS` old or older, growing evenly until then. */
  readonly age: number;
}

/** A task's place on its person's board. */
export interface RankedTask extends ScoredTask {
  /** From 1. */
  readonly rank: number;
  /** The rank that it would have without constraints. */
  readonly ownRank: number;
}

/** A task as the criteria see it. */
export interface ScoredTask {
  readonly task: BoardTask;
  readonly score: Score;
}

/** In tenths of a point; whole numbers, so that equal scores compare as equal. */
export interface Score {
  readonly total: number;
  readonly importance: number;
  readonly due: number;
  readonly age: number;
  readonly daysUntilDue: number | null;
  readonly ageDays: number;
}

/** One criterion of the comparison. */
interface Criterion {
  /** Negative: `a` goes first. */
  compare(a: ScoredTask, b: ScoredTask): number;
  /** Why the first goes before the second. */
  reason(first: ScoredTask, second: ScoredTask): string;
}

const byImportance: Criterion = {
  compare: (a, b) => compareValues(b.task.importance ?? -Infinity, a.task.importance ?? -Infinity),
  reason: (first, second) =>
    `importance ${shown(first.task.importance)} against ${shown(second.task.importance)}`,
};

const byCreation: Criterion = {
  compare: (a, b) => compareValues(a.task.createdAt, b.task.createdAt),
  reason: () => 'otherwise equal, and created earlier',
};

const byPageId: Criterion = {
  compare: (a, b) => compareValues(a.task.pageId, b.task.pageId),
  reason: () => 'equal in everything, so the page ids decide',
};

const byScore: Criterion = {
  compare: (a, b) => compareValues(b.score.total, a.score.total),
  reason: (first, second) =>
    `score ${pointsText(first.score.total)} against ${pointsText(second.score.total)}`,
};

/** Sorts after all days. */
const NEVER = '~';

const byDue: Criterion = {
  compare: (a, b) => compareValues(a.task.due ?? NEVER, b.task.due ?? NEVER),
  reason: (first, second) => `due ${shown(first.task.due)} against ${shown(second.task.due)}`,
};

const CRITERIA: Readonly<Record<RankingRules['strategy'], readonly Criterion[]>> = {
  importance: [byImportance, byCreation, byPageId],
  weighted: [byScore, byImportance, byDue, byCreation, byPageId],
};

/** A strict total order of tasks: two are equal only if they are one page. */
export class Comparison {
  private readonly criteria: readonly Criterion[];

  constructor(private readonly rules: RankingRules) {
    this.criteria = CRITERIA[rules.strategy];
  }

  scored(task: BoardTask): ScoredTask {
    return { task, score: scoreOf(task, this.rules.weights, this.rules.today) };
  }

  compare(a: ScoredTask, b: ScoredTask): number {
    return this.deciding(a, b)?.compare(a, b) ?? 0;
  }

  /** Why the first goes before the second, without other tasks. */
  reason(first: ScoredTask, second: ScoredTask): string {
    return this.deciding(first, second)?.reason(first, second) ?? 'the same page';
  }

  private deciding(a: ScoredTask, b: ScoredTask): Criterion | undefined {
    return this.criteria.find((criterion) => criterion.compare(a, b) !== 0);
  }
}

const DUE_DAYS = 14;
const AGE_DAYS = 90;

/** It depends only on the task and the day, so other tasks do not change the order of two tasks. */
export function scoreOf(task: BoardTask, weights: Weights, today: Day): Score {
  const daysUntilDue = task.due === null ? null : daysBetween(today, task.due);
  const ageDays = task.createdOn === null ? 0 : Math.max(0, daysBetween(task.createdOn, today));
  const nearness = daysUntilDue === null ? 0 : share(DUE_DAYS - daysUntilDue, DUE_DAYS);
  const importance = tenths(weights.importance * (task.importance ?? 0));
  const due = tenths(weights.due * nearness);
  const age = tenths(weights.age * share(ageDays, AGE_DAYS));
  return { total: importance + due + age, importance, due, age, daysUntilDue, ageDays };
}

function share(part: number, whole: number): number {
  return Math.min(1, Math.max(0, part / whole));
}

function tenths(points: number): number {
  return Math.round(points * 10);
}

function compareValues<T extends number | string>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function shown(value: number | string | null): string {
  return value === null ? 'none' : String(value);
}

export function pointsText(value: number): string {
  return String(value / 10);
}

function withOwnRank(
  own: readonly ScoredTask[],
  place: number,
): (ScoredTask & { readonly ownRank: number })[] {
  const scored = own[place];
  return scored === undefined ? [] : [{ ...scored, ownRank: place + 1 }];
}
