import { SystemClock } from '../../../src/common/clock';
import type { Tx } from '../../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';

let database: TestDatabase<SystemClock>;
let told: string[];

beforeAll(async () => {
  database = await openTestDatabase(new SystemClock());
});
beforeEach(() => {
  told = [];
});
afterAll(() => database.close());

function execute<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.units.run('test', (uow) => uow.commit('test', work));
}

function tell(tx: Tx, word: string): void {
  tx.onCommitted(() => void told.push(word));
}

test('what a commit wants told is told in order, once it is stored', async () => {
  await execute(async (tx) => {
    tell(tx, 'first');
    await tx.query('select 1');
    tell(tx, 'second');
    expect(told).toEqual([]);
  });

  expect(told).toEqual(['first', 'second']);
});

test('a commit that was rolled back tells nothing', async () => {
  const failing = execute((tx) => {
    tell(tx, 'never');
    return Promise.reject(new Error('no'));
  });

  await expect(failing).rejects.toThrow('no');
  expect(told).toEqual([]);
});

test('work that was done again is told once: that of the try which was stored', async () => {
  let tries = 0;

  await execute(async (tx) => {
    tries += 1;
    tell(tx, `try ${tries}`);
    if (tries === 1) await tx.query(`do $$ begin raise exception sqlstate '40001'; end $$`);
  });

  expect(told).toEqual(['try 2']);
});
