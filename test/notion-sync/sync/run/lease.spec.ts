import { RankedBoard } from './ranked-board';
import { untilInProcess } from '../../../support/until';

/** How many writes of a run may be under way at the same time. */
const AT_ONCE = 6;

const setup = new RankedBoard();

describe('a lease that is lost in the middle of a run', () => {
  test('is noticed at the next permit, and nothing more is written', async () => {
    setup.tasks(12);
    setup.notion.faults.on('updatePage', { kind: 'hang' }, { after: 1, times: AT_ONCE });
    const run = setup.colloquy.begin(setup.ada);
    // All writes that may be under way hang, so none is between its fence and its start.
    await setup.untilHanging(run, AT_ONCE);
    run.loseLease();
    const begun = setup.written.length;
    setup.notion.faults.release();

    await expect(setup.colloquy.end(run)).rejects.toMatchObject({ code: 'lease_lost' });
    expect(setup.written).toHaveLength(begun);
  });

  test('ends the calls under way, and nothing more is written', async () => {
    setup.tasks(8);
    setup.notion.faults.on('updatePage', { kind: 'hang' }, { after: 1 });
    const run = setup.colloquy.begin(setup.ada);
    await setup.untilHanging(run);
    const begun = setup.written.length;
    run.abort();

    await expect(setup.colloquy.end(run)).rejects.toMatchObject({ code: 'lease_lost' });
    expect(setup.written).toHaveLength(begun);
  });

  test('before the commit stores nothing', async () => {
    setup.tasks(2);
    const run = setup.colloquy.begin(setup.ada);
    setup.notion.faults.on('queryDataSource', { kind: 'hang' });
    await setup.untilHanging(run);
    run.loseLease();
    setup.notion.faults.release();

    await expect(setup.colloquy.end(run)).rejects.toMatchObject({ code: 'lease_lost' });
    expect(setup.written).toEqual([]);
    const rows = await setup.runs.commit((tx) => tx.query('select 1 from notion_page'));
    expect(rows).toEqual([]);
  });
});

test.each(['queryDataSource', 'updatePage'])(
  'no connection is held while Notion is waited for: %s',
  async (operation) => {
    setup.tasks(4);
    setup.notion.faults.on(operation, { kind: 'hang' });
    const run = setup.colloquy.begin(setup.ada);
    await setup.untilHanging(run);

    // The permit of the next write may still be under way; it ends by itself.
    await untilInProcess('no transaction is open', async () => (await openTransactions()) === 0);
    setup.notion.faults.release();
    expect(await setup.colloquy.end(run)).toMatchObject({ kind: 'ranked' });
  },
);

async function openTransactions(): Promise<number> {
  const rows = await setup.runs.sql<unknown[]>(
    `select 1 from pg_stat_activity
     where datname = current_database() and state like 'idle in transaction%'`,
  );
  return rows.length;
}
