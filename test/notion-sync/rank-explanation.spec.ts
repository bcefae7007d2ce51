import { describeCycle, explainRank } from '../../src/notion-sync/board/rank-explanation';
import { Comparison, pointsText, rankBoard, scoreOf } from '../../src/notion-sync/board/ranking';
import {
  arrange,
  componentsOf,
  constraintsOf,
} from '../../src/notion-sync/board/ranking-constraints';
import { TODAY, day, rulesOf, taskOf } from './boards';

const weighted = rulesOf('weighted');

/** The lines about `pageId` of a board of these tasks. */
function explained(pageId: string, ...tasks: ReturnType<typeof taskOf>[]): string[] {
  return explainRank(rankBoard(tasks, weighted), pageId) ?? [];
}

describe('the line about a score', () => {
  test.each([
    ['2026-11-22', 'due 2026-11-22 (today): 40'],
    ['2026-11-23', 'due 2026-11-23 (in 1 day): 37.1'],
    ['2026-11-24', 'due 2026-11-24 (in 2 days): 34.3'],
    ['2026-11-21', 'due 2026-11-21 (1 day ago): 40'],
    ['2026-11-02', 'due 2026-11-02 (20 days ago): 40'],
  ])('says how far the due date %s is', (due, words) => {
    expect(explained('a', taskOf('a', { due: day(due) }))[1]).toContain(`; ${words}; `);
  });

  test('says that there is no importance, and counts the days of the age up to the most that count', () => {
    const task = taskOf('a', { importance: null, createdOn: day('2026-11-20') });
    expect(explained('a', task)[1]).toBe(
      'Its score is 0.4 (no importance: 0; no due date: 0; 2 days old: 0.4).',
    );
    const weights = { importance: 10, due: 40, age: 20 };
    const aged = (createdOn: string) =>
      scoreOf(taskOf('a', { createdOn: day(createdOn) }), weights, TODAY);
    expect(aged('2025-01-01')).toMatchObject({ age: 200, ageDays: 690 });
    expect(aged('2026-12-01')).toMatchObject({ age: 0, ageDays: 0 });
    expect(scoreOf(taskOf('a', { due: day('2026-12-06') }), weights, TODAY)).toMatchObject({
      due: 0,
      daysUntilDue: 14,
    });
    expect(pointsText(35)).toBe('3.5');
  });
});

describe('the lines about neighbours', () => {
  test.each([
    [{ importance: 5 }, { importance: 4 }, 'score 50 against 40'],
    // Ten points of importance, or of a due date.
    [{ importance: 4 }, { due: day('2026-11-22') }, 'importance 4 against none'],
    [{ due: day('2026-12-24') }, {}, 'due 2026-12-24 against none'],
    [{ due: day('2026-12-24') }, { due: day('2026-12-25') }, 'due 2026-12-24 against 2026-12-25'],
    [
      { createdAt: '2026-11-01T08:00:00.000Z' },
      { createdAt: '2026-11-02T08:00:00.000Z' },
      'otherwise equal, and created earlier',
    ],
    [{}, {}, 'equal in everything, so the page ids decide'],
  ])('say what decided: %j before %j', (first, second, why) => {
    const tasks = [
      taskOf('b', { importance: null, ...second }),
      taskOf('a', { importance: null, ...first }),
    ];
    expect(explained('a', ...tasks)).toHaveLength(3);
    expect(explained('a', ...tasks).at(-1)).toBe(`Before "Task b" (number 2): ${why}.`);
    expect(explained('b', ...tasks).at(-1)).toBe(`After "Task a" (number 1): ${why}.`);
  });

  test('compare a task with itself as the same page', () => {
    const comparison = new Comparison(weighted);
    const one = comparison.scored(taskOf('a'));
    expect([comparison.compare(one, one), comparison.reason(one, one)]).toEqual([
      0,
      'the same page',
    ]);
  });

  test('leave out a task that is closed, and trim names', () => {
    const tasks = [
      taskOf('a', { name: ' Call ' }),
      taskOf('z', { importance: 99, isClosed: true }),
    ];
    expect(explained('a', ...tasks)[0]).toBe('"Call" is number 1 of 1.');
    expect(explained('z', ...tasks)).toEqual([]);
  });
});

describe('circles', () => {
  const parents = [
    taskOf('d', { parentId: 'd' }),
    taskOf('c', { parentId: 'b', blockedByIds: ['a', 'a'] }),
    taskOf('b', { parentId: 'c' }),
    taskOf('a'),
  ];

  test('of parents are told to their members only, in the order of their page ids', () => {
    const { cycles } = constraintsOf(parents);
    expect(cycles).toEqual([
      { relation: 'parent', pageIds: ['b', 'c'] },
      { relation: 'parent', pageIds: ['d'] },
    ]);
    expect(cycles.map((cycle) => describeCycle(cycle, (id) => id))).toEqual([
      '"b", "c" are parents of each other in a circle; these relations are ignored.',
      '"d" is its own parent; that is ignored.',
    ]);
    expect(explained('a', ...parents).join(' ')).not.toContain('circle');
    expect(explained('b', ...parents).join(' ')).toContain('"Task b", "Task c" are parents');
    expect(explained('d', ...parents).at(-1)).toBe('"Task d" is its own parent; that is ignored.');
  });

  test('constrain nothing, and a blocker that is named twice counts once', () => {
    expect(constraintsOf(parents).before).toEqual([[], [3], [], []]);
    expect(explained('c', ...parents).filter((line) => line.startsWith('It is blocked'))).toEqual([
      'It is blocked by "Task a" (number 1).',
    ]);
  });
});

describe('an order with constraints', () => {
  test('keeps free tasks where they are, and moves those that others wait for up to just before them', () => {
    expect(arrange([[], [], []])).toEqual([0, 1, 2]);
    expect(arrange([[3], [], [], []])).toEqual([3, 0, 1, 2]);
    expect(arrange([[4], [5], [], [], [5], []])).toEqual([5, 4, 0, 1, 2, 3]);
    expect(arrange([[], [4, 3], [], [], []])).toEqual([0, 3, 4, 1, 2]);
    expect(arrange([[2, 1], [3], [3], []])).toEqual([3, 1, 2, 0]);
  });

  test('has one component for tasks that go before each other, also through others', () => {
    const groups = (edges: number[][]) => {
      const component = componentsOf(edges);
      return component.map((one) => component.indexOf(one));
    };
    expect(groups([[1], [2], [0], [2]])).toEqual([0, 0, 0, 3]);
    expect(groups([[1], [2], [1], [4], [3, 0]])).toEqual([0, 1, 1, 3, 3]);
    expect(groups([[1, 2], [], [0, 1]])).toEqual([0, 1, 0]);
    expect(groups([[1], [0, 2], [3], [2, 1]])).toEqual([0, 0, 0, 0]);
  });
});
