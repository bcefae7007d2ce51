import type { NotionPage } from '../../../tools/fake-notion';
import { RunStage, ranksOf } from './stage';

const stage = new RunStage();

interface Item {
  readonly kind: string;
  readonly subject: string;
  readonly reason: string;
  readonly isOpen: boolean;
}

function items(): Promise<Item[]> {
  return stage.fixture.commit((tx) =>
    tx.query<Item>(
      `select kind, subject, reason, closed_at is null as "isOpen" from attention order by id`,
    ),
  );
}

/** Approves the board, as a person does who replays the attention item. */
function approve(): Promise<void> {
  const { passes } = stage.colloquy;
  return stage.fixture.commit((tx) => passes.approve(tx, stage.ada.id));
}

async function hasPass(): Promise<boolean> {
  const rows = await stage.fixture.commit((tx) => tx.query('select 1 from notion_board_pass'));
  return rows.length > 0;
}

function reverseImportance(pages: readonly NotionPage[]): void {
  for (const [n, page] of pages.entries()) page.edit({ Importance: n });
}

const ORDER = Array.from({ length: 12 }, (_, n) => n + 1);

test('a board whose tasks would all move is not written and gets an attention item', async () => {
  const pages = stage.rankedTasks(12);
  reverseImportance(pages);

  const end = await stage.colloquy.run(stage.ada);
  await stage.colloquy.run(stage.ada);

  const reason = 'The ranking would move 11 of 12 tasks; nothing was written.';
  expect(end).toEqual({
    kind: 'braked',
    reason,
    counts: { loaded: 12, processed: 12, updated: 0, dropped: 0, apiCalls: 2 },
  });
  expect(stage.written).toEqual([]);
  expect(await items()).toEqual([
    { kind: 'braked', subject: `board:${stage.ada.id}`, reason, isOpen: true },
  ]);
});

test("a board's first ranking is never braked", async () => {
  const pages = stage.tasks(12);
  expect(await stage.colloquy.run(stage.ada)).toMatchObject({ kind: 'ranked' });

  expect(ranksOf(pages)).toEqual(ORDER);
  expect(await items()).toEqual([]);
});

test('an approval allows one run of the board; the next run is braked again', async () => {
  const pages = stage.rankedTasks(12);
  reverseImportance(pages);
  await approve();

  expect(await stage.colloquy.run(stage.ada)).toMatchObject({ kind: 'ranked' });
  expect(ranksOf(pages)).toEqual([...ORDER].reverse());
  expect(await hasPass()).toBe(false);
  reverseImportance([...pages].reverse());
  expect(await stage.colloquy.run(stage.ada)).toMatchObject({ kind: 'braked' });
});

test('an approval expires', async () => {
  reverseImportance(stage.rankedTasks(12));
  await approve();
  stage.fixture.world.clock.advance(25 * 3_600_000);

  expect(await stage.colloquy.run(stage.ada)).toMatchObject({ kind: 'braked' });
});

test('a board that was given up keeps its attention item until it is ranked', async () => {
  stage.rankedTasks(2);
  await stage.fixture.commit((tx) => stage.colloquy.runner.givenUp(tx, stage.ada.id, 'a bug'));
  expect(await items()).toMatchObject([{ kind: 'dead', isOpen: true }]);

  await stage.colloquy.run(stage.ada);
  expect(await items()).toMatchObject([{ kind: 'dead', isOpen: false }]);
});

test('the attention item of a board closes by itself when the board needs no brake any more', async () => {
  const pages = stage.rankedTasks(12);
  reverseImportance(pages);
  await stage.colloquy.run(stage.ada);
  reverseImportance([...pages].reverse());
  await stage.colloquy.run(stage.ada);

  expect(await items()).toMatchObject([{ kind: 'braked', isOpen: false }]);
});

test('an approved board is written completely, in several chunks', async () => {
  const pages = stage.rankedTasks(12);
  reverseImportance(pages);
  await approve();
  const colloquy = stage.fixture.process(stage.board, { NOTION_CHUNK_SIZE: '5' });

  const ends = [];
  for (let n = 0; n < 3; n += 1) ends.push((await colloquy.run(stage.ada)).kind);
  expect(ends).toEqual(['partly', 'partly', 'ranked']);
  expect(ranksOf(pages)).toEqual([...ORDER].reverse());
  expect(await hasPass()).toBe(false);
});

test('the rest of a partly written board with new tasks at the top is not braked', async () => {
  const pages = stage.rankedTasks(12);
  const urgent = ORDER.map((n) =>
    stage.board.task({ Name: 'Urgent', Assignee: [stage.ada], Importance: 99 - n }),
  );
  const colloquy = stage.fixture.process(stage.board, {
    NOTION_CHUNK_SIZE: '10',
    NOTION_BRAKE_SHARE: '0.2',
  });

  const ends = [];
  for (let n = 0; n < 3; n += 1) ends.push((await colloquy.run(stage.ada)).kind);
  expect(ends).toEqual(['partly', 'partly', 'ranked']);
  expect(ranksOf([...urgent, ...pages])).toEqual(Array.from({ length: 24 }, (_, n) => n + 1));
});
