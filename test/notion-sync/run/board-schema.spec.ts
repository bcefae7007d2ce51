import type { NotionPage } from '../../../tools/fake-notion';
import { RunStage, ranksOf } from './stage';

const stage = new RunStage();

describe('the schema of the boards', () => {
  test('is read once for many runs, and again when it is too old', async () => {
    const { colloquy, ada, fixture } = stage;
    for (let n = 0; n < 3; n += 1) await colloquy.run(ada);
    expect(stage.notion.journal.calls('getDataSource')).toHaveLength(1);

    fixture.world.clock.advance(601_000);
    await colloquy.run(ada);
    expect(stage.notion.journal.calls('getDataSource')).toHaveLength(2);
  });

  test.each([
    [
      'was renamed',
      () => {
        stage.board.renameColumn('Importance', 'Weight');
      },
    ],
    [
      'was deleted',
      () => {
        stage.board.dropColumn('Importance');
      },
    ],
    [
      'of the query was renamed',
      () => {
        stage.board.renameColumn('Assignee', 'Owner');
      },
    ],
    [
      'that is written was renamed',
      () => {
        stage.board.renameColumn('Queue Rank', 'Rank');
      },
    ],
  ])(
    'a property %s: the run is refused with a reason, and nothing is written',
    async (_, change) => {
      const pages = stage.tasks(3);
      await stage.colloquy.run(stage.ada);
      stage.notion.journal.clear();
      for (const page of pages.slice(1)) page.edit({ Importance: 9 });
      change();

      const end = await stage.colloquy.run(stage.ada);

      expect(end).toMatchObject({ kind: 'refused', counts: { updated: 0 } });
      expect(end.reason).toMatch(
        /^The property "[^"]+" is missing: restore its name, or set NOTION_PROPERTY_[A-Z_]+\.$/,
      );
      expect(stage.written).toEqual([]);
    },
  );

  test('a property of another type is reported with its type and the expected one', async () => {
    stage.tasks(2);
    await stage.colloquy.run(stage.ada);
    stage.board.retypeColumn('Estimate', 'rich_text');

    expect(await stage.colloquy.run(stage.ada)).toMatchObject({
      kind: 'refused',
      reason: 'The property "Estimate" is of type rich_text; expected number.',
    });
  });

  test('a property that was created again under its old name is used in the same run', async () => {
    const [page] = stage.tasks(1);
    await stage.colloquy.run(stage.ada);
    stage.board.dropColumn('Queue Rank');
    stage.board.addColumn('Queue Rank', 'number');

    expect(await stage.colloquy.run(stage.ada)).toMatchObject({ kind: 'ranked' });
    expect(page?.value('Queue Rank')).toBe(1);
  });

  test('a repaired board is ranked by the next run', async () => {
    const pages = stage.tasks(2);
    stage.board.renameColumn('Importance', 'Weight');
    expect(await stage.colloquy.run(stage.ada)).toMatchObject({ kind: 'refused' });
    stage.board.renameColumn('Weight', 'Importance');

    expect(await stage.colloquy.run(stage.ada)).toMatchObject({ kind: 'ranked' });
    expect(ranksOf(pages)).toEqual([1, 2]);
  });

  test.each([
    ['renamed', ['Shipped']],
    ['added', ['Done', 'Dropped', 'Shipped']],
  ])('statuses that were %s are read before tasks are ranked by them', async (_, closed) => {
    const [first, second] = stage.tasks(2) as [NotionPage, NotionPage];
    await stage.colloquy.run(stage.ada);
    stage.board.retypeColumn('Status', {
      status: { 'To-do': ['Not started'], 'In progress': [], Complete: closed },
    });
    first.edit({ Status: 'Shipped' });

    expect(await stage.colloquy.run(stage.ada)).toMatchObject({
      kind: 'ranked',
      counts: { loaded: 2, processed: 2, updated: 2 },
    });
    expect(ranksOf([first, second])).toEqual([null, 1]);
  });

  test('a board that is no longer shared is refused', async () => {
    stage.tasks(1);
    await stage.colloquy.run(stage.ada);
    stage.board.unshare();

    expect(await stage.colloquy.run(stage.ada)).toMatchObject({
      kind: 'refused',
      reason: `The data source ${stage.board.id} is gone, or not shared with the integration.`,
    });
  });
});
