import Holidays from 'date-holidays';
import { DAY_CORRECTIONS, PARTIAL_HOLIDAYS, WEEKEND_CORRECTIONS } from './calendar-corrections';
import { localTime } from './time-zone';

/** Which days people of a place work on. */
export class WorkCalendar {
  private readonly weekend: ReadonlySet<number>;
  /** Null: not known. */
  private readonly holidays: PublicHolidays | null;
  /** The days on which people work, or not, against the rules. */
  private readonly moved: ReadonlyMap<string, 'off' | 'worked'>;

  /** Throws UnknownPlaceError; with `needsHolidays: false` only for an unknown region. */
  constructor(place: Place, { needsHolidays = true }: { needsHolidays?: boolean } = {}) {
    this.weekend = weekendOf(place.country);
    this.moved = movedDaysOf(place.country);
    const isKnown = needsHolidays || place.country === null || hasHolidays(place.country);
    this.holidays = isKnown ? new PublicHolidays(place) : null;
  }

  isWorkday(day: Day): boolean {
    const moved = this.moved.get(day);
    if (moved !== undefined) return moved === 'worked';
    return !this.weekend.has(weekdayOf(day)) && this.holidays?.has(day) !== true;
  }

  /** The day itself, or the first workday after it. */
  onOrAfter(day: Day): Day {
    let found = day;
    while (!this.isWorkday(found)) found = addDays(found, 1);
    return found;
  }

  /** The workday `count` workdays after a workday; null when that is after `last`. */
  plus(day: Day, workdays: number, last: Day): Day | null {
    let found = day;
    for (let left = workdays; left > 0; left -= 1) {
      found = this.onOrAfter(addDays(found, 1));
      if (found > last) return null;
    }
    return found;
  }
}

const DAY_MS = 86_400_000;
const MIDNIGHT = ' 00:00:00';

/** The public holidays of a place, year by year. */
export class PublicHolidays {
  private readonly source: Holidays | null;
  /** The rules of days on which some regions of the country work; none where a region is named. */
  private readonly partial: ReadonlySet<string>;
  private readonly years = new Map<number, ReadonlySet<Day>>();

  /** Throws UnknownPlaceError, because date-holidays would return no holidays for an unknown place. */
  constructor({ country, region }: Place) {
    this.source = country === null ? null : sourceOf(country, region);
    const partial = PARTIAL_HOLIDAYS.filter((one) => one.country === country && region === null);
    this.partial = new Set(partial.flatMap(({ rules }) => rules));
  }

  has(day: Day): boolean {
    if (this.source === null) return false;
    return this.of(this.source, yearOf(day)).has(day);
  }

  private of(source: Holidays, year: number): ReadonlySet<Day> {
    const known = this.years.get(year);
    if (known !== undefined) return known;
    // Holidays of several days may have begun in the year before.
    const days = new Set([...this.daysOff(source, year - 1), ...this.daysOff(source, year)]);
    this.years.set(year, days);
    return days;
  }

  /** Only whole days; a holiday that begins at noon is a workday. */
  private daysOff(source: Holidays, year: number): Day[] {
    return source.getHolidays(year).flatMap(({ date, start, end, rule }) => {
      const first = parseDay(date.slice(0, 10));
      if (first === null || !date.slice(10).startsWith(MIDNIGHT)) return [];
      if (this.partial.has(rule)) return [];
      const days = Math.floor((end.getTime() - start.getTime()) / DAY_MS);
      return Array.from({ length: days }, (_, n) => addDays(first, n));
    });
  }
}

/** A date without a time, `YYYY-MM-DD`; such texts sort like the days. */
export type Day = string & { readonly __day: true };

/** Where people work; null: unknown, so the weekend is Saturday and Sunday. */
export interface Place {
  /** ISO 3166-1, two letters. */
  readonly country: string | null;
  /** A state of the country, with a part of it after a dot: `BY`, `LA.NO`. */
  readonly region: string | null;
}

function sourceOf(country: string, region: string | null): Holidays {
  const all = new Holidays();
  const [state, part, ...rest] = region?.split('.') ?? [];
  if (!(country in all.getCountries()))
    throw unknown('NOTION_COUNTRY', country, all.getCountries());
  if (state !== undefined) {
    const states = namesOf(all.getStates(country));
    if (!(state in states)) throw unknown('NOTION_REGION', state, states);
    if (part !== undefined) {
      const parts = namesOf(all.getRegions(country, state));
      if (!(part in parts) || rest.length > 0) throw unknown('NOTION_REGION', region ?? '', parts);
    }
  }
  // In UTC all days have 24 hours. The dates are the place's own in any zone.
  return new Holidays(country, state ?? '', part ?? '', { types: ['public'], timezone: 'UTC' });
}

function unknown(setting: string, value: string, known: Readonly<Record<string, string>>): Error {
  const codes = Object.keys(known).sort().join(', ');
  const expected = codes === '' ? 'none is known here: leave it empty' : `one of ${codes}`;
  return new UnknownPlaceError(`${setting}=${value}: public holidays are not known; ${expected}`);
}

/** The settings name a place without known holidays; the message is for an operator. */
export class UnknownPlaceError extends Error {
  override readonly name = 'UnknownPlaceError';
}

/** The types say that it is always an object. */
function namesOf(places: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return { ...places };
}

export function yearOf(day: Day): number {
  return Number(day.slice(0, 4));
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Null when the text is not a calendar day. */
export function parseDay(text: string): Day | null {
  if (!DAY.test(text)) return null;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || dayAt(ms) !== text ? null : dayAt(ms);
}

function dayAt(ms: number): Day {
  return new Date(ms).toISOString().slice(0, 10) as Day;
}

export function addDays(day: Day, days: number): Day {
  return dayAt(msOf(day) + days * DAY_MS);
}

function msOf(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`);
}

/** 1 is Monday, 7 is Sunday. */
export function weekdayOf(day: Day): number {
  return new Date(msOf(day)).getUTCDay() || 7;
}

function hasHolidays(country: string): boolean {
  return country in new Holidays().getCountries();
}

function movedDaysOf(country: string | null): ReadonlyMap<string, 'off' | 'worked'> {
  const rows = DAY_CORRECTIONS.filter((row) => row.country === country);
  return new Map(
    rows.flatMap(({ off = [], worked = [] }) => [
      ...off.map((day) => [day, 'off'] as const),
      ...worked.map((day) => [day, 'worked'] as const),
    ]),
  );
}

interface WeekInfo {
  readonly weekend: readonly number[];
}
/** Newer engines have the method, older ones the property. */
type LocaleWithWeek = Intl.Locale & {
  readonly weekInfo?: WeekInfo;
  readonly getWeekInfo?: () => WeekInfo;
};

/** Unicode's data (CLDR) on the country: Friday and Saturday in Israel, Sunday alone in India. */
function weekendOf(country: string | null): ReadonlySet<number> {
  if (country === null) return SATURDAY_AND_SUNDAY;
  const corrected = WEEKEND_CORRECTIONS.find((row) => row.country === country);
  if (corrected !== undefined) return new Set(corrected.weekend);
  const locale = new Intl.Locale(`und-${country}`) as LocaleWithWeek;
  const info = locale.getWeekInfo?.() ?? locale.weekInfo;
  return info === undefined ? SATURDAY_AND_SUNDAY : new Set(info.weekend);
}

const SATURDAY_AND_SUNDAY: ReadonlySet<number> = new Set([6, 7]);

/** The day that an instant falls on in a time zone (IANA). */
export function dayIn(timeZone: string, instant: Date): Day {
  return localTime(timeZone, instant).day as Day;
}

/** How many days `to` is after `from`; negative when it is before. */
export function daysBetween(from: Day, to: Day): number {
  return (msOf(to) - msOf(from)) / DAY_MS;
}

export function later(a: Day, b: Day): Day {
  return a > b ? a : b;
}

/** The horizon of projections, which also bounds the cost of an extreme estimate. */
export const HORIZON_DAYS = 3650;
