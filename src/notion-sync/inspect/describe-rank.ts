import type { BoardPlan } from '../diff/plan-board';
import { explainRank } from '../ranking/explain-rank';

/** A page's place on a board and its projection, a sentence a line. */
export function describeRank({ ranking, projections }: BoardPlan, pageId: string): string[] {
  const lines = explainRank(ranking, pageId);
  if (lines === null) return ['It is not among the open tasks there, so it is not ranked.'];
  const projection = projections.get(pageId);
  const day = projection?.completesOn ?? null;
  const isAtRisk = projection?.isAtRisk ?? false;
  const ready =
    day === null
      ? 'It has no estimate, or is too far away for a projected completion.'
      : `Its projected completion is ${day}.`;
  return [...lines, ready, ...(isAtRisk ? ['It is at risk: due before it can be ready.'] : [])];
}
