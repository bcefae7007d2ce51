import fc from 'fast-check';
import type { BoardTask } from '../../src/notion-sync/board/board-tasks';
import { type Ranking, rankBoard } from '../../src/notion-sync/board/ranking';
import { explainRank } from '../../src/notion-sync/board/rank-explanation';
import { anyBoard, anyBoardTwice, rulesOf, taskOf } from './boards';

const RUNS = { numRuns: 300 };
const strategy = fc.constantFrom('importance' as const, 'weighted' as const);

function open(tasks: readonly BoardTask[]): BoardTask[] {
  return tasks.filter((task) => !task.isClosed);
}

function ids(ranking: Ranking): string[] {
  return ranking.ranked.map(({ task }) => task.pageId);
}

/** Tells whether one task comes before another, directly or through others; by brute force. */
function reachable(tasks: readonly BoardTask[], before: (task: BoardTask) => readonly string[]) {
  const all = tasks.map(({ pageId }) => pageId);
  const pairs = new Set(
    tasks.flatMap((task) =>
      before(task).flatMap((id) => (all.includes(id) ? [`${id}>${task.pageId}`] : [])),
    ),
  );
  for (const via of all)
    for (const a of all)
      for (const b of all)
        if (pairs.has(`${a}>${via}`) && pairs.has(`${via}>${b}`)) pairs.add(`${a}>${b}`);
  return (a: string, b: string): boolean => pairs.has(`${a}>${b}`);
}

const blockers = (task: BoardTask): readonly string[] => task.blockedByIds;
const parents = (task: BoardTask): readonly string[] =>
  task.parentId === null ? [] : [task.parentId];

/** The relations that count, by brute force: blockers and then parents outside circles. */
function binding(tasks: readonly BoardTask[]): (task: BoardTask) => string[] {
  const blocks = reachable(tasks, blockers);
  const outside = (task: BoardTask): string[] =>
    task.blockedByIds.filter((id) => !blocks(task.pageId, id));
  const both = reachable(tasks, (task) => [...outside(task), ...parents(task)]);
  return (task) => [...outside(task), ...parents(task).filter((id) => !both(task.pageId, id))];
}

function circles(tasks: readonly BoardTask[], before: (task: BoardTask) => readonly string[]) {
  const goes = reachable(tasks, before);
  const all = tasks.map(({ pageId }) => pageId).sort();
  const groups = all
    .filter((id) => goes(id, id))
    .map((id) => all.filter((other) => goes(id, other) && goes(other, id)).join());
  return [...new Set(groups)];
}

test('the open tasks are ranked from 1 without a gap, and closed tasks have no rank', () => {
  fc.assert(
    fc.property(anyBoard, strategy, (tasks, by) => {
      const ranking = rankBoard(tasks, rulesOf(by));
      const expected = open(tasks).map(({ pageId }) => pageId);
      expect([...ids(ranking)].sort()).toEqual(expected.sort());
      expect(ranking.ranked.map(({ rank }) => rank)).toEqual(expected.map((_, n) => n + 1));
      expect(ranking.workOrder.map(({ pageId }) => pageId).sort()).toEqual(expected);
    }),
    RUNS,
  );
});

test('the order in which Notion returns the rows changes nothing', () => {
  fc.assert(
    fc.property(anyBoardTwice, strategy, ([tasks, shuffled], by) => {
      const ranking = rankBoard(tasks, rulesOf(by));
      const again = rankBoard(
        shuffled.map((task) => ({ ...task, blockedByIds: [...task.blockedByIds].reverse() })),
        rulesOf(by),
      );
      expect(ids(again)).toEqual(ids(ranking));
      expect(again.cycles).toEqual(ranking.cycles);
      expect(again.workOrder.map(({ pageId }) => pageId)).toEqual(
        ranking.workOrder.map(({ pageId }) => pageId),
      );
    }),
    RUNS,
  );
});

test('two tasks without constraints keep their order whatever else is on the board', () => {
  fc.assert(
    fc.property(anyBoard, strategy, fc.infiniteStream(fc.boolean()), (tasks, by, coins) => {
      const free = tasks.map((task) => ({ ...task, parentId: null, blockedByIds: [] }));
      const kept = free.filter(() => coins.next().value === true);
      const keptIds = new Set(kept.map(({ pageId }) => pageId));
      expect(ids(rankBoard(kept, rulesOf(by)))).toEqual(
        ids(rankBoard(free, rulesOf(by))).filter((id) => keptIds.has(id)),
      );
    }),
    RUNS,
  );
});

test('by importance alone, no task is ranked before a more important one', () => {
  fc.assert(
    fc.property(anyBoard, (tasks) => {
      const values = rankBoard(tasks, rulesOf('importance')).ranked.map(
        ({ task }) => task.importance ?? -Infinity,
      );
      expect(values).toEqual([...values].sort((a, b) => (a === b ? 0 : b - a)));
    }),
    RUNS,
  );
});

test('tasks come after their blockers, and children after their parents, except in circles', () => {
  fc.assert(
    fc.property(anyBoard, strategy, (tasks, by) => {
      const ranking = rankBoard(tasks, rulesOf(by));
      const work = ranking.workOrder.map(({ pageId }) => pageId);
      const orders = by === 'weighted' ? [work, ids(ranking)] : [work];
      const before = binding(open(tasks));
      for (const order of orders) {
        for (const task of ranking.workOrder) {
          for (const id of before(task).filter((other) => order.includes(other))) {
            expect(order.indexOf(id)).toBeLessThan(order.indexOf(task.pageId));
          }
        }
      }
      if (by === 'weighted') expect(ids(ranking)).toEqual(work);
    }),
    RUNS,
  );
});

test('a task comes before a more urgent one only if an even more urgent one waits for it', () => {
  fc.assert(
    fc.property(anyBoard, (tasks) => {
      const { ranked } = rankBoard(tasks, rulesOf('weighted'));
      const goes = reachable(open(tasks), binding(open(tasks)));
      for (const a of ranked) {
        for (const b of ranked.slice(a.rank).filter((other) => other.ownRank < a.ownRank)) {
          const reason = ranked.find(
            (x) => goes(a.task.pageId, x.task.pageId) && x.ownRank <= b.ownRank,
          );
          expect(reason).toBeDefined();
        }
      }
    }),
    RUNS,
  );
});

test('each circle is reported once, with exactly the tasks in it', () => {
  fc.assert(
    fc.property(anyBoard, strategy, (tasks, by) => {
      const { cycles } = rankBoard(tasks, rulesOf(by));
      const reported = (relation: string): string[] =>
        cycles.filter((one) => one.relation === relation).map(({ pageIds }) => pageIds.join());
      expect(reported('blocked by')).toEqual(circles(open(tasks), blockers));
      expect(reported('parent')).toEqual(circles(open(tasks), parents));
    }),
    RUNS,
  );
});

test('every rank is explained; neighbours swap their own order only if one waits for the other', () => {
  fc.assert(
    fc.property(anyBoard, strategy, (tasks, by) => {
      const ranking = rankBoard(tasks, rulesOf(by));
      const before = binding(open(tasks));
      for (const [place, { task, rank, ownRank }] of ranking.ranked.entries()) {
        const lines = explainRank(ranking, task.pageId) ?? [];
        expect(lines[0]).toBe(`"${task.name}" is number ${rank} of ${ranking.ranked.length}.`);
        expect(lines.join('\n')).not.toContain('undefined');
        const above = ranking.ranked[place - 1];
        if (above !== undefined && above.ownRank > ownRank) {
          expect(before(task)).toContain(above.task.pageId);
        }
      }
    }),
    RUNS,
  );
});

test('a chain of ten thousand tasks and a circle of ten thousand tasks are ranked', () => {
  const size = 10_000;
  const id = (n: number): string => `page-${String(n).padStart(5, '0')}`;
  const chain = Array.from({ length: size }, (_, n) =>
    taskOf(id(n), { blockedByIds: n + 1 < size ? [id(n + 1)] : [] }),
  );
  const last = rankBoard(chain, rulesOf('weighted'));
  expect(last.ranked[0]?.task.pageId).toBe(id(size - 1));
  expect(last.cycles).toEqual([]);

  const circle = chain.map((task, n) => (n + 1 < size ? task : { ...task, blockedByIds: [id(0)] }));
  const { cycles, ranked } = rankBoard(circle, rulesOf('weighted'));
  expect(cycles.map(({ pageIds }) => pageIds.length)).toEqual([size]);
  expect(ranked).toHaveLength(size);
});
