import type { Edges } from './components';

/**
 * The order that obeys `before` (without circles) and otherwise stays as near as it can to 0, 1,
 * 2, …: filled from the end, each time with the last of the tasks that nothing left goes after.
 * So a task that an urgent one waits for moves up just before it, and nothing else moves for it.
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
