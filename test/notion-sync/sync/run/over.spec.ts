import type { NotionPage } from '../../../../tools/fake-notion';
import { RankedBoard, ranksOf } from './ranked-board';

/** Tasks that were closed or unassigned and so have left a board. */

const setup = new RankedBoard();

const shown = (page: NotionPage | undefined): unknown[] =>
  ['Queue Rank', 'Projected Completion', 'At risk'].map((name) => page?.value(name));

test('a task that is closed loses its rank, its date and its flag, and the others move up', async () => {
  const { ada, colloquy } = setup;
  const tasks = setup.tasks(3);
  for (const task of tasks) task.edit({ Estimate: 8, Due: '2020-01-01' });
  await colloquy.run(ada);
  expect(shown(tasks[0])).toEqual([1, expect.any(String), true]);
  tasks[0]?.edit({ Status: 'Done' });
  setup.notion.journal.clear();

  expect(await colloquy.run(ada)).toMatchObject({
    kind: 'ranked',
    counts: { loaded: 3, processed: 3, updated: 3 },
  });
  expect(shown(tasks[0])).toEqual([null, null, false]);
  expect(ranksOf(tasks)).toEqual([null, 1, 2]);
  // The ranks of the open tasks are written first.
  expect(setup.written.at(-1)).toBe(tasks[0]?.id);
});

test('an unassigned task loses its rank in the run of its former assignee', async () => {
  const { ada, colloquy } = setup;
  const tasks = setup.rankedTasks(3);
  tasks[2]?.edit({ Assignee: [] });
  await colloquy.run(ada);

  expect(ranksOf(tasks)).toEqual([1, 2, null]);
});

test('a closed task of several people is cleared by the run of the first assignee', async () => {
  const { ada, board, colloquy } = setup;
  const bob = setup.notion.workspace.user('Bob');
  const shared = board.task({
    Name: 'Both',
    Assignee: [ada, bob],
    Status: 'Done',
    'Queue Rank': 4,
  });
  await colloquy.run(bob);
  expect(setup.written).toEqual([]);

  await colloquy.run(ada);
  expect(ranksOf([shared])).toEqual([null]);
});

test('later runs make no call for a cleared task or a closed task without a rank', async () => {
  const { ada, board, colloquy } = setup;
  const tasks = setup.rankedTasks(2);
  board.task({ Name: 'Done', Assignee: [ada], Status: 'Done' });
  tasks[1]?.edit({ Status: 'Dropped' });
  await colloquy.run(ada);
  setup.notion.journal.clear();

  expect(await colloquy.run(ada)).toMatchObject({ counts: { loaded: 1, updated: 0, apiCalls: 1 } });
});

test('clearing ranks does not trigger the brake', async () => {
  const { ada, colloquy } = setup;
  const tasks = setup.rankedTasks(40);
  for (const task of tasks.slice(0, 30)) task.edit({ Status: 'Done' });

  expect(await colloquy.run(ada)).toMatchObject({ kind: 'ranked', counts: { updated: 40 } });
});
