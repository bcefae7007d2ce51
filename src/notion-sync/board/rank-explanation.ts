import { type Cycle, constraintsOf } from './ranking-constraints';
import { Comparison, type RankedTask, type Ranking, pointsText } from './ranking';

/** Why a task has its rank, one sentence per line; null when it is not ranked on this board. */
export function explainRank(ranking: Ranking, pageId: string): string[] | null {
  const { ranked, rules } = ranking;
  const found = ranked.find(({ task }) => task.pageId === pageId);
  if (found === undefined) return null;
  const lines = [`${quoted(found)} is number ${String(found.rank)} of ${String(ranked.length)}.`];
  if (rules.strategy === 'weighted') lines.push(scoreLine(found), ...moveLines(ranking, found));
  lines.push(...neighbourLines(ranking, found), ...cycleLines(ranking, found));
  return lines;
}

function scoreLine({ task, score }: RankedTask): string {
  const parts = [
    task.importance === null
      ? 'no importance: 0'
      : `importance ${String(task.importance)}: ${pointsText(score.importance)}`,
    task.due === null
      ? 'no due date: 0'
      : `due ${task.due} (${untilText(score.daysUntilDue ?? 0)}): ${pointsText(score.due)}`,
    `${daysText(score.ageDays)} old: ${pointsText(score.age)}`,
  ];
  return `Its score is ${pointsText(score.total)} (${parts.join('; ')}).`;
}

function untilText(days: number): string {
  if (days === 0) return 'today';
  return days > 0 ? `in ${daysText(days)}` : `${daysText(-days)} ago`;
}

function daysText(days: number): string {
  return days === 1 ? '1 day' : `${String(days)} days`;
}

/** The tasks that it waits for, and those that moved it up. */
function moveLines(ranking: Ranking, found: RankedTask): string[] {
  const lines: string[] = [];
  const { direct, all } = dependentsOf(ranking, found);
  const urgent = all.reduce((a, b) => (b.ownRank < a.ownRank ? b : a), found);
  if (urgent !== found) {
    const waits = direct.includes(urgent) ? 'waits for it' : 'waits for it through others';
    lines.push(
      `By its score alone it would be number ${String(found.ownRank)}; it goes earlier because ` +
        `${quoted(urgent)} (number ${String(urgent.rank)}) ${waits}.`,
    );
  }
  for (const other of beforeOf(ranking, found)) {
    const relation = found.task.blockedByIds.includes(other.task.pageId)
      ? 'It is blocked by'
      : 'It is a part of';
    lines.push(`${relation} ${quoted(other)} (number ${String(other.rank)}).`);
  }
  return lines;
}

/** Neighbours differ by a criterion, or one waits for the other; `arrange` has no other reason. */
function neighbourLines({ ranked, rules }: Ranking, found: RankedTask): string[] {
  const comparison = new Comparison(rules);
  const above = ranked[found.rank - 2];
  const below = ranked[found.rank];
  const lines: string[] = [];
  if (above !== undefined) {
    const why =
      above.ownRank < found.ownRank ? comparison.reason(above, found) : 'this one waits for it';
    lines.push(`After ${quoted(above)} (number ${String(above.rank)}): ${why}.`);
  }
  if (below !== undefined) {
    const why =
      found.ownRank < below.ownRank ? comparison.reason(found, below) : 'that one waits for this';
    lines.push(`Before ${quoted(below)} (number ${String(below.rank)}): ${why}.`);
  }
  return lines;
}

function cycleLines({ ranked, cycles }: Ranking, found: RankedTask): string[] {
  return cycles
    .filter(({ pageIds }) => pageIds.includes(found.task.pageId))
    .map((cycle) => describeCycle(cycle, (id) => nameOf(ranked, id)));
}

/** A sentence for the owner of the board. */
export function describeCycle(
  { relation, pageIds }: Cycle,
  nameOfPage: (id: string) => string,
): string {
  const names = pageIds.map((id) => `"${nameOfPage(id)}"`).join(', ');
  if (pageIds.length === 1) return `${names} is its own ${ITSELF[relation]}; that is ignored.`;
  return `${names} ${CIRCLE[relation]} in a circle; these relations are ignored.`;
}

const ITSELF = { 'blocked by': 'blocker', parent: 'parent' } as const;
const CIRCLE = { 'blocked by': 'block each other', parent: 'are parents of each other' } as const;

function beforeOf({ ranked }: Ranking, found: RankedTask): RankedTask[] {
  const { before } = constraintsOf(ranked.map(({ task }) => task));
  return (before[found.rank - 1] ?? []).flatMap((place) => ranked[place] ?? []);
}

/** The tasks that wait for a task, directly or through others. */
function dependentsOf(
  { ranked }: Ranking,
  found: RankedTask,
): { readonly direct: RankedTask[]; readonly all: RankedTask[] } {
  const { before } = constraintsOf(ranked.map(({ task }) => task));
  const start = found.rank - 1;
  const waiting = new Set([start]);
  // A waiting task is ranked later, so one pass down the board finds all of them.
  for (const [place, earlier] of before.entries()) {
    if (earlier.some((other) => waiting.has(other))) waiting.add(place);
  }
  waiting.delete(start);
  const all = [...waiting].flatMap((place) => ranked[place] ?? []);
  return { all, direct: all.filter(({ rank }) => before[rank - 1]?.includes(start)) };
}

function nameOf(ranked: readonly RankedTask[], pageId: string): string {
  return titleOf(ranked.find(({ task }) => task.pageId === pageId)?.task.name ?? '');
}

function quoted({ task }: RankedTask): string {
  return `"${titleOf(task.name)}"`;
}

function titleOf(name: string): string {
  return name.trim() === '' ? '(untitled)' : name.trim();
}
