import type { BoardTask } from '../board/board-task';
import type { Day } from '../calendar/day';
import { type Score, type Weights, pointsText, scoreOf } from './score';

/** How a board is ranked. */
export interface RankingRules {
  readonly strategy: 'importance' | 'weighted';
  readonly weights: Weights;
  readonly today: Day;
}

/** A task as the criteria see it. */
export interface Candidate {
  readonly task: BoardTask;
  readonly score: Score;
}

/** One thing by which tasks are compared. */
interface Criterion {
  /** Negative: `a` goes first. */
  compare(a: Candidate, b: Candidate): number;
  /** Why the first goes before the second. */
  reason(first: Candidate, second: Candidate): string;
}

const byScore: Criterion = {
  compare: (a, b) => b.score.total - a.score.total,
  reason: (first, second) =>
    `score ${pointsText(first.score.total)} against ${pointsText(second.score.total)}`,
};

const byImportance: Criterion = {
  compare: (a, b) => compareValues(b.task.importance ?? -Infinity, a.task.importance ?? -Infinity),
  reason: (first, second) =>
    `importance ${shown(first.task.importance)} against ${shown(second.task.importance)}`,
};

const byDue: Criterion = {
  compare: (a, b) => compareValues(a.task.due ?? NEVER, b.task.due ?? NEVER),
  reason: (first, second) => `due ${shown(first.task.due)} against ${shown(second.task.due)}`,
};

const byCreation: Criterion = {
  compare: (a, b) => compareValues(a.task.createdAt, b.task.createdAt),
  reason: () => 'otherwise equal, and created earlier',
};

const byPageId: Criterion = {
  compare: (a, b) => compareValues(a.task.pageId, b.task.pageId),
  reason: () => 'equal in everything, so the page ids decide',
};

/** Above all days. */
const NEVER = '~';

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

  candidate(task: BoardTask): Candidate {
    return { task, score: scoreOf(task, this.rules.weights, this.rules.today) };
  }

  compare(a: Candidate, b: Candidate): number {
    return this.deciding(a, b)?.compare(a, b) ?? 0;
  }

  /** Why the first goes before the second, by themselves. */
  reason(first: Candidate, second: Candidate): string {
    return this.deciding(first, second)?.reason(first, second) ?? 'the same page';
  }

  private deciding(a: Candidate, b: Candidate): Criterion | undefined {
    return this.criteria.find((criterion) => criterion.compare(a, b) !== 0);
  }
}

function compareValues<T extends number | string>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function shown(value: number | string | null): string {
  return value === null ? 'none' : String(value);
}
