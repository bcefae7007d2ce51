import { SystemClock } from '../../../src/common/clock';
import type { Tx } from '../../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';

describe('a statement of a commit', () => {
  let database: TestDatabase<SystemClock>;

  beforeAll(async () => {
    database = await openTestDatabase(new SystemClock());
  });
  afterAll(() => database.close());

  function execute<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return database.units.run('test', (uow) => uow.commit('test', work));
  }

  test('is prepared once by a connection, whatever its values', async () => {
    const text = 'select $1::int + 1 as "sum"';
    const prepared = await execute(async (tx) => {
      const first = await tx.query<{ sum: number }>(text, [1]);
      const second = await tx.query<{ sum: number }>(text, [41]);
      expect([first, second]).toEqual([[{ sum: 2 }], [{ sum: 42 }]]);
      return tx.query<{ n: number }>(
        'select count(*)::int as n from pg_prepared_statements where statement = $1',
        [text],
      );
    });

    expect(prepared).toEqual([{ n: 1 }]);
  });

  test('of an ended commit is refused, and work after it, because its connection may belong to another flow', async () => {
    const kept = await execute((tx) => Promise.resolve(tx));

    await expect(kept.query('select $1::int', [1])).rejects.toThrow('is over');
    await expect(kept.query('select 1')).rejects.toThrow('is over');
    expect(() => kept.manager).toThrow('is over');
    expect(() => {
      kept.afterCommit(() => undefined);
    }).toThrow('is over');
  });

  test('without values is sent as it is, and may be several', async () => {
    await execute((tx) => tx.query('create temporary table a (n int); insert into a values (1)'));

    expect(await execute((tx) => tx.query('select n from a'))).toEqual([{ n: 1 }]);
  });
});
