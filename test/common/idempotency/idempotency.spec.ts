import {
  IdempotencyRepository,
  LEASE_MS,
} from '../../../src/common/idempotency/idempotency.repository';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';

const REQUEST = { keyHash: 'a'.repeat(64), bodyHash: 'b'.repeat(64) };
const OTHER = { ...REQUEST, bodyHash: 'c'.repeat(64) };
const RESPONSE = Buffer.from('sealed');

let database: TestDatabase;
let requests: IdempotencyRepository;

beforeEach(async () => {
  database = await openTestDatabase();
  requests = new IdempotencyRepository(database.clock);
});
afterEach(() => database.close());

function claim(request = REQUEST) {
  return database.commit((tx) => requests.claim(tx, request));
}

async function claimed() {
  const outcome = await claim();
  if (outcome.state !== 'claimed') throw new Error(outcome.state);
  return outcome.request;
}

test('a repeat while the first request runs does not run, with its body or another', async () => {
  await claimed();

  expect(await claim()).toEqual({ state: 'running' });
  expect(await claim(OTHER)).toEqual({ state: 'other_body' });
});

test('a repeat gets the stored response', async () => {
  const first = await claimed();
  await database.commit((tx) => requests.store(tx, first, RESPONSE));

  expect(await claim()).toEqual({ state: 'stored', response: RESPONSE });
  expect(await claim(OTHER)).toEqual({ state: 'other_body' });
});

test('a request that crashed is taken over after its lease, and then stores nothing more', async () => {
  const first = await claimed();
  database.clock.advance(LEASE_MS);
  const other = await claim(OTHER);
  const second = await claimed();

  const isStored = await database.commit((tx) => requests.store(tx, first, RESPONSE));

  expect(other).toEqual({ state: 'other_body' });
  expect(isStored).toBe(false);
  expect(await database.commit((tx) => requests.store(tx, second, RESPONSE))).toBe(true);
});

test('a released request is forgotten, unless it was stored', async () => {
  const first = await claimed();
  await database.commit((tx) => requests.release(tx, first));
  const second = await claimed();
  await database.commit((tx) => requests.store(tx, second, RESPONSE));
  await database.commit((tx) => requests.release(tx, second));

  expect(await claim()).toMatchObject({ state: 'stored' });
});

test('of two requests at once one runs', async () => {
  const outcomes = await Promise.all([claim(), claim(), claim()]);

  expect(outcomes.map(({ state }) => state).toSorted()).toEqual(['claimed', 'running', 'running']);
});

test('requests are deleted after a day', async () => {
  await claimed();
  database.clock.advance(24 * 3_600_000 - 1);
  const before = await database.commit((tx) => requests.deleteOld(tx, 10));
  database.clock.advance(2);

  expect(before).toBe(0);
  expect(await database.commit((tx) => requests.deleteOld(tx, 10))).toBe(1);
});
