import { readFileSync } from 'node:fs';
import path from 'node:path';
import { WorkCalendar, parseDay, weekdayOf } from '../../src/common/calendar';
import {
  DAY_CORRECTIONS,
  PARTIAL_HOLIDAYS,
  WEEKEND_CORRECTIONS,
} from '../../src/common/calendar-corrections';
import { replyDayOf } from '../../src/vacancies';
import { vacancyDraft } from '../support/vacancies';
import { day } from './boards';

/** Days that date-holidays 3.37 or Unicode's weekends have wrong; the sources stand in the table. */

const FAR = day('9999-12-31');

function nextWorkday(country: string, from: string, region: string | null = null): string | null {
  return new WorkCalendar({ country, region }).plus(day(from), 1, FAR);
}

describe('one business day later', () => {
  test.each([
    ['RU', '2026-05-08', '2026-05-12', 'Labour Code 112: 9 May is a Saturday'],
    ['RU', '2027-06-11', '2027-06-15', 'Labour Code 112: 12 June is a Saturday'],
    ['RU', '2026-01-08', '2026-01-12', 'Resolution 1466 of 24 Sep 2025: 9 January is off'],
    ['RU', '2026-12-30', '2027-01-11', 'Resolution 1466 of 24 Sep 2025: 31 December is off'],
    ['RU', '2025-10-31', '2025-11-01', 'Resolution 1335 of 4 Oct 2024: a working Saturday'],
    ['RU', '2025-11-01', '2025-11-05', 'Resolution 1335 of 4 Oct 2024: 3 November is off'],
    ['BY', '2025-12-31', '2026-01-05', 'Decree 464 of 2019: 2 January is off'],
    ['BY', '2026-04-17', '2026-04-22', 'Resolution 397 of 22 Jul 2025: 20 April is off'],
    ['BY', '2026-04-24', '2026-04-25', 'Resolution 397 of 22 Jul 2025: a working Saturday'],
    ['KZ', '2026-03-20', '2026-03-26', 'Law on Holidays 5: two days of Nauryz on a weekend'],
    ['KZ', '2027-03-23', '2027-03-25', 'Law on Holidays 5: 21 March is a Sunday'],
    ['KZ', '2026-03-13', '2026-03-16', 'Constitution Day is on 15 March from 2027 on'],
    ['CN', '2026-05-29', '2026-06-01', "Children's Day is a workday for adults"],
    ['CN', '2027-05-31', '2027-06-01', "Children's Day is a workday for adults"],
    ['CN', '2026-02-18', '2026-02-24', 'State Council, 4 Nov 2025: the Spring Festival'],
    ['CN', '2026-02-27', '2026-02-28', 'State Council, 4 Nov 2025: a working Saturday'],
    ['CN', '2026-09-18', '2026-09-20', 'State Council, 4 Nov 2025: a working Sunday'],
    ['CN', '2026-09-30', '2026-10-08', 'State Council, 4 Nov 2025: the National Day'],
    ['BG', '2025-12-24', '2025-12-29', 'Labour Code 154: 26 December is a holiday'],
    ['BG', '2026-12-25', '2026-12-29', 'Labour Code 154: 26 December is a Saturday'],
    ['BG', '2027-04-29', '2027-05-05', 'Labour Code 154: 1 May is a Saturday'],
    ['CY', '2026-02-20', '2026-02-24', 'Green Monday is on 23 February'],
    ['CY', '2026-05-29', '2026-06-02', 'Whit Monday is on 1 June'],
    ['HU', '2026-01-09', '2026-01-10', 'Decree 10/2025 NGM: a working Saturday'],
    ['HU', '2026-12-23', '2026-12-28', 'Decree 10/2025 NGM: 24 December is off'],
    ['BD', '2026-06-04', '2026-06-07', 'the weekend is Friday and Saturday'],
  ])('than %s, %s is %s (%s)', (country, from, expected) => {
    expect(nextWorkday(country, from)).toBe(expected);
  });

  test('than Easter Sunday is Monday in Scotland, and Tuesday in England', () => {
    expect(nextWorkday('GB', '2026-04-02', 'SCT')).toBe('2026-04-06');
    expect(nextWorkday('GB', '2026-04-02', 'ENG')).toBe('2026-04-07');
    expect(nextWorkday('GB', '2026-04-02')).toBe('2026-04-06');
  });

  test.each([
    ['BD', '2026-06-07'],
    ['MV', '2026-06-07'],
    ['QA', '2026-06-07'],
    ['KW', '2026-06-07'],
    ['AE', '2026-06-05'],
    ['AQ', '2026-06-05'],
  ])(
    'is counted by the weekend of %s in a promise, also without known holidays',
    async (country, expected) => {
      const plan = { ...vacancyDraft().plan, replyWithinDays: 1 };
      const replyDay = await replyDayOf(plan, { name: 'Ada', country });
      expect(replyDay(new Date('2026-06-04T10:00:00Z'))).toBe(expected);
    },
  );
});

describe('the table of corrections', () => {
  test('names real days of the year of each row, each once', () => {
    for (const { year, off = [], worked = [] } of DAY_CORRECTIONS) {
      const days = [...off, ...worked];
      expect(days.map(parseDay)).toEqual(days);
      expect(days.filter((text) => !text.startsWith(`${String(year)}-`))).toEqual([]);
      expect(new Set(days).size).toBe(days.length);
    }
  });

  test('names no day off on a weekend, which would be free anyway', () => {
    const off = DAY_CORRECTIONS.flatMap((row) => row.off ?? []);
    expect(off.filter((text) => weekdayOf(day(text)) > 5)).toEqual([]);
  });

  test('makes a partial holiday a workday of the country, and leaves it to a region', () => {
    const free = new WorkCalendar({ country: 'CH', region: 'ZH' });
    const country = new WorkCalendar({ country: 'CH', region: null });
    expect(PARTIAL_HOLIDAYS.map((row) => row.country)).toEqual(['GB', 'CH']);
    for (const text of ['2026-04-03', '2026-04-06', '2026-05-25']) {
      expect([free, country].map((one) => one.isWorkday(day(text)))).toEqual([false, true]);
    }
  });

  test('has a source for each row, and its country and year stand in the documentation', () => {
    const page = readFileSync(path.resolve('docs/business-days.md'), 'utf8');
    const rows = [...DAY_CORRECTIONS, ...WEEKEND_CORRECTIONS, ...PARTIAL_HOLIDAYS];
    expect(rows.filter(({ source }) => source.length < 10)).toEqual([]);
    const lines = page.split('\n');
    for (const { country, year } of DAY_CORRECTIONS) {
      const line = lines.find((one) => one.startsWith(`| \`${country}\``));
      expect(line).toContain(String(year));
    }
    for (const { country } of [...WEEKEND_CORRECTIONS, ...PARTIAL_HOLIDAYS]) {
      expect(page).toContain(`\`${country}\``);
    }
  });
});
