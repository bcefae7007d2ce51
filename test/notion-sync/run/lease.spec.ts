import { RunStage } from './stage';

/** How many writes of a run may be under way at the same time. */
const AT_ONCE = 6;

const stage = new RunStage();

describe('a lease that is lost in the middle of a run', () => {
  test('is noticed at the next permit, and nothing more is written', async () => {
    stage.tasks(12);
    stage.notion.faults.on('updatePage', { kind: 'hang' }, { after: 1, times: AT_ONCE });
    const run = stage.colloquy.begin(stage.ada);
    // All writes that may be under way hang, so none is between its fence and its start.
    await stage.untilHanging(run, AT_ONCE);
    run.loseLease();
    const begun = stage.written.length;
    stage.notion.faults.release();

    await expect(stage.colloquy.end(run)).rejects.toMatchObject({ code: 'lease_lost' });
    expect(stage.written).toHaveLength(begun);
  });

  test('ends the calls under way, and nothing more is written', async () => {
    stage.tasks(8);
    stage.notion.faults.on('updatePage', { kind: 'hang' }, { after: 1 });
    const run = stage.colloquy.begin(stage.ada);
    await stage.untilHanging(run);
    const begun = stage.written.length;
    run.abort();

    await expect(stage.colloquy.end(run)).rejects.toMatchObject({ code: 'lease_lost' });
    expect(stage.written).toHaveLength(begun);
  });

  test('before the commit stores nothing', async () => {
    stage.tasks(2);
    const run = stage.colloquy.begin(stage.ada);
    stage.notion.faults.on('queryDataSource', { kind: 'hang' });
    await stage.untilHanging(run);
    run.loseLease();
    stage.notion.faults.release();

    await expect(stage.colloquy.end(run)).rejects.toMatchObject({ code: 'lease_lost' });
    expect(stage.written).toEqual([]);
    const rows = await stage.fixture.commit((tx) => tx.query('select 1 from notion_page'));
    expect(rows).toEqual([]);
  });
});

test.each(['queryDataSource', 'updatePage'])(
  'no connection is held while Notion is waited for: %s',
  async (operation) => {
    stage.tasks(4);
    stage.notion.faults.on(operation, { kind: 'hang' });
    const run = stage.colloquy.begin(stage.ada);
    await stage.untilHanging(run);

    // The permit of the next write may still be under way; it ends by itself.
    while ((await openTransactions()) > 0);
    stage.notion.faults.release();
    expect(await stage.colloquy.end(run)).toMatchObject({ kind: 'ranked' });
  },
);

async function openTransactions(): Promise<number> {
  const rows = await stage.fixture.world.db.dataSource.query<unknown[]>(
    `select 1 from pg_stat_activity
     where datname = current_database() and state like 'idle in transaction%'`,
  );
  return rows.length;
}
