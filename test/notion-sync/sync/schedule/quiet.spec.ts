import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { type TestDatabase, openTestDatabase } from '../../../support/app-database';

/** The quiet time after a change, as a function of the limiter's rate and the ready boards. */

interface Pressure {
  /** The rate of the limiter, from an eighth to 1. */
  readonly rate: number;
  /** Boards that are ready. */
  readonly ready: number;
}

interface Bounds {
  readonly leastMs: number;
  readonly moreMs: number;
}

let db: TestDatabase;

beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

async function quietMs({ leastMs, moreMs }: Bounds, all: readonly Pressure[]): Promise<number[]> {
  const source: DataSource = db.dataSource;
  const rows = await source.query<{ ms: number }[]>(
    `select notion_quiet_ms($1, $2, p.rate, p.ready) as ms
     from unnest($3::float8[], $4::int[]) with ordinality as p(rate, ready, n) order by n`,
    [leastMs, leastMs + moreMs, all.map(({ rate }) => rate), all.map(({ ready }) => ready)],
  );
  return rows.map(({ ms }) => ms);
}

const bounds = fc.record({
  leastMs: fc.integer({ min: 10, max: 15_000 }),
  moreMs: fc.integer({ min: 0, max: 45_000 }),
});
const pressure = fc.record({
  rate: fc.double({ min: 0.125, max: 1, noNaN: true }),
  ready: fc.integer({ min: 0, max: 10_000 }),
});
const pressures = fc.array(pressure, { minLength: 1, maxLength: 50 });
const RUNS = { numRuns: 200 };

test('the quiet time is never below its minimum or above its maximum', async () => {
  await fc.assert(
    fc.asyncProperty(bounds, pressures, async (limits, all) => {
      for (const ms of await quietMs(limits, all)) {
        expect(ms).toBeGreaterThanOrEqual(limits.leastMs);
        expect(ms).toBeLessThanOrEqual(limits.leastMs + limits.moreMs + 1e-6);
      }
    }),
    RUNS,
  );
});

test('more refusals or more ready boards never make the quiet time shorter', async () => {
  await fc.assert(
    fc.asyncProperty(bounds, pressure, pressure, async (limits, one, other) => {
      const worse = {
        rate: Math.min(one.rate, other.rate),
        ready: Math.max(one.ready, other.ready),
      };
      const [ms = NaN, worseMs = NaN] = await quietMs(limits, [one, worse]);
      expect(worseMs).toBeGreaterThanOrEqual(ms);
    }),
    RUNS,
  );
});

test('a low rate alone or many ready boards alone give the maximum; without both it is the minimum', async () => {
  await fc.assert(
    fc.asyncProperty(bounds, async (limits) => {
      const [refused, queued, neither, few] = await quietMs(limits, [
        { rate: 0.125, ready: 0 },
        { rate: 1, ready: 20 },
        { rate: 1, ready: 0 },
        { rate: 1, ready: 5 },
      ]);
      const longestMs = limits.leastMs + limits.moreMs;
      expect(refused).toBeCloseTo(longestMs);
      expect(queued).toBeCloseTo(longestMs);
      expect([neither, few]).toEqual([limits.leastMs, limits.leastMs]);
    }),
    RUNS,
  );
});

test('a maximum below the minimum is ignored', async () => {
  expect(await quietMs({ leastMs: 10_000, moreMs: -5000 }, [{ rate: 0.2, ready: 50 }])).toEqual([
    10_000,
  ]);
});
