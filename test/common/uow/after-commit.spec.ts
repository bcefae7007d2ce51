import { Logger } from '@nestjs/common';
import { SystemClock } from '../../../src/common/clock';
import type { Tx } from '../../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';

let database: TestDatabase<SystemClock>;
let ran: string[];

beforeAll(async () => {
  database = await openTestDatabase(new SystemClock());
});
beforeEach(() => {
  ran = [];
});
afterAll(() => database.close());

function commit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.units.run('test', (uow) => uow.commit('test', work));
}

function note(tx: Tx, word: string, key?: string): void {
  tx.afterCommit(() => void ran.push(word), key);
}

test('runs the registered work in order, once the commit is stored', async () => {
  await commit(async (tx) => {
    note(tx, 'first');
    await tx.query('select 1');
    note(tx, 'second');
    expect(ran).toEqual([]);
  });

  expect(ran).toEqual(['first', 'second']);
});

test('runs nothing after a commit that was rolled back', async () => {
  const failing = commit((tx) => {
    note(tx, 'never');
    return Promise.reject(new Error('no'));
  });

  await expect(failing).rejects.toThrow('no');
  expect(ran).toEqual([]);
});

test('runs only the work of the try that was stored', async () => {
  let tries = 0;

  await commit(async (tx) => {
    tries += 1;
    note(tx, `try ${tries}`);
    if (tries === 1) await tx.query(`do $$ begin raise exception sqlstate '40001'; end $$`);
  });

  expect(ran).toEqual(['try 2']);
});

test('runs work of the same key once', async () => {
  await commit((tx) => {
    note(tx, 'wake flush', 'wake:flush');
    note(tx, 'wake deliver', 'wake:deliver');
    note(tx, 'wake flush again', 'wake:flush');
    return Promise.resolve();
  });

  expect(ran).toEqual(['wake flush', 'wake deliver']);
});

test('runs the rest when one piece of work throws, and the commit still succeeds', async () => {
  const error = new Error('broken listener');
  const logged = jest.spyOn(Logger.prototype, 'error').mockReturnValue();
  const result = await commit((tx) => {
    tx.afterCommit(() => {
      throw error;
    });
    note(tx, 'next');
    return Promise.resolve('stored');
  });

  expect(result).toBe('stored');
  expect(ran).toEqual(['next']);
  // The error itself, so that the line has its stack.
  const line = 'work after the commit "test" failed; the commit itself is stored';
  expect(logged.mock.calls).toEqual([[line, error]]);
  expect((logged.mock.calls as unknown[][])[0]?.[1]).toBe(error);
  logged.mockRestore();
});

test('lets the work start a commit of the same unit', async () => {
  let second: Promise<unknown> = Promise.resolve();

  await database.units.run('test', async (uow) => {
    await uow.commit('test.first', (tx) => {
      tx.afterCommit(() => {
        second = uow.commit('test.second', (later) => later.query('select 1 as one'));
      });
      return Promise.resolve();
    });
    expect(await second).toEqual([{ one: 1 }]);
  });
});
