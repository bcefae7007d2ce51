import Holidays from 'date-holidays';
import fc from 'fast-check';
import { type Projection, type Work, project } from '../../src/notion-sync/board/projection';
import { type Day, HORIZON_DAYS, WorkCalendar, addDays } from '../../src/common/calendar';
import { TODAY, day } from './boards';

const RUNS = { numRuns: 200 };
const PLACES = [
  { country: null, region: null },
  { country: 'DE', region: 'BY' },
  { country: 'US', region: null },
  { country: 'GB', region: 'ENG' },
  { country: 'PL', region: null },
].map((place) => ({ place, calendar: new WorkCalendar(place), isFree: naiveFree(place) }));

const anyPlace = fc.constantFrom(...PLACES);
/** Any day from 400 days before `TODAY` to 500 days after it. */
const anyToday = fc.integer({ min: -400, max: 500 }).map((days) => addDays(TODAY, days));
const anyHours = fc.integer({ min: 1, max: 24 }).map((halves) => halves / 2);

const anyWorks = (today: Day): fc.Arbitrary<Work[]> => {
  const about = fc.record({
    estimateHours: fc.option(fc.integer({ min: 0, max: 120 }).map((quarters) => quarters / 4)),
    startedOn: fc.option(fc.integer({ min: -30, max: 0 }).map((days) => addDays(today, days))),
    due: fc.option(fc.integer({ min: -10, max: 40 }).map((days) => addDays(today, days))),
  });
  return fc
    .array(about, { maxLength: 12 })
    .map((all) => all.map((one, n) => ({ ...one, pageId: `page-${n}` })));
};
const anyRun = fc.tuple(anyPlace, anyToday, anyHours).chain(([place, today, hoursADay]) =>
  fc.record({
    place: fc.constant(place),
    today: fc.constant(today),
    hoursADay: fc.constant(hoursADay),
    works: anyWorks(today),
  }),
);

/** For comparison: a day is free on a Saturday, a Sunday or a holiday of its own year. */
function naiveFree(place: { country: string | null; region: string | null }) {
  const known = new Set<string>();
  const { country, region } = place;
  if (country !== null) {
    const source = new Holidays(country, region ?? '', { types: ['public'], timezone: 'UTC' });
    for (const year of [2024, 2025, 2026, 2027, 2028, 2029]) {
      for (const { start, end } of source.getHolidays(year)) {
        for (let at = start.getTime(); at < end.getTime(); at += 86_400_000) {
          known.add(new Date(at).toISOString().slice(0, 10));
        }
      }
    }
  }
  return (date: string): boolean =>
    [0, 6].includes(new Date(`${date}T12:00:00Z`).getUTCDay()) || known.has(date);
}

/** For comparison: counts the work a quarter of an hour at a time. */
function naive(run: {
  readonly place: (typeof PLACES)[number];
  readonly today: Day;
  readonly hoursADay: number;
  readonly works: readonly Work[];
}): Projection[] {
  const { isFree } = run.place;
  const next = (date: Day): Day => {
    let found = date;
    while (isFree(found)) found = addDays(found, 1);
    return found;
  };
  let at: Day | null = null;
  let left = 0;
  return run.works.map(({ estimateHours, startedOn, due }) => {
    const begin = next(startedOn ?? run.today);
    if (at === null || begin > at) [at, left] = [begin, run.hoursADay * 4];
    for (let quarters = (estimateHours ?? 0) * 4; quarters > 0; quarters -= 1) {
      if (left === 0) [at, left] = [next(addDays(at, 1)), run.hoursADay * 4];
      left -= 1;
    }
    const open = next(run.today);
    const ready = at > open ? at : open;
    return {
      completesOn: estimateHours === null ? null : ready,
      isAtRisk: due !== null && ready > due,
    };
  });
}

test('a projection equals a simple count of the work in quarter hours', () => {
  fc.assert(
    fc.property(anyRun, (run) => {
      const projected = project(run.works, { ...run, calendar: run.place.calendar });
      expect([...projected.values()]).toEqual(naive(run));
    }),
    { numRuns: 500 },
  );
});

test('nothing is completed on a weekend, on a holiday or in the past', () => {
  fc.assert(
    fc.property(anyRun, (run) => {
      const projected = project(run.works, { ...run, calendar: run.place.calendar });
      for (const { completesOn } of projected.values()) {
        if (completesOn === null) continue;
        expect(run.place.isFree(completesOn)).toBe(false);
        expect(completesOn >= run.today).toBe(true);
      }
    }),
    RUNS,
  );
});

test('no task is completed before the tasks that precede it', () => {
  fc.assert(
    fc.property(anyRun, (run) => {
      const projected = project(run.works, { ...run, calendar: run.place.calendar });
      const days = [...projected.values()].flatMap(({ completesOn }) => completesOn ?? []);
      expect(days).toEqual([...days].sort());
    }),
    RUNS,
  );
});

test('neither more work before a task nor a later day completes the task earlier', () => {
  fc.assert(
    fc.property(anyRun, fc.nat(40), (run, more) => {
      const time = { ...run, calendar: run.place.calendar };
      const before = { pageId: 'before', estimateHours: more, startedOn: null, due: null };
      const plain = [...project(run.works, time)];
      const pushed = project([before, ...run.works], time);
      const tomorrow = project(run.works, { ...time, today: addDays(run.today, 1) });
      for (const [pageId, { completesOn }] of plain) {
        if (completesOn === null) continue;
        expect((pushed.get(pageId)?.completesOn ?? '') >= completesOn).toBe(true);
        expect((tomorrow.get(pageId)?.completesOn ?? '') >= completesOn).toBe(true);
      }
    }),
    RUNS,
  );
});

test('an extreme estimate or a start in the far future gets no projection; a start in the far past counts as today', () => {
  const calendar = new WorkCalendar({ country: 'DE', region: null });
  const works = (['1900-01-01', null, '9999-12-31'] as const).map((text, n) => ({
    pageId: `page-${n}`,
    estimateHours: text === null ? 1e300 : 8,
    startedOn: text === null ? null : day(text),
    due: day('2026-12-01'),
  }));
  const examined = jest.spyOn(calendar, 'isWorkday');
  const projected = project(works, { today: TODAY, hoursADay: 8, calendar });
  expect([...projected.values()]).toEqual([
    { completesOn: '2026-11-23', isAtRisk: false },
    { completesOn: null, isAtRisk: true },
    { completesOn: null, isAtRisk: true },
  ]);
  // The search ends at the horizon. It examines each of its days once, and a few more at its ends.
  expect(examined.mock.calls.length).toBeLessThan(HORIZON_DAYS + 100);
});
