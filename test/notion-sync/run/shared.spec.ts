import { RunStage, idsOf, ranksOf } from './stage';

/** Tasks of several people, and tasks that changed hands. */

const stage = new RunStage();

test('a task of several people is ranked on the board of the first, and the others leave it alone', async () => {
  const { board, ada, colloquy } = stage;
  const bob = stage.notion.workspace.user('Bob');
  const shared = board.task({ Name: 'Shared', Assignee: [ada, bob], Importance: 9 });
  const own = board.task({ Name: 'Bob’s', Assignee: [bob], Importance: 1 });

  await colloquy.run(bob);
  expect(stage.written).toEqual([own.id]);
  expect(ranksOf([shared, own])).toEqual([null, 1]);

  await colloquy.run(ada);
  expect(ranksOf([shared, own])).toEqual([1, 1]);
});

test('however often a shared task moves on the board of the first, the others are not braked', async () => {
  const { board, ada, colloquy } = stage;
  const bob = stage.notion.workspace.user('Bob');
  const shared = Array.from({ length: 20 }, (_, n) =>
    board.task({ Name: `${n}`, Assignee: [ada, bob], Importance: n, 'Queue Rank': n + 1 }),
  );
  const own = board.task({ Name: 'Bob’s', Assignee: [bob], Importance: 1 });

  expect(await colloquy.run(bob)).toMatchObject({ kind: 'ranked', counts: { updated: 1 } });
  expect(ranksOf([own])).toEqual([1]);
  expect(idsOf(shared)).not.toContain(stage.written[0]);
});

test('a person who has lost a task is marked by the run that sees it on another board', async () => {
  const { board, ada, colloquy } = stage;
  const bob = stage.notion.workspace.user('Bob');
  const task = board.task({ Name: 'One', Assignee: [ada] });
  await colloquy.run(ada);
  expect(colloquy.marked).toEqual([]);
  task.edit({ Assignee: [bob] });

  await colloquy.run(bob);
  expect(colloquy.marked).toEqual([ada.id]);
});
