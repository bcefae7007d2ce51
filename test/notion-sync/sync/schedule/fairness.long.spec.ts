import { Logger } from '@nestjs/common';
import { type TestDatabase, openTestDatabase } from '../../../support/app-database';
import { waitsInCrowd } from '../../../../bench/lib/notion-crowd';

const PEOPLE = 1000;
const RUNS = 1000;

let db: TestDatabase;

beforeAll(async () => {
  Logger.overrideLogger(false);
  db = await openTestDatabase();
});
afterAll(() => db.close());

test('a person who never stops editing does not make a thousand others wait long', async () => {
  const waits = await waitsInCrowd(db, {
    people: PEOPLE,
    runs: RUNS,
    runMs: 1000,
    changeEveryMs: 900_000,
  });

  expect(waits.longestMs / waits.meanMs).toBeLessThanOrEqual(2);
  expect(waits.noisyMeanMs / waits.meanMs).toBeGreaterThan(0.8);
}, 300_000);
