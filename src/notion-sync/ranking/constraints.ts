import type { BoardTask } from '../board/board-task';
import { type Edges, componentsOf } from './components';

/** Tasks that wait for each other in a circle, each once, in the order of their page ids. */
export interface Cycle {
  readonly relation: 'blocked by' | 'parent';
  readonly pageIds: readonly string[];
}

export interface Constraints {
  /** For each task, by its place in the list: the places of those that go before it. No circles. */
  readonly before: Edges;
  readonly cycles: readonly Cycle[];
}

/**
 * What must go before what: blockers before what they block, parents before their children. A
 * circle binds nobody in it, but still everybody else. A parent that is blocked by its own child
 * is ordinary, and there the blocker wins. What is not on the list does not count: it is closed,
 * or another person's.
 */
export function constraintsOf(tasks: readonly BoardTask[]): Constraints {
  const places = new Map(tasks.map(({ pageId }, place) => [pageId, place]));
  const onBoard = (ids: readonly string[]): number[] =>
    [...new Set(ids)].flatMap((id) => places.get(id) ?? []);
  const blockers = tasks.map((task) => onBoard(task.blockedByIds));
  const parents = tasks.map((task) => onBoard(task.parentId === null ? [] : [task.parentId]));

  const unblocked = withoutCircles(blockers);
  const both = unblocked.map((ids, place) => [...ids, ...(parents[place] ?? [])]);
  const component = componentsOf(both);
  const before = both.map((_, place) => [
    ...(unblocked[place] ?? []),
    ...(parents[place] ?? []).filter((parent) => component[parent] !== component[place]),
  ]);
  const cycles = [
    ...cyclesOf(tasks, blockers, 'blocked by'),
    ...cyclesOf(tasks, parents, 'parent'),
  ];
  return { before: before.map((ids) => [...new Set(ids)]), cycles };
}

function withoutCircles(edges: Edges): number[][] {
  const component = componentsOf(edges);
  return edges.map((targets, place) =>
    targets.filter((target) => component[target] !== component[place]),
  );
}

function cyclesOf(tasks: readonly BoardTask[], edges: Edges, relation: Cycle['relation']): Cycle[] {
  const members = new Map<number, number[]>();
  for (const [place, number] of componentsOf(edges).entries()) {
    const group = members.get(number);
    if (group === undefined) members.set(number, [place]);
    else group.push(place);
  }
  return [...members.values()]
    .filter(([first = 0, ...others]) => others.length > 0 || edges[first]?.includes(first))
    .map((group) => group.flatMap((place) => tasks[place]?.pageId ?? []).sort())
    .sort(([a = ''], [b = '']) => (a < b ? -1 : 1))
    .map((pageIds) => ({ relation, pageIds }));
}
