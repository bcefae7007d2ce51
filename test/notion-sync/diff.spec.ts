import fc from 'fast-check';
import { type BoardTask, readBoard } from '../../src/notion-sync/board/board-tasks';
import {
  type BoardPlan,
  BoardPlanner,
  brakeOf,
  describeBrake,
  describeRun,
} from '../../src/notion-sync/board/board-plan';
import { rankBoard } from '../../src/notion-sync/board/ranking';
import { READING, anyBoard, boardSettings, day, pageOf, rulesOf, taskOf, updated } from './boards';

const NOW = new Date('2026-11-22T10:00:00Z');
const planners = (['importance', 'weighted'] as const).map(
  (strategy) =>
    new BoardPlanner({
      ...boardSettings,
      ranking: { ...boardSettings.ranking, strategy },
      place: { country: 'DE', region: 'BY' },
    }),
);
const anyPlanner = fc.constantFrom(...planners);
const [planner = new BoardPlanner(boardSettings)] = planners;

/** The board after the first `count` writes of a plan have reached Notion. */
function after(tasks: readonly BoardTask[], { writes }: BoardPlan, count = Infinity): BoardTask[] {
  const done = new Map(writes.slice(0, count).map((write) => [write.pageId, write]));
  const pages = tasks.map((task) => updated(pageOf(task), done.get(task.pageId)));
  return [...readBoard(pages, READING).tasks];
}

const ranked = (count: number, importanceOf: (n: number) => number): BoardTask[] =>
  Array.from({ length: count }, (_, n) =>
    taskOf(`page-${String(n).padStart(3, '0')}`, { importance: importanceOf(n) }),
  );

test('a board that already shows its ranking costs no writes', () => {
  fc.assert(
    fc.property(anyBoard, anyPlanner, fc.nat(13), (tasks, by, hours) => {
      const written = after(tasks, by.plan(tasks, NOW));
      const laterThatDay = new Date(NOW.getTime() + hours * 3_600_000);
      expect(by.plan(written, laterThatDay).writes).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test('a new day rewrites only the dates of the first ranks, until the other dates have drifted', () => {
  const tasks = ranked(30, (n) => 30 - n).map((task) => ({ ...task, estimateHours: 8 }));
  const board = after(tasks, planner.plan(tasks, new Date('2026-11-23T10:00:00Z')));
  const writtenOn = (date: string): unknown[] =>
    planner.plan(board, new Date(`${date}T10:00:00Z`)).writes.map(({ rank }) => rank);

  expect(writtenOn('2026-11-24')).toEqual(Array.from({ length: 10 }, (_, n) => n + 1));
  expect(writtenOn('2026-11-30')).toHaveLength(30);
});

test('an interrupted run continues with exactly the remaining writes, the top first', () => {
  fc.assert(
    fc.property(anyBoard, anyPlanner, fc.nat(12), (tasks, by, count) => {
      const plan = by.plan(tasks, NOW);
      const ranks = plan.writes.map(({ rank }) => rank ?? Infinity);
      expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
      expect(by.plan(after(tasks, plan, count), NOW).writes).toEqual(plan.writes.slice(count));
    }),
    { numRuns: 300 },
  );
});

test('an interrupted run also continues on a board without the property for risk', () => {
  const names = { ...boardSettings.names, atRisk: null };
  const without = new BoardPlanner({ ...boardSettings, names });
  const reading = { ...READING, names };
  const tasks = ranked(30, (n) => 30 - n).map((task) => ({ ...task, estimateHours: 8 }));
  const { writes } = without.plan(tasks, new Date('2026-11-23T10:00:00Z'));
  const done = new Map(writes.map((write) => [write.pageId, write]));
  const pages = tasks.map((task) => updated(pageOf(task), done.get(task.pageId)));
  const board = [...readBoard(pages, reading).tasks];

  expect(board.map(({ written }) => written.atRisk)).toEqual(Array(30).fill(null));
  expect(without.plan(board, new Date('2026-11-24T10:00:00Z')).writes).toHaveLength(10);
});

test('only the properties that differ are written, and only of the pages that differ', () => {
  const tasks = ranked(3, (n) => 3 - n).map((task) => ({ ...task, estimateHours: 8 }));
  const shown = after(tasks, planner.plan(tasks, NOW));
  const changed = shown.map((task, n) => (n === 1 ? { ...task, due: day('2026-11-23') } : task));
  expect(planner.plan(changed, NOW).writes).toEqual([
    { pageId: 'page-001', rank: 2, properties: { 'At risk': { checkbox: true } } },
  ]);
  const swapped = shown.map((task, n) => (n === 2 ? { ...task, importance: 2.5 } : task));
  expect(planner.plan(swapped, NOW).writes).toEqual([
    {
      pageId: 'page-002',
      rank: 2,
      properties: {
        'Queue Rank': { number: 2 },
        'Projected Completion': { date: { start: '2026-11-24' } },
      },
    },
    {
      pageId: 'page-001',
      rank: 3,
      properties: {
        'Queue Rank': { number: 3 },
        'Projected Completion': { date: { start: '2026-11-25' } },
      },
    },
  ]);
});

test('a date that a person entered in place of the projection is overwritten', () => {
  const tasks = [taskOf('a', { estimateHours: 8 })];
  const shown = after(tasks, planner.plan(tasks, NOW));
  const spoilt = shown.map((task) => ({
    ...task,
    written: { ...task.written, projectedCompletion: '2026-11-23/2026-11-24' },
  }));
  expect(planner.plan(spoilt, NOW).writes).toHaveLength(1);
});

test.each([
  [74, 3, '74 writes, about 25 s'],
  [1, 3, '1 write, about 1 s'],
  [0, 3, 'no writes'],
  [900, 3, '900 writes, about 5 min'],
])('%i writes at %i a second read as "%s"', (writes, rate, words) => {
  expect(describeRun(writes, rate)).toBe(words);
});

describe('the brake', () => {
  const rules = { share: 0.5, minTasks: 10 };
  const decide = (tasks: readonly BoardTask[], brake = rules) =>
    brakeOf(rankBoard(tasks, rulesOf('importance')), brake);
  const shown = (tasks: readonly BoardTask[]) => after(tasks, planner.plan(tasks, NOW));
  const reversed = (tasks: readonly BoardTask[]) =>
    shown(tasks).map((task) => ({ ...task, importance: -(task.importance ?? 0) }));

  test("never stops a board's first ranking, nor the rest of an interrupted one", () => {
    const tasks = ranked(40, (n) => n % 7);
    expect(decide(tasks)).toEqual({ isBraked: false, moved: 0, of: 0 });
    const half = after(tasks, planner.plan(tasks, NOW), 20);
    expect(decide(half)).toEqual({ isBraked: false, moved: 0, of: 20 });
  });

  test('stops a run that would reverse a board', () => {
    const decision = decide(reversed(ranked(40, (n) => n)));
    expect(decision).toEqual({ isBraked: true, moved: 39, of: 40 });
    expect(describeBrake(decision)).toBe(
      'The ranking would move 39 of 40 tasks; nothing was written.',
    );
  });

  test('lets a new task at the top through, though every other number changes', () => {
    const tasks = [...shown(ranked(40, (n) => n)), taskOf('new', { importance: 100 })];
    expect(planner.plan(tasks, NOW).writes).toHaveLength(41);
    expect(decide(tasks)).toEqual({ isBraked: false, moved: 0, of: 40 });
  });

  test('counts one moved task as one, and stops above the share, not at it', () => {
    const tasks = shown(ranked(40, (n) => n));
    const one = tasks.map((task, n) => (n === 0 ? { ...task, importance: 100 } : task));
    expect(decide(one)).toMatchObject({ isBraked: false, moved: 1 });
    const half = tasks.map((task, n) => (n < 20 ? { ...task, importance: 100 - n } : task));
    expect(decide(half)).toMatchObject({ isBraked: false, moved: 20 });
    expect(decide(half, { ...rules, share: 0.49 })).toMatchObject({ isBraked: true });
  });

  test('does not count tasks as moved that had the same number', () => {
    const tasks = ranked(12, (n) => n).map((task) => ({
      ...task,
      written: { ...task.written, queueRank: 1 },
    }));
    expect(decide(tasks)).toEqual({ isBraked: false, moved: 0, of: 12 });
  });

  test('ignores small boards, and never stops with a share of 1', () => {
    expect(decide(reversed(ranked(9, (n) => n)))).toMatchObject({ isBraked: false, moved: 8 });
    expect(decide(reversed(ranked(10, (n) => n)))).toMatchObject({ isBraked: true });
    const never = { share: 1, minTasks: 1 };
    expect(decide(reversed(ranked(40, (n) => n)), never)).toMatchObject({ isBraked: false });
  });
});
