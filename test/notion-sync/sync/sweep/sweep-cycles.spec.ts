import fc from 'fast-check';
import type { Tx } from '../../../../src/common/uow';
import type { ScanPlace } from '../../../../src/notion-sync/sync/scan-place';
import { SweepRepository } from '../../../../src/notion-sync/sync/sweep.repository';
import { type TestDatabase, openTestDatabase } from '../../../support/app-database';
import {
  type Columns,
  type Cycles,
  type CycleStep,
  named,
  walk,
  walkRound,
} from '../../../support/cycles';
import { settingsForTests } from '../../../support/settings';

/*
 * The row of the sweep goes round two times, ten times and at random: after each statement the share that is paid for
 * and the place of the scan are as the model says.
 */

const HOUR_MS = 3_600_000;
const SAVED_MS = 5000;
/** Half of 120 calls a minute. */
const CALL_MS = 1000;
const PERSON = '00000000-0000-4000-8000-000000000007';
const FROM = new Date('2026-01-01T00:00:00Z');

let database: TestDatabase;
let sweeps: SweepRepository;

beforeAll(async () => {
  database = await openTestDatabase();
  const share = { NOTION_SWEEP_SHARE: '0.5', NOTION_BUDGET_PER_MINUTE: '120' };
  sweeps = new SweepRepository(database.clock, settingsForTests(share));
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Sweep extends Columns {
  readonly paid_until: number | null;
  readonly scan_cursor: string | null;
  readonly scan_began_at: number | null;
  readonly scan_ended_at: number | null;
  readonly scan_is_whole: boolean;
  readonly scan_from: number | null;
  readonly scan_reached: number | null;
  readonly scan_is_capped: boolean;
  readonly scan_closed: readonly string[] | null;
  readonly scan_source: string | null;
  /** What ended runs of one board still have to pay. */
  readonly owed: number;
  readonly looked_at: number | null;
}

const START = {
  scan_cursor: null,
  scan_from: null,
  scan_reached: null,
  scan_is_capped: false,
  scan_closed: null,
} as const;

/** What was unused more than five seconds ago is lost. */
function paid({ paid_until: until }: Sweep, now: number): number {
  return Math.max(until ?? 0, now - SAVED_MS);
}

function stepping(source: string): CycleStep<Sweep> {
  const goesOn = (row: Sweep): boolean =>
    (row.scan_cursor !== null || row.scan_from !== null) && row.scan_source === source;
  return {
    name: `scan ${source}`,
    afterMs: 300,
    model: (row, now) => ({
      paid_until: paid(row, now) + CALL_MS,
      scan_source: source,
      ...(goesOn(row) ? {} : { ...START, scan_began_at: now, scan_is_whole: true }),
    }),
    run: async (row) => {
      const place = await inTx((tx) => sweeps.step(tx, source));
      expect(place.cursor).toBe(goesOn(row) ? row.scan_cursor : null);
      expect(place.isWhole).toBe(!goesOn(row) || row.scan_is_whole);
    },
  };
}

function moving(name: string, place: ScanPlace | null, isWhole: boolean): CycleStep<Sweep> {
  return {
    name,
    afterMs: 300,
    may: (row) => row.scan_began_at !== null,
    model: (row, now) => ({
      paid_until: (row.paid_until ?? 0) + 2 * CALL_MS,
      scan_is_whole: isWhole,
      scan_cursor: place?.cursor ?? null,
      scan_from: place?.from?.getTime() ?? null,
      scan_reached: place?.reached?.getTime() ?? null,
      scan_is_capped: place?.isCapped ?? false,
      scan_closed: place?.closed ?? null,
      ...(place === null ? { scan_ended_at: now } : {}),
    }),
    run: async (row) => {
      const now = database.clock.now().getTime();
      const progress = await inTx((tx) => sweeps.move(tx, { place, isWhole, moreCalls: 2 }));
      const waitMs = Math.max(0, (row.paid_until ?? 0) + 2 * CALL_MS - now);
      expect(Math.round(progress.waitMs)).toBe(waitMs);
      expect(Math.round(progress.tookMs)).toBe(now - (row.scan_began_at ?? 0));
    },
  };
}

const PLACE = { cursor: 'c1', from: null, reached: FROM, isCapped: true, isWhole: true };

const STEPS: readonly CycleStep<Sweep>[] = [
  stepping('board'),
  stepping('other'),
  moving('go on', { ...PLACE, closed: ['Done'] }, true),
  moving('open a window', { ...PLACE, cursor: null, from: FROM, closed: [] }, false),
  moving('end', null, true),
  moving('end with gaps', null, false),
  {
    name: 'owe',
    model: ({ owed }) => ({ owed: owed + 3 }),
    run: () => database.sql('update notion_user set owed_calls = owed_calls + 3'),
  },
  {
    name: 'settle',
    afterMs: 300,
    model: (row, now) =>
      row.owed === 0 ? {} : { owed: 0, paid_until: paid(row, now) + row.owed * CALL_MS },
    // Nobody is to be checked, because the one person has left.
    run: async () => {
      expect(await inTx((tx) => sweeps.pick(tx))).toEqual([]);
    },
  },
  {
    name: 'check the board after an hour',
    afterMs: HOUR_MS,
    model: (row, now) => {
      const until = paid(row, now) + row.owed * CALL_MS;
      // One call, as its last run: the share of an hour is there, unless more is owed.
      return until > now
        ? { owed: 0, paid_until: until }
        : { owed: 0, looked_at: now, paid_until: until + CALL_MS };
    },
    run: async () => {
      await database.sql('update notion_user set has_left = false');
      await inTx((tx) => sweeps.pick(tx));
      await database.sql('update notion_user set has_left = true');
    },
  },
  {
    name: 'ask whether a scan is due',
    afterMs: HOUR_MS / 4,
    model: () => ({}),
    run: async ({ scan_ended_at: ended }) => {
      const now = database.clock.now().getTime();
      const isDue = ended === null || now - ended >= HOUR_MS;
      expect(await inTx((tx) => sweeps.isScanDue(tx, 'scan'))).toBe(isDue);
    },
  },
];

function cycles(): Cycles<Sweep> {
  return {
    clock: database.clock,
    steps: STEPS,
    begin: async () => {
      await database.sql('delete from notion_sweep');
      await database.sql('insert into notion_sweep default values');
      await database.sql('delete from notion_user');
      await database.sql('delete from notion_page');
      await database.sql(
        `insert into notion_user (user_id, has_left, runs, api_calls) values ($1, true, 1, 1)`,
        [PERSON],
      );
      await database.sql(
        `insert into notion_page (page_id, assignee_ids, seen_at) values ($1, array[$1::uuid], now())`,
        [PERSON],
      );
      return {
        ...START,
        paid_until: null,
        scan_began_at: null,
        scan_ended_at: null,
        scan_is_whole: true,
        scan_source: null,
        owed: 0,
        looked_at: null,
      };
    },
    read: () =>
      database.one<Columns>(
        `select s.*, u.owed_calls as owed, u.looked_at from notion_sweep s cross join notion_user u`,
      ),
  };
}

describe('the sweep that goes round', () => {
  test.each(
    named([
      ['scan board', 'go on', 'scan board', 'end'],
      ['scan board', 'open a window', 'scan board', 'go on', 'scan board', 'end with gaps'],
      ['scan board', 'go on', 'scan other', 'go on', 'scan board', 'end'],
      ['owe', 'settle', 'owe', 'owe', 'settle', 'settle'],
      ['check the board after an hour', 'owe', 'scan board', 'end'],
      ['scan board', 'end', 'ask whether a scan is due', 'ask whether a scan is due', 'scan other'],
      ['scan board', 'open a window', ...Array<string>(4).fill('ask whether a scan is due'), 'end'],
    ]),
  )('%s: two times and ten times', async (_, cycle) => {
    await walkRound(cycles(), cycle);
  });

  test('at random', async () => {
    const names = STEPS.map(({ name }) => name);
    const list = fc.array(fc.constantFrom(...names), { minLength: 15, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(list, async (steps) => {
        await walk(cycles(), steps);
      }),
      { seed: 50, numRuns: 5 },
    );
  });
});
