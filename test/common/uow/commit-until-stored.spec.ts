import { CommitOutcomeUnknownError, DatabaseUnavailableError } from '../../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** Lets `running` go through as many waits of the fake clock as it needs. */
async function finish<T>(running: Promise<T>): Promise<PromiseSettledResult<T>> {
  const ticking = setInterval(() => {
    database.clock.advance(200);
  }, 1);
  const [result] = await Promise.allSettled([running]);
  clearInterval(ticking);
  return result;
}

test('tries a retryable failure again until it is stored', async () => {
  let tries = 0;
  const running = database.units.run('test', (uow) =>
    uow.commitUntilStored('test', new AbortController().signal, async (tx) => {
      tries += 1;
      if (tries < 3) throw new CommitOutcomeUnknownError('the connection broke');
      await tx.query('select 1');
      return 'stored';
    }),
  );

  expect(await finish(running)).toEqual({ status: 'fulfilled', value: 'stored' });
  expect(tries).toBe(3);
});

test('throws an error that is not retryable at once', async () => {
  let tries = 0;
  const running = database.units.run('test', (uow) =>
    uow.commitUntilStored('test', new AbortController().signal, () => {
      tries += 1;
      return Promise.reject(new Error('no'));
    }),
  );

  await expect(running).rejects.toThrow('no');
  expect(tries).toBe(1);
});

test('ends with the reason of the signal, after one try at least', async () => {
  const stop = new AbortController();
  stop.abort(new Error('the drain wants the job back'));
  let tries = 0;
  const running = database.units.run('test', (uow) =>
    uow.commitUntilStored('test', stop.signal, () => {
      tries += 1;
      return Promise.reject(new DatabaseUnavailableError('the database cannot be reached'));
    }),
  );

  const result = await finish(running);
  expect(result.status).toBe('rejected');
  expect(result).toHaveProperty('reason.message', 'the drain wants the job back');
  expect(tries).toBeGreaterThan(0);
});

test('needs one try when the database takes the commit at once', async () => {
  const stop = new AbortController();
  stop.abort();
  const stored = await database.units.run('test', (uow) =>
    uow.commitUntilStored('test', stop.signal, (tx) => tx.query('select 1 as one'), 'statement'),
  );

  expect(stored).toEqual([{ one: 1 }]);
});
