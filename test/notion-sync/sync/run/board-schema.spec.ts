import type { NotionPage } from '../../../../tools/fake-notion';
import { RankedBoard, ranksOf } from './ranked-board';

const setup = new RankedBoard();

describe('the schema of the boards', () => {
  test('is read once for many runs, and again when it is too old', async () => {
    const { colloquy, ada, runs } = setup;
    for (let n = 0; n < 3; n += 1) await colloquy.run(ada);
    expect(setup.notion.journal.calls('getDataSource')).toHaveLength(1);

    runs.clock.advance(601_000);
    await colloquy.run(ada);
    expect(setup.notion.journal.calls('getDataSource')).toHaveLength(2);
  });

  test.each([
    [
      'was renamed',
      () => {
        setup.board.renameColumn('Importance', 'Weight');
      },
    ],
    [
      'was deleted',
      () => {
        setup.board.dropColumn('Importance');
      },
    ],
    [
      'of the query was renamed',
      () => {
        setup.board.renameColumn('Assignee', 'Owner');
      },
    ],
    [
      'that is written was renamed',
      () => {
        setup.board.renameColumn('Queue Rank', 'Rank');
      },
    ],
  ])(
    'a property %s: the run is refused with a reason, and nothing is written',
    async (_, change) => {
      const pages = setup.tasks(3);
      await setup.colloquy.run(setup.ada);
      setup.notion.journal.clear();
      for (const page of pages.slice(1)) page.edit({ Importance: 9 });
      change();

      const end = await setup.colloquy.run(setup.ada);

      expect(end).toMatchObject({ kind: 'refused', counts: { updated: 0 } });
      expect(end.reason).toMatch(
        /^The property "[^"]+" is missing: restore its name, or set NOTION_PROPERTY_[A-Z_]+\.$/,
      );
      expect(setup.written).toEqual([]);
    },
  );

  test('a property of another type is reported with its type and the expected one', async () => {
    setup.tasks(2);
    await setup.colloquy.run(setup.ada);
    setup.board.retypeColumn('Estimate', 'rich_text');

    expect(await setup.colloquy.run(setup.ada)).toMatchObject({
      kind: 'refused',
      reason:
        'The property "Estimate" is of type rich_text; expected number: change its type, or set NOTION_PROPERTY_ESTIMATE.',
    });
  });

  test('a date that cannot be read blocks the board, and the reason names its page', async () => {
    const [, odd] = setup.tasks(3) as [NotionPage, NotionPage, NotionPage];
    odd.edit({ Due: 'someday' });

    expect(await setup.colloquy.run(setup.ada)).toMatchObject({
      kind: 'refused',
      reason: `The property "Due" has a value that is not a date on the page ${odd.id}: correct it there, or set NOTION_PROPERTY_DUE.`,
    });
    expect(setup.written).toEqual([]);

    odd.edit({ Due: '2026-12-24' });
    expect(await setup.colloquy.run(setup.ada)).toMatchObject({ kind: 'ranked' });
  });

  test('a property that was created again under its old name is used in the same run', async () => {
    const [page] = setup.tasks(1);
    await setup.colloquy.run(setup.ada);
    setup.board.dropColumn('Queue Rank');
    setup.board.addColumn('Queue Rank', 'number');

    expect(await setup.colloquy.run(setup.ada)).toMatchObject({ kind: 'ranked' });
    expect(page?.value('Queue Rank')).toBe(1);
  });

  test('a repaired board is ranked by the next run', async () => {
    const pages = setup.tasks(2);
    setup.board.renameColumn('Importance', 'Weight');
    expect(await setup.colloquy.run(setup.ada)).toMatchObject({ kind: 'refused' });
    setup.board.renameColumn('Weight', 'Importance');

    expect(await setup.colloquy.run(setup.ada)).toMatchObject({ kind: 'ranked' });
    expect(ranksOf(pages)).toEqual([1, 2]);
  });

  test.each([
    ['renamed', ['Shipped']],
    ['added', ['Done', 'Dropped', 'Shipped']],
  ])('statuses that were %s are read before tasks are ranked by them', async (_, closed) => {
    const [first, second] = setup.tasks(2) as [NotionPage, NotionPage];
    await setup.colloquy.run(setup.ada);
    setup.board.retypeColumn('Status', {
      status: { 'To-do': ['Not started'], 'In progress': [], Complete: closed },
    });
    first.edit({ Status: 'Shipped' });

    expect(await setup.colloquy.run(setup.ada)).toMatchObject({
      kind: 'ranked',
      counts: { loaded: 2, processed: 2, updated: 2 },
    });
    expect(ranksOf([first, second])).toEqual([null, 1]);
  });

  test('a board that is no longer shared is refused', async () => {
    setup.tasks(1);
    await setup.colloquy.run(setup.ada);
    setup.board.unshare();

    expect(await setup.colloquy.run(setup.ada)).toMatchObject({
      kind: 'refused',
      reason: `The data source ${setup.board.id} is gone, or not shared with the integration.`,
    });
  });
});
