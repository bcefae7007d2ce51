import type { DataSource } from 'typeorm';
import { SystemClock } from '../../../src/common/clock';
import { Metrics } from '../../../src/common/metrics';
import {
  NoCommitRunningError,
  type UnitOfWork,
  UnitOfWorkFactory,
  UnitOfWorkMetrics,
} from '../../../src/common/uow';
import { createDataSource } from '../../../src/persistence';
import { createTestDatabase } from '../../support/postgres';

let drop: () => Promise<void>;
let dataSource: DataSource;
let units: UnitOfWorkFactory;
let uow: UnitOfWork;

beforeAll(async () => {
  const database = await createTestDatabase();
  drop = () => database.drop();
  dataSource = createDataSource({ url: database.url, poolSize: 1, poolWaitMs: 1500 });
  await dataSource.initialize();
  units = new UnitOfWorkFactory(
    dataSource,
    new SystemClock(),
    new UnitOfWorkMetrics(new Metrics()),
  );
});
beforeEach(() => {
  uow = units.open('test');
});
afterEach(() => {
  uow.close();
});
afterAll(async () => {
  await dataSource.destroy();
  await drop();
});

describe('uow.queryRunner', () => {
  test("is the transaction's QueryRunner inside a commit", async () => {
    await uow.commit('test', async (tx) => {
      expect(uow.queryRunner).toBe(tx.queryRunner);
      expect(uow.queryRunner.isTransactionActive).toBe(true);
      expect(await uow.queryRunner.query('select 1 as one')).toEqual([{ one: 1 }]);
    });
  });

  test('throws before, between and after commits', async () => {
    expect(() => uow.queryRunner).toThrow(NoCommitRunningError);
    await uow.commit('test.first', (tx) => tx.query('select 1'));
    expect(() => uow.queryRunner).toThrow(NoCommitRunningError);
    await uow.commitOne('test.second', (tx) => tx.query('select 1'));
    expect(() => uow.queryRunner).toThrow(NoCommitRunningError);
    uow.close();
    expect(() => uow.queryRunner).toThrow(NoCommitRunningError);
  });

  test('throws outside of the running commit for code that runs at the same time', async () => {
    let begun = (): void => undefined;
    let end = (): void => undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const mayEnd = new Promise<void>((resolve) => (end = resolve));
    const commit = uow.commit('test', async (tx) => {
      begun();
      await mayEnd;
      return uow.queryRunner === tx.queryRunner;
    });
    await hasBegun;

    expect(() => uow.queryRunner).toThrow(NoCommitRunningError);
    end();
    expect(await commit).toBe(true);
  });

  test('holds no connection between two commits: another unit commits on a pool of one', async () => {
    await uow.commit('test.first', (tx) => tx.query('select 1'));
    const other = await units.run('test.other', (unit) =>
      unit.commit('test.other', (tx) => tx.query('select 2 as two')),
    );
    await uow.commit('test.second', (tx) => tx.query('select 1'));

    expect(other).toEqual([{ two: 2 }]);
  });

  test('gives the connection back when the work throws', async () => {
    const failing = uow.commit('test.failing', () => Promise.reject(new Error('no')));

    await expect(failing).rejects.toThrow('no');
    expect(() => uow.queryRunner).toThrow(NoCommitRunningError);
    expect(await uow.commit('test.next', (tx) => tx.query('select 1 as one'))).toEqual([
      { one: 1 },
    ]);
  });

  test('counts a unit as committing only while its commit runs', async () => {
    const before = units.committing;
    await uow.commit('test', async (tx) => {
      await tx.query('select 1');
      expect(units.committing).toBe(before + 1);
    });

    expect(units.committing).toBe(before);
  });
});
