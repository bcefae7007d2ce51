import fc from 'fast-check';
import type { Tx } from '../../src/common/uow';
import { OpenLinkUseRepository } from '../../src/vacancies/open-link-use.repository';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { addConversation } from '../support/conversations';
import {
  type Columns,
  type Cycles,
  type CycleStep,
  named,
  walk,
  walkRound,
} from '../support/cycles';

/*
 * The use of an open link goes round two times, ten times and at random: after each statement the minutes are as the
 * model says, and so are the sums of the last ten minutes and the last day.
 */

const MINUTE_MS = 60_000;
const BURST_MS = 10 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const KEPT_MS = 26 * 60 * MINUTE_MS;

let database: TestDatabase;
let uses: OpenLinkUseRepository;
let vacancyId = '';

beforeAll(async () => {
  database = await openTestDatabase();
  uses = new OpenLinkUseRepository(database.clock);
  await addConversation(database);
  ({ id: vacancyId } = await database.one<{ id: string }>('select id from vacancy'));
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Minute {
  readonly at: number;
  readonly interviews: number;
  readonly bytes: number;
}

interface Use extends Columns {
  readonly minutes: readonly Minute[];
}

function using(name: string, interviews: number, bytes: number): CycleStep<Use> {
  return {
    name,
    afterMs: 20_000,
    model: ({ minutes }, now) => {
      const at = now - (now % MINUTE_MS);
      const known = minutes.find((one) => one.at === at) ?? { at, interviews: 0, bytes: 0 };
      const added = {
        at,
        interviews: known.interviews + interviews,
        bytes: known.bytes + bytes,
      };
      return { minutes: [...minutes.filter((one) => one.at !== at), added] };
    },
    run: () => inTx((tx) => uses.add(tx, vacancyId, { interviews, uploadBytes: bytes })),
  };
}

function summing(name: string, afterMs: number): CycleStep<Use> {
  return {
    name,
    afterMs,
    model: () => ({}),
    run: async ({ minutes }) => {
      const now = database.clock.now().getTime();
      const sum = (ms: number, of: 'interviews' | 'bytes'): number =>
        minutes.filter(({ at }) => now - at < ms).reduce((all, one) => all + one[of], 0);
      const endsInS = (ms: number): number => {
        const counted = minutes.map(({ at }) => at).filter((at) => now - at < ms);
        return counted.length === 0 ? ms / 1000 : (Math.min(...counted) + ms - now) / 1000;
      };
      const expected = {
        burstInterviews: sum(BURST_MS, 'interviews'),
        burstBytes: sum(BURST_MS, 'bytes'),
        dayInterviews: sum(DAY_MS, 'interviews'),
        dayBytes: sum(DAY_MS, 'bytes'),
        burstEndsInS: endsInS(BURST_MS),
        dayEndsInS: endsInS(DAY_MS),
      };
      expect(await inTx((tx) => uses.of(tx, vacancyId))).toEqual(expected);
      const all = await inTx((tx) => uses.listAll(tx));
      expect(all).toMatchObject(minutes.length === 0 ? [] : [{ vacancyId, ...expected }]);
    },
  };
}

const STEPS: readonly CycleStep<Use>[] = [
  using('begin an interview', 1, 0),
  using('upload', 0, 700),
  summing('sum', 1),
  summing('sum after 7 min', 7 * MINUTE_MS),
  summing('sum after 17 h', 17 * 60 * MINUTE_MS),
  {
    name: 'sweep',
    model: ({ minutes }, now) => ({ minutes: minutes.filter(({ at }) => now - at <= KEPT_MS) }),
    run: () => inTx((tx) => uses.deleteOld(tx)),
  },
];

async function read(): Promise<Columns> {
  const rows = await database.sql<{ at: Date; interviews: number; bytes: number }>(
    `select minute as at, sum(interviews)::int as interviews, sum(upload_bytes)::int as bytes
     from open_link_use group by minute order by minute`,
  );
  return { minutes: rows.map((row) => ({ ...row, at: row.at.getTime() })) };
}

function cycles(): Cycles<Use> {
  return {
    clock: database.clock,
    steps: STEPS,
    begin: async () => {
      await database.sql('delete from open_link_use');
      return { minutes: [] };
    },
    read,
  };
}

describe('the use of an open link that goes round', () => {
  test.each(
    named([
      ['begin an interview', 'sum'],
      ['begin an interview', 'upload', 'begin an interview', 'upload', 'sum after 7 min'],
      ['upload', 'sum after 7 min', 'begin an interview', 'sweep', 'sum'],
      ['begin an interview', 'upload', 'sum after 17 h', 'sweep', 'sum'],
    ]),
  )('%s: two times and ten times', async (_, cycle) => {
    await walkRound(cycles(), cycle);
  });

  test('at random', async () => {
    const list = fc.array(fc.constantFrom(...STEPS.map(({ name }) => name)), {
      minLength: 10,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(list, async (steps) => {
        await walk(cycles(), steps);
      }),
      { seed: 50, numRuns: 5 },
    );
  });
});
