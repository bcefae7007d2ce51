import type { BoardTask } from './board-tasks';

export interface Constraints {
  /** For each task, by its place in the list: the places of those that go before it. No circles. */
  readonly before: Edges;
  readonly cycles: readonly Cycle[];
}

/**
 * The order constraints: blockers before the tasks that they block, parents before their children.
 * Inside a circle there are no constraints, but tasks outside still obey it. A parent may be blocked by
 * its own child; then the blocker goes first. Tasks that are not on the list are closed or another
 * person's, and do not count.
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

/** For each task, those that go before it; tasks are numbers from 0. */
export type Edges = readonly (readonly number[])[];

/** Tasks that wait for each other in a circle, each once, in the order of their page ids. */
export interface Cycle {
  readonly relation: 'blocked by' | 'parent';
  readonly pageIds: readonly string[];
}

interface Frame {
  readonly node: number;
  next: number;
}

/**
 * The number of the strongly connected component of each task (Tarjan, 1972; with a stack of its own,
 * because a chain of tasks may be longer than the call stack). Two tasks have the same number exactly
 * if each goes before the other, directly or not.
 */
export function componentsOf(edges: Edges): number[] {
  const component = edges.map(() => -1);
  const index = edges.map(() => -1);
  const low = edges.map(() => -1);
  const open: number[] = [];
  let visited = 0;
  let components = 0;

  const enter = (node: number): Frame => {
    index[node] = low[node] = visited++;
    open.push(node);
    return { node, next: 0 };
  };
  const reach = (node: number, depth: number): void => {
    low[node] = Math.min(low[node] ?? depth, depth);
  };
  const close = (root: number): void => {
    let node: number | undefined;
    do {
      node = open.pop();
      if (node !== undefined) component[node] = components;
    } while (node !== root && node !== undefined);
    components += 1;
  };

  for (const start of edges.keys()) {
    if (index[start] !== -1) continue;
    const frames = [enter(start)];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const { node } = frame;
      const target = edges[node]?.[frame.next++];
      if (target === undefined) {
        frames.pop();
        if (low[node] === index[node]) close(node);
        const parent = frames.at(-1);
        if (parent !== undefined) reach(parent.node, low[node] ?? 0);
      } else if (index[target] === -1) frames.push(enter(target));
      else if (component[target] === -1) reach(node, index[target] ?? 0);
    }
  }
  return component;
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

/**
 * The order that obeys `before` (without circles) and otherwise stays as near as possible to 0, 1, 2, …:
 * filled from the end, each time with the last task that none of the remaining ones waits for. So a task
 * that an urgent one waits for moves up just before it, and no other task moves because of it.
 */
export function arrange(before: Edges): number[] {
  const waiting = before.map(() => 0);
  for (const place of before.flat()) waiting[place] = (waiting[place] ?? 0) + 1;
  const free = [...before.keys()].filter((place) => waiting[place] === 0);
  const arranged: number[] = [];
  for (let place = free.pop(); place !== undefined; place = free.pop()) {
    arranged.push(place);
    for (const earlier of before[place] ?? []) {
      const left = (waiting[earlier] ?? 0) - 1;
      waiting[earlier] = left;
      if (left === 0) free.splice(insertionPoint(free, earlier), 0, earlier);
    }
  }
  return arranged.reverse();
}

function insertionPoint(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
