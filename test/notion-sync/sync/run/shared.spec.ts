import { RankedBoard, idsOf, ranksOf } from './ranked-board';

/** Tasks of several people, and tasks that got another assignee. */

const setup = new RankedBoard();

test('a task of several people is ranked only on the board of the first assignee', async () => {
  const { board, ada, colloquy } = setup;
  const bob = setup.notion.workspace.user('Bob');
  const shared = board.task({ Name: 'Shared', Assignee: [ada, bob], Importance: 9 });
  const own = board.task({ Name: 'Bob’s', Assignee: [bob], Importance: 1 });

  await colloquy.run(bob);
  expect(setup.written).toEqual([own.id]);
  expect(ranksOf([shared, own])).toEqual([null, 1]);

  await colloquy.run(ada);
  expect(ranksOf([shared, own])).toEqual([1, 1]);
});

test('the moves of shared tasks on the board of the first assignee do not brake other boards', async () => {
  const { board, ada, colloquy } = setup;
  const bob = setup.notion.workspace.user('Bob');
  const shared = Array.from({ length: 20 }, (_, n) =>
    board.task({ Name: `${n}`, Assignee: [ada, bob], Importance: n, 'Queue Rank': n + 1 }),
  );
  const own = board.task({ Name: 'Bob’s', Assignee: [bob], Importance: 1 });

  expect(await colloquy.run(bob)).toMatchObject({ kind: 'ranked', counts: { updated: 1 } });
  expect(ranksOf([own])).toEqual([1]);
  expect(idsOf(shared)).not.toContain(setup.written[0]);
});

test('a run that finds a reassigned task marks the board of its previous assignee', async () => {
  const { board, ada, colloquy } = setup;
  const bob = setup.notion.workspace.user('Bob');
  const task = board.task({ Name: 'One', Assignee: [ada] });
  await colloquy.run(ada);
  expect(colloquy.marked).toEqual([]);
  task.edit({ Assignee: [bob] });

  await colloquy.run(bob);
  expect(colloquy.marked).toEqual([ada.id]);
});

test('a run that finds another assignee in front of its person marks the board of that assignee', async () => {
  const { board, ada, colloquy } = setup;
  const bob = setup.notion.workspace.user('Bob');
  const task = board.task({ Name: 'One', Assignee: [ada] });
  board.task({ Name: 'New', Assignee: [bob, ada] });
  await colloquy.run(ada);
  // A page that was never read before marks nobody, or the first day would mark everybody.
  expect(colloquy.marked).toEqual([]);
  task.edit({ Assignee: [bob, ada] });

  await colloquy.run(ada);
  expect(colloquy.marked).toEqual([bob.id]);
  await colloquy.run(ada);
  expect(colloquy.marked).toEqual([bob.id]);
});

test('a task whose first assignee has left the workspace is ranked on the board of the next', async () => {
  const { board, ada, colloquy } = setup;
  const bob = setup.notion.workspace.user('Bob');
  const task = board.task({ Name: 'Shared', Assignee: [bob, ada], Importance: 9 });
  await colloquy.run(ada);
  expect(ranksOf([task])).toEqual([null]);

  bob.leaves();
  await colloquy.run(ada);
  expect(ranksOf([task])).toEqual([1]);
});

test('without the right to read users, nobody counts as having left', async () => {
  const { board, ada, colloquy } = setup;
  const bob = setup.notion.workspace.user('Bob');
  const task = board.task({ Name: 'Shared', Assignee: [bob, ada], Importance: 9 });
  for (const user of [bob, ada]) user.leaves();

  await colloquy.run(ada);
  expect(ranksOf([task])).toEqual([null]);
  await colloquy.run(bob);
  expect(ranksOf([task])).toEqual([1]);
});
