/**
 * What date-holidays 3.37 and Unicode's data (CLDR 48) get wrong or cannot know about workdays: days off
 * and working days that a government has moved, weekends, and days off that are not free everywhere in
 * their country. docs/business-days.md lists the countries and years.
 */

/** Days of one country and one year, `YYYY-MM-DD`. */
export interface DayCorrection {
  /** ISO 3166-1, two letters. */
  readonly country: string;
  readonly year: number;
  /** Nobody works, although the library knows no holiday. */
  readonly off?: readonly string[];
  /** People work, on a weekend or on what the library takes for a holiday. */
  readonly worked?: readonly string[];
  readonly source: string;
}

const RU_112 = 'Labour Code of the Russian Federation, Article 112';
const BY_464 = 'Decree 464 of 17 Dec 2019 (2 January is a day off)';
const KZ_5 = 'Law on Holidays, Article 5 (the next workday is free for a holiday on a weekend)';
const BG_154 = 'Labour Code of Bulgaria, Article 154(1) and (2)';
const CY_GREEN = 'Green Monday is 48 days before Orthodox Easter, Whit Monday 50 days after it';

export const DAY_CORRECTIONS: readonly DayCorrection[] = [
  {
    country: 'RU',
    year: 2025,
    off: ['2025-05-02', '2025-05-08', '2025-06-13', '2025-11-03', '2025-12-31'],
    worked: ['2025-11-01'],
    source: 'Government Resolution 1335 of 4 Oct 2024',
  },
  {
    country: 'RU',
    year: 2026,
    off: ['2026-01-09', '2026-03-09', '2026-05-11', '2026-12-31'],
    source: `Government Resolution 1466 of 24 Sep 2025; ${RU_112}`,
  },
  {
    country: 'RU',
    year: 2027,
    off: ['2027-05-03', '2027-05-10', '2027-06-14'],
    source: `${RU_112}; the days that a resolution moves in 2027 are not in this table`,
  },
  {
    country: 'BY',
    year: 2025,
    off: ['2025-01-02', '2025-01-06', '2025-04-28', '2025-07-04', '2025-12-26'],
    worked: ['2025-01-11', '2025-04-26', '2025-07-12', '2025-12-20'],
    source: `${BY_464}; Council of Ministers, Resolution 839 of 14 Nov 2024`,
  },
  {
    country: 'BY',
    year: 2026,
    off: ['2026-01-02', '2026-04-20'],
    worked: ['2026-04-25'],
    source: `${BY_464}; Council of Ministers, Resolution 397 of 22 Jul 2025`,
  },
  {
    country: 'KZ',
    year: 2026,
    off: ['2026-03-24', '2026-03-25'],
    // Constitution Day moved to 15 March by the referendum of that day, from 2027 on.
    worked: ['2026-03-16'],
    source: `${KZ_5}; Ministry of Labour, March 2026 (15 March is a holiday from 2027)`,
  },
  { country: 'KZ', year: 2027, off: ['2027-03-24'], source: KZ_5 },
  {
    country: 'CN',
    year: 2026,
    off: [
      '2026-01-02',
      ...['2026-02-16', '2026-02-17', '2026-02-18', '2026-02-19', '2026-02-20', '2026-02-23'],
      ...['2026-04-06', '2026-05-04', '2026-05-05'],
      ...['2026-10-05', '2026-10-06', '2026-10-07'],
    ],
    worked: [
      ...['2026-01-04', '2026-02-14', '2026-02-28', '2026-05-09', '2026-06-01'],
      ...['2026-09-20', '2026-10-10'],
    ],
    source: 'General Office of the State Council, notice of 4 Nov 2025',
  },
  {
    country: 'CN',
    year: 2027,
    worked: ['2027-06-01'],
    source:
      'Regulation on Holidays, State Council Order 795 of 10 Nov 2024: a day off for children',
  },
  {
    country: 'BG',
    year: 2025,
    off: ['2025-05-26', '2025-09-08', '2025-12-26'],
    source: BG_154,
  },
  {
    country: 'BG',
    year: 2026,
    off: ['2026-05-25', '2026-09-07', '2026-12-28'],
    source: BG_154,
  },
  {
    country: 'BG',
    year: 2027,
    off: ['2027-05-04', '2027-12-27', '2027-12-28'],
    source: BG_154,
  },
  {
    country: 'CY',
    year: 2026,
    off: ['2026-02-23', '2026-06-01'],
    worked: ['2026-02-24'],
    source: CY_GREEN,
  },
  {
    country: 'CY',
    year: 2027,
    off: ['2027-03-15', '2027-06-21'],
    worked: ['2027-03-16'],
    source: CY_GREEN,
  },
  {
    country: 'HU',
    year: 2026,
    off: ['2026-01-02', '2026-08-21', '2026-12-24'],
    worked: ['2026-01-10', '2026-08-08', '2026-12-12'],
    source: 'Decree 10/2025. (IV. 30.) of the Minister for National Economy',
  },
];

export interface WeekendCorrection {
  readonly country: string;
  /** 1 is Monday, 7 is Sunday. */
  readonly weekend: readonly number[];
  readonly source: string;
}

/** CLDR has Saturday and Sunday for these. */
export const WEEKEND_CORRECTIONS: readonly WeekendCorrection[] = [
  {
    country: 'BD',
    weekend: [5, 6],
    source: 'Cabinet Division: Friday and Saturday are weekly holidays',
  },
  {
    country: 'MV',
    weekend: [5, 6],
    source: "President's Office of the Maldives: offices work from Sunday to Thursday",
  },
];

/** Days off of a country that some of its regions work on, by the rules of date-holidays. */
export interface PartialHoliday {
  readonly country: string;
  readonly rules: readonly string[];
  readonly source: string;
}

/** They count only where a region is named. */
export const PARTIAL_HOLIDAYS: readonly PartialHoliday[] = [
  {
    country: 'GB',
    rules: ['easter 1'],
    source: 'Banking and Financial Dealings Act 1971, Schedule 1: no bank holiday in Scotland',
  },
  {
    country: 'CH',
    rules: ['easter -2', 'easter 1', 'easter 50', '12-26'],
    source: 'Labour Act, Article 20a: the cantons choose all but 1 August',
  },
];
