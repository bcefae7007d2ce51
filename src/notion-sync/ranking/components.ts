/** For each task, those that go before it; tasks are numbers from 0. */
export type Edges = readonly (readonly number[])[];

interface Frame {
  readonly node: number;
  next: number;
}

/**
 * The number of the strongly connected component of each task (Tarjan, 1972; with a stack of its
 * own, since a chain of tasks may be longer than the call stack). Two tasks have the same number
 * just when each goes, directly or not, before the other.
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
