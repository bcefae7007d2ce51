import { RUN } from '../../../../src/notion-sync/sync/board-writer';
import type { NotionPage } from '../../../../tools/fake-notion';
import { RankedBoard, ranksOf } from './ranked-board';

const setup = new RankedBoard();
afterEach(() => {
  jest.restoreAllMocks();
});

interface Item {
  readonly kind: string;
  readonly subject: string;
  readonly reason: string;
  readonly isOpen: boolean;
}

function items(): Promise<Item[]> {
  return setup.runs.commit((tx) =>
    tx.query<Item>(
      `select kind, subject, reason, closed_at is null as "isOpen" from attention order by id`,
    ),
  );
}

/** Approves the board, as a person does who replays the attention item. */
function approve(): Promise<void> {
  const { passes } = setup.colloquy;
  return setup.runs.commit((tx) => passes.approve(tx, setup.ada.id));
}

async function hasPass(): Promise<boolean> {
  const rows = await setup.runs.commit((tx) => tx.query('select 1 from notion_board_approval'));
  return rows.length > 0;
}

function reverseImportance(pages: readonly NotionPage[]): void {
  for (const [n, page] of pages.entries()) page.edit({ Importance: n });
}

/** Ada's board has been ranked before; without that no run of hers is braked. */
beforeEach(() =>
  setup.runs.sql('insert into notion_user (user_id, runs, total_updated) values ($1, 1, 12)', [
    setup.ada.id,
  ]),
);

const ORDER = Array.from({ length: 12 }, (_, n) => n + 1);

test('a board whose tasks would all move is not written and gets an attention item', async () => {
  const pages = setup.rankedTasks(12);
  reverseImportance(pages);

  const end = await setup.colloquy.run(setup.ada);
  await setup.colloquy.run(setup.ada);

  const reason = 'The ranking would move 11 of 12 tasks; nothing was written.';
  expect(end).toEqual({
    kind: 'braked',
    reason,
    counts: { loaded: 12, processed: 12, updated: 0, dropped: 0, apiCalls: 2 },
  });
  expect(setup.written).toEqual([]);
  expect(await items()).toEqual([
    { kind: 'braked', subject: `board:${setup.ada.id}`, reason, isOpen: true },
  ]);
});

test("a board's first ranking is never braked", async () => {
  const carl = setup.notion.workspace.user('Carl');
  const pages = setup.tasks(12);
  for (const page of pages) page.edit({ Assignee: [carl] });
  expect(await setup.colloquy.run(carl)).toMatchObject({ kind: 'ranked' });

  expect(ranksOf(pages)).toEqual(ORDER);
  expect(await items()).toEqual([]);
});

test('the first ranking of a person who takes over ranked tasks of several others is not braked', async () => {
  const carl = setup.notion.workspace.user('Carl');
  const pages = [1, 2, 3].flatMap((other) =>
    Array.from({ length: 6 }, (_, n) =>
      setup.board.task({
        Name: `${other}.${n}`,
        Assignee: [carl],
        Importance: 10 * other - n,
        'Queue Rank': n + 1,
      }),
    ),
  );
  // A run that had nothing to write is no ranking.
  await setup.runs.sql('insert into notion_user (user_id, runs) values ($1, 1)', [carl.id]);

  expect(await setup.colloquy.run(carl)).toMatchObject({ kind: 'ranked' });
  expect(ranksOf(pages)).toEqual(
    [3, 2, 1].flatMap((third) => ORDER.slice(0, 6).map((n) => n + 6 * (third - 1))),
  );
  expect(await items()).toEqual([]);
});

test('an approval allows one run of the board; the next run is braked again', async () => {
  const pages = setup.rankedTasks(12);
  reverseImportance(pages);
  await approve();

  expect(await setup.colloquy.run(setup.ada)).toMatchObject({ kind: 'ranked' });
  expect(ranksOf(pages)).toEqual([...ORDER].reverse());
  expect(await hasPass()).toBe(false);
  reverseImportance([...pages].reverse());
  expect(await setup.colloquy.run(setup.ada)).toMatchObject({ kind: 'braked' });
});

test('an approval expires', async () => {
  reverseImportance(setup.rankedTasks(12));
  await approve();
  setup.runs.clock.advance(25 * 3_600_000);

  expect(await setup.colloquy.run(setup.ada)).toMatchObject({ kind: 'braked' });
});

test('a board that was given up keeps its attention item until it is ranked', async () => {
  setup.rankedTasks(2);
  await setup.runs.commit((tx) => setup.colloquy.runner.givenUp(tx, setup.ada.id, 'a bug'));
  expect(await items()).toMatchObject([{ kind: 'dead', isOpen: true }]);

  await setup.colloquy.run(setup.ada);
  expect(await items()).toMatchObject([{ kind: 'dead', isOpen: false }]);
});

test('the attention item of a board closes by itself when the board needs no brake any more', async () => {
  const pages = setup.rankedTasks(12);
  reverseImportance(pages);
  await setup.colloquy.run(setup.ada);
  reverseImportance([...pages].reverse());
  await setup.colloquy.run(setup.ada);

  expect(await items()).toMatchObject([{ kind: 'braked', isOpen: false }]);
});

test('an approved board is written completely, in several chunks', async () => {
  const pages = setup.rankedTasks(12);
  reverseImportance(pages);
  await approve();
  jest.replaceProperty(RUN, 'chunkSize', 5);
  const colloquy = setup.runs.process(setup.board);

  const ends = [];
  for (let n = 0; n < 3; n += 1) ends.push((await colloquy.run(setup.ada)).kind);
  expect(ends).toEqual(['partly', 'partly', 'ranked']);
  expect(ranksOf(pages)).toEqual([...ORDER].reverse());
  expect(await hasPass()).toBe(false);
});

test('the rest of a partly written board with new tasks at the top is not braked', async () => {
  const pages = setup.rankedTasks(12);
  const urgent = ORDER.map((n) =>
    setup.board.task({ Name: 'Urgent', Assignee: [setup.ada], Importance: 99 - n }),
  );
  jest.replaceProperty(RUN, 'chunkSize', 10);
  const colloquy = setup.runs.process(setup.board, { NOTION_BRAKE_SHARE: '0.2' });

  const ends = [];
  for (let n = 0; n < 3; n += 1) ends.push((await colloquy.run(setup.ada)).kind);
  expect(ends).toEqual(['partly', 'partly', 'ranked']);
  expect(ranksOf([...urgent, ...pages])).toEqual(Array.from({ length: 24 }, (_, n) => n + 1));
});
