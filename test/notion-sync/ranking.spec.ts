import { describeCycle, explainRank } from '../../src/notion-sync/board/rank-explanation';
import { rankBoard } from '../../src/notion-sync/board/ranking';
import { day, rulesOf, taskOf } from './boards';

const importance = rulesOf('importance');
const weighted = rulesOf('weighted');

describe('by importance', () => {
  test('uses only the importance; equal tasks are ordered by age, then by page id', () => {
    const tasks = [
      taskOf('d'),
      taskOf('c', { importance: 2, due: day('2026-11-22') }),
      taskOf('b', { importance: 5, blockedByIds: ['c'] }),
      taskOf('a', { importance: 2 }),
      taskOf('e', { importance: 2, createdAt: '2026-11-01T08:00:00.000Z' }),
    ];
    const { ranked, workOrder } = rankBoard(tasks, importance);
    expect(ranked.map(({ task }) => task.pageId)).toEqual(['b', 'e', 'a', 'c', 'd']);
    expect(workOrder.map(({ pageId }) => pageId)).toEqual(['c', 'b', 'e', 'a', 'd']);
  });

  test('explains a rank by the neighbours', () => {
    const tasks = [
      taskOf('a', { name: 'Call Ada', importance: 9 }),
      taskOf('b', { name: ' ', importance: 8, createdAt: '2026-11-01T08:00:00.000Z' }),
      taskOf('c', { name: 'Write the offer', importance: 8 }),
    ];
    expect(explainRank(rankBoard(tasks, importance), 'b')).toEqual([
      '"(untitled)" is number 2 of 3.',
      'After "Call Ada" (number 1): importance 9 against 8.',
      'Before "Write the offer" (number 3): otherwise equal, and created earlier.',
    ]);
    expect(explainRank(rankBoard(tasks, importance), 'unknown')).toBeNull();
  });
});

describe('weighted', () => {
  test('adds importance, due date and age', () => {
    const tasks = [
      taskOf('important', { importance: 5 }),
      taskOf('overdue', { importance: 2, due: day('2026-11-01') }),
      taskOf('due in a week', { importance: 2, due: day('2026-11-29') }),
      taskOf('old', { importance: 2, createdOn: day('2026-01-01') }),
      taskOf('far', { importance: 2, due: day('2026-12-24') }),
      taskOf('plain', { importance: 2 }),
    ];
    expect(
      rankBoard(tasks, weighted).ranked.map(({ task, score }) => [task.pageId, score.total / 10]),
    ).toEqual([
      ['overdue', 60],
      ['important', 50],
      ['due in a week', 40],
      ['old', 40],
      ['far', 20],
      ['plain', 20],
    ]);
  });

  test('orders tasks of extreme importance in one way, whatever the order in which they are read', () => {
    const tasks = [
      taskOf('new', { importance: 1e308 }),
      taskOf('old', { importance: 1e308, createdAt: '2026-11-01T08:00:00.000Z' }),
      taskOf('plain', { importance: 1 }),
    ];
    for (const read of [tasks, tasks.toReversed()]) {
      const { ranked } = rankBoard(read, weighted);
      expect(ranked.map(({ task }) => task.pageId)).toEqual(['old', 'new', 'plain']);
    }
  });

  test('moves up only the tasks that an urgent one waits for, directly or through others', () => {
    const tasks = [
      taskOf('urgent', { importance: 9, blockedByIds: ['between', 'another-board'] }),
      taskOf('middle', { importance: 5 }),
      taskOf('between', { importance: 1, blockedByIds: ['first'] }),
      taskOf('first', { importance: 0 }),
      taskOf('low', { importance: 2 }),
    ];
    const ranking = rankBoard(tasks, weighted);
    expect(ranking.ranked.map(({ task }) => task.pageId)).toEqual([
      'first',
      'between',
      'urgent',
      'middle',
      'low',
    ]);
    expect(explainRank(ranking, 'between')).toEqual([
      '"Task between" is number 2 of 5.',
      'Its score is 10 (importance 1: 10; no due date: 0; 0 days old: 0).',
      'By its score alone it would be number 4; it goes earlier because "Task urgent" (number 3) waits for it.',
      'It is blocked by "Task first" (number 1).',
      'After "Task first" (number 1): this one waits for it.',
      'Before "Task urgent" (number 3): that one waits for this.',
    ]);
    expect(explainRank(ranking, 'first')?.[2]).toBe(
      'By its score alone it would be number 5; it goes earlier because "Task urgent" (number 3) waits for it through others.',
    );
  });

  test('puts parents before children, unless the child blocks its parent', () => {
    const family = (blockedByIds: string[]) => [
      taskOf('parent', { importance: 1, due: day('2026-11-25'), blockedByIds }),
      taskOf('child', { importance: 9, parentId: 'parent', createdOn: day('2026-11-21') }),
    ];
    const before = rankBoard(family([]), weighted);
    expect(before.ranked.map(({ task }) => task.pageId)).toEqual(['parent', 'child']);
    expect(explainRank(before, 'child')?.slice(1, 3)).toEqual([
      'Its score is 90.2 (importance 9: 90; no due date: 0; 1 day old: 0.2).',
      'It is a part of "Task parent" (number 1).',
    ]);
    expect(explainRank(before, 'parent')?.[1]).toContain('due 2026-11-25 (in 3 days): 31.4;');
    const after = rankBoard(family(['child']), weighted);
    expect(after.ranked.map(({ task }) => task.pageId)).toEqual(['child', 'parent']);
    expect(after.cycles).toEqual([]);
  });

  test('ignores and reports a circle of blockers, and still puts it before the tasks that it blocks', () => {
    const tasks = [
      taskOf('a', { importance: 1, blockedByIds: ['b'] }),
      taskOf('b', { importance: 2, blockedByIds: ['a'] }),
      taskOf('c', { importance: 9, blockedByIds: ['a', 'b', 'c'] }),
    ];
    const ranking = rankBoard(tasks, weighted);
    expect(ranking.ranked.map(({ task }) => task.pageId)).toEqual(['b', 'a', 'c']);
    expect(ranking.cycles).toEqual([
      { relation: 'blocked by', pageIds: ['a', 'b'] },
      { relation: 'blocked by', pageIds: ['c'] },
    ]);
    expect(explainRank(ranking, 'a')?.at(-1)).toBe(
      '"Task a", "Task b" block each other in a circle; these relations are ignored.',
    );
    expect(ranking.cycles.map((cycle) => describeCycle(cycle, (id) => id)).at(-1)).toBe(
      '"c" is its own blocker; that is ignored.',
    );
  });
});
