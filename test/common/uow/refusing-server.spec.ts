import type { Pool } from 'pg';
import { SystemClock } from '../../../src/common/clock';
import { Metrics } from '../../../src/common/metrics';
import {
  DatabaseBusyError,
  DatabaseReadOnlyError,
  type Tx,
  UnitOfWorkFactory,
  UnitOfWorkMetrics,
} from '../../../src/common/uow';
import { ControlConnection, createDataSource } from '../../../src/persistence';
import { READ_ONLY, WRITABLE, alterDatabase, rowsOf } from '../../support/outside';
import { createTestDatabase } from '../../support/postgres';

/** A server that responds, and whose connection is of no more use. */

const POOL_SIZE = 5;
const ADD = 'insert into note (text) values ($1)';
const READ = 'select n, text from note where text = $1';

let url: string;
let drop: () => Promise<void>;
let dataSource: ReturnType<typeof createDataSource>;
let units: UnitOfWorkFactory;

beforeEach(async () => {
  ({ url, drop } = await createTestDatabase());
  await rowsOf(url, 'create table note (n int, text text)');
  dataSource = createDataSource({ url, poolSize: POOL_SIZE });
  await dataSource.initialize();
  const metrics = new UnitOfWorkMetrics(new Metrics());
  units = new UnitOfWorkFactory(dataSource, new SystemClock(), metrics);
});

afterEach(async () => {
  await dataSource.destroy();
  await alterDatabase(url, 'reset all');
  await drop();
});

/** Ends the pool's connections, so that the next ones have the settings that the database has now. */
async function reconnect(): Promise<void> {
  await dataSource.destroy();
  await dataSource.initialize();
}

function commit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return units.run('test', (uow) => uow.commit('test', work));
}

function commitOne<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return units.run('test', (uow) => uow.commitOne('test', work));
}

/** Runs the statement on every connection of the pool, so that each has prepared it. */
async function onEachConnection(text: string, values: readonly unknown[]): Promise<void> {
  let waiting = POOL_SIZE;
  let release: () => void = () => undefined;
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  await Promise.all(
    Array.from({ length: POOL_SIZE }, () =>
      commit(async (tx) => {
        await tx.query(text, values);
        waiting -= 1;
        if (waiting === 0) release();
        await all;
      }),
    ),
  );
}

function poolOf(): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}

describe('a transaction that is longer than transaction_timeout', () => {
  beforeEach(async () => {
    await alterDatabase(url, `set transaction_timeout = '100ms'`);
    await reconnect();
  });

  test.each([
    ['a commit', commit],
    ['a commit of one statement', commitOne],
  ])('makes %s say that the database is busy, after one try', async (_, run) => {
    let tries = 0;
    const slow = run(async (tx) => {
      tries += 1;
      await tx.query('select pg_sleep($1)', [2]);
    });

    await expect(slow).rejects.toBeInstanceOf(DatabaseBusyError);
    await expect(slow).rejects.toMatchObject({ code: 'database_busy', retryable: true });
    expect(tries).toBe(1);
    await commit((tx) => tx.query(ADD, ['after']));
    expect(await rowsOf(url, 'select text from note')).toEqual([{ text: 'after' }]);
  });
});

describe('a column that gets another type while its statements are prepared', () => {
  test.each([
    ['a commit', commit],
    ['a commit of one statement', commitOne],
  ])('is read by %s, although every connection has the old plan', async (_, run) => {
    await commit((tx) => tx.query(ADD, ['a']));
    await onEachConnection(READ, ['a']);
    await rowsOf(url, 'alter table note alter n type bigint');

    expect(await run((tx) => tx.query(READ, ['a']))).toEqual([{ n: null, text: 'a' }]);
    expect(poolOf().totalCount).toBeLessThanOrEqual(POOL_SIZE);
  });

  test('is read by a commit after its first statement, and what was before is stored once', async () => {
    await onEachConnection(READ, ['b']);
    await rowsOf(url, 'alter table note alter n type bigint');

    const rows = await commit(async (tx) => {
      await tx.query(ADD, ['b']);
      return tx.query(READ, ['b']);
    });

    expect(rows).toHaveLength(1);
    expect(await rowsOf(url, 'select text from note')).toEqual([{ text: 'b' }]);
  });

  test('is read by the control connection', async () => {
    const control = new ControlConnection(url, new SystemClock());
    await control.query(READ, ['a']);
    await rowsOf(url, `alter table note alter n type bigint; insert into note values (7, 'a')`);

    const rows = await control.query(READ, ['a']);
    await control.close();

    expect(rows).toEqual([{ n: '7', text: 'a' }]);
  });
});

describe('a database that takes no writes any more', () => {
  beforeEach(async () => {
    await alterDatabase(url, READ_ONLY);
    await reconnect();
  });

  test.each([
    ['a commit', commit],
    ['a commit of one statement', commitOne],
  ])('refuses %s with the reason: nothing is stored', async (_, run) => {
    const refused = run((tx) => tx.query(ADD, ['a']));

    await expect(refused).rejects.toBeInstanceOf(DatabaseReadOnlyError);
    await expect(refused).rejects.toMatchObject({ code: 'database_unavailable' });
  });

  test('is written again as soon as it takes writes, on a new connection', async () => {
    let tries = 0;
    await commitOne(async (tx) => {
      tries += 1;
      if (tries === 1) await alterDatabase(url, WRITABLE);
      await tx.query(ADD, ['a']);
    });

    expect(tries).toBe(2);
    expect(await rowsOf(url, 'select text from note')).toEqual([{ text: 'a' }]);
  });
});
