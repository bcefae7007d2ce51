import {
  PublicHolidays,
  UnknownPlaceError,
  WorkCalendar,
  addDays,
  dayIn,
  daysBetween,
  later,
  parseDay,
  weekdayOf,
  yearOf,
} from '../../src/common/calendar';
import { project } from '../../src/notion-sync/board/projection';
import { day } from './boards';

const GERMANY = new WorkCalendar({ country: 'DE', region: 'BY' });

describe('a day', () => {
  test.each([
    ['Europe/Berlin', '2026-03-28T22:59:59Z', '2026-03-28'],
    ['Europe/Berlin', '2026-03-28T23:00:00Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T21:59:59Z', '2026-03-29'],
    ['Europe/Berlin', '2026-03-29T22:00:00Z', '2026-03-30'],
    ['America/New_York', '2026-11-01T03:59:59Z', '2026-10-31'],
    ['America/New_York', '2026-11-01T04:00:00Z', '2026-11-01'],
    ['America/New_York', '2026-11-02T04:59:59Z', '2026-11-01'],
    ['America/New_York', '2026-11-02T05:00:00Z', '2026-11-02'],
    ['Pacific/Apia', '2011-12-30T09:59:59Z', '2011-12-29'],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', '2011-12-31'],
    ['Pacific/Kiritimati', '2026-12-31T10:00:00Z', '2027-01-01'],
    ['Australia/Lord_Howe', '2026-12-31T12:59:59Z', '2026-12-31'],
    ['Asia/Kathmandu', '2026-02-28T18:15:00Z', '2026-03-01'],
  ])('in %s at %s is %s', (zone, instant, expected) => {
    expect(dayIn(zone, new Date(instant))).toBe(expected);
  });

  test('is a valid calendar day, or null', () => {
    expect(['2026-02-29', '2026-13-01', '26-01-01', '2026-1-1', ''].map(parseDay)).toEqual(
      Array.from({ length: 5 }, () => null),
    );
    expect(parseDay('2028-02-29')).toBe('2028-02-29');
    expect(daysBetween(day('2026-03-28'), day('2026-03-30'))).toBe(2);
  });
});

test('days are counted over the ends of months and years, in both directions', () => {
  expect(addDays(day('2027-01-02'), -3)).toBe('2026-12-30');
  expect(addDays(day('2028-02-28'), 2)).toBe('2028-03-01');
  expect(daysBetween(day('2027-01-01'), day('2026-12-30'))).toBe(-2);
  expect(yearOf(day('2027-01-01'))).toBe(2027);
  expect([
    later(day('2026-12-31'), day('2027-01-01')),
    later(day('2026-12-02'), day('2026-11-03')),
  ]).toEqual(['2027-01-01', '2026-12-02']);
});

test('the week begins on Monday', () => {
  const week = Array.from({ length: 7 }, (_, n) => weekdayOf(addDays(day('2026-11-23'), n)));
  expect(week).toEqual([1, 2, 3, 4, 5, 6, 7]);
});

describe('workdays', () => {
  test('are counted from a workday to the last day that is asked for', () => {
    const plus = (workdays: number, last: string) =>
      GERMANY.plus(day('2026-12-23'), workdays, day(last));
    expect(plus(0, '2026-12-20')).toBe('2026-12-23');
    expect([plus(1, '2026-12-31'), plus(2, '2026-12-31')]).toEqual(['2026-12-24', '2026-12-28']);
    expect([plus(2, '2026-12-28'), plus(2, '2026-12-27')]).toEqual(['2026-12-28', null]);
  });

  test('of an unknown country have its weekend alone, where holidays are not needed', () => {
    const place = { country: 'XX', region: null };
    const unknown = new WorkCalendar(place, { needsHolidays: false });
    expect(unknown.onOrAfter(day('2026-12-25'))).toBe('2026-12-25');
    expect(unknown.onOrAfter(day('2026-12-26'))).toBe('2026-12-28');
    const known = new WorkCalendar({ country: 'DE', region: 'BY' }, { needsHolidays: false });
    expect(known.isWorkday(day('2026-12-25'))).toBe(false);
    expect(new PublicHolidays({ country: null, region: null }).has(day('2026-12-25'))).toBe(false);
  });

  test('skip the holidays at the end of a year and at the start of the next', () => {
    const free = ['2026-12-25', '2026-12-26', '2026-12-27', '2027-01-01', '2027-01-06'];
    const worked = ['2026-12-24', '2026-12-28', '2026-12-31', '2027-01-04', '2027-01-07'];
    expect(free.filter((text) => GERMANY.isWorkday(day(text)))).toEqual([]);
    expect(worked.filter((text) => !GERMANY.isWorkday(day(text)))).toEqual([]);
  });

  test('exclude holidays of a region, holidays of several days and substitute holidays', () => {
    const saxony = new WorkCalendar({ country: 'DE', region: 'SN' });
    expect(GERMANY.isWorkday(day('2026-01-06'))).toBe(false);
    expect(saxony.isWorkday(day('2026-01-06'))).toBe(true);
    const russia = new WorkCalendar({ country: 'RU', region: null });
    expect(russia.onOrAfter(day('2026-01-01'))).toBe('2026-01-12');
    const britain = new WorkCalendar({ country: 'GB', region: 'ENG' });
    expect(britain.onOrAfter(day('2026-12-25'))).toBe('2026-12-29');
  });

  test('exclude holidays that began in the year before', () => {
    const arabia = new WorkCalendar({ country: 'SA', region: null });
    expect(arabia.onOrAfter(day('2007-01-01'))).toBe('2007-01-03');
  });

  test('include days that are only half free', () => {
    const iceland = new WorkCalendar({ country: 'IS', region: null });
    expect(iceland.isWorkday(day('2026-12-24'))).toBe(true);
    expect(iceland.isWorkday(day('2026-12-25'))).toBe(false);
  });

  test('follow the weekend of the country', () => {
    const israel = new WorkCalendar({ country: 'IL', region: null });
    expect(israel.onOrAfter(day('2026-11-20'))).toBe('2026-11-22');
    const anywhere = new WorkCalendar({ country: null, region: null });
    expect(anywhere.onOrAfter(day('2026-11-21'))).toBe('2026-11-23');
  });

  test.each([
    [{ country: 'XX', region: null }, 'NOTION_COUNTRY=XX: '],
    [{ country: 'DE', region: 'ZZ' }, 'NOTION_REGION=ZZ: '],
    [{ country: 'DE', region: 'ZZ' }, 'public holidays are not known; one of BB, BE, BW, BY, HB, '],
    [{ country: 'US', region: 'LA.ZZ' }, 'NOTION_REGION=LA.ZZ: '],
    [{ country: 'US', region: 'LA.NO.X' }, 'NOTION_REGION=LA.NO.X: '],
    [{ country: 'US', region: 'LA.NO.NO' }, 'one of NO'],
    [{ country: 'VA', region: 'ZZ' }, 'none is known here: leave it empty'],
  ])('of an unknown place are an error, not a year without holidays: %j', (place, words) => {
    const make = () => new WorkCalendar(place);
    expect(make).toThrow(UnknownPlaceError);
    expect(make).toThrow(words);
    expect(make).toThrow(expect.objectContaining({ name: 'UnknownPlaceError' }) as Error);
    expect(() => new WorkCalendar({ country: 'US', region: 'LA.NO' })).not.toThrow();
  });
});

describe('a projection', () => {
  const time = (today: string, hoursADay = 8) => ({
    today: day(today),
    hoursADay,
    calendar: GERMANY,
  });
  const work = (
    pageId: string,
    estimateHours: number | null,
    startedOn: string | null = null,
    due: string | null = null,
  ) => ({
    pageId,
    estimateHours,
    startedOn: startedOn === null ? null : day(startedOn),
    due: due === null ? null : day(due),
  });
  const dates = (...args: Parameters<typeof project>) =>
    [...project(...args).values()].map(({ completesOn }) => completesOn);

  test('continues after the end of the year and skips its holidays', () => {
    expect(dates([work('a', 24), work('b', 9)], time('2026-12-30'))).toEqual([
      '2027-01-04',
      '2027-01-07',
    ]);
  });

  test('lets tasks share a day, and fills it to the last minute', () => {
    const works = [work('a', 3), work('b', 5), work('c', 0), work('d', 0.25)];
    expect(dates(works, time('2026-11-23'))).toEqual([
      '2026-11-23',
      '2026-11-23',
      '2026-11-23',
      '2026-11-24',
    ]);
    const tenths = Array.from({ length: 80 }, (_, n) => work(String(n), 0.1));
    expect(new Set(dates(tenths, time('2026-11-23')))).toEqual(new Set(['2026-11-23']));
  });

  test('counts from the day a task was started, and is never in the past', () => {
    expect(dates([work('a', 40, '2026-11-19')], time('2026-11-23'))).toEqual(['2026-11-25']);
    expect(dates([work('a', 8, '2026-11-16'), work('b', 8)], time('2026-11-24'))).toEqual([
      '2026-11-24',
      '2026-11-24',
    ]);
  });

  test('of a task that starts later does not delay tasks that can be done before it', () => {
    const works = [
      work('later', 8, '2026-12-07'),
      { ...work('waits for it', 8), blockedByIds: ['later'] },
      work('now', 8),
      work('next', 8),
    ];
    expect(
      Object.fromEntries(
        [...project(works, time('2026-11-23'))].map(([id, it]) => [id, it.completesOn]),
      ),
    ).toEqual({
      now: '2026-11-23',
      next: '2026-11-24',
      later: '2026-12-07',
      'waits for it': '2026-12-08',
    });
  });

  test('marks a task as at risk when it ends after the due date, with or without an estimate', () => {
    const risks = (...args: Parameters<typeof project>) =>
      [...project(...args).values()].map(({ isAtRisk }) => isAtRisk);
    const works = [
      work('on time', 8, null, '2026-11-23'),
      work('late', 8, null, '2026-11-23'),
      work('unknown, and overdue', null, null, '2026-11-20'),
      work('unknown', null, null, '2026-12-20'),
      work('not due', 400),
    ];
    expect(risks(works, time('2026-11-23'))).toEqual([false, true, true, false, false]);
  });
});
