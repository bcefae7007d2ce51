import { type Day, addDays, weekdayOf } from './day';
import { type Place, PublicHolidays } from './holidays';

/** A date so far away is no longer worth a promise; it also bounds what a wild estimate can cost. */
export const HORIZON_DAYS = 3650;

/** Which days people of a place work on. */
export class WorkCalendar {
  private readonly weekend: ReadonlySet<number>;
  private readonly holidays: PublicHolidays;

  /** Throws UnknownPlaceError. */
  constructor(place: Place) {
    this.weekend = weekendOf(place.country);
    this.holidays = new PublicHolidays(place);
  }

  isWorkday(day: Day): boolean {
    return !this.weekend.has(weekdayOf(day)) && !this.holidays.has(day);
  }

  /** The day itself, or the first workday after it. */
  onOrAfter(day: Day): Day {
    let found = day;
    while (!this.isWorkday(found)) found = addDays(found, 1);
    return found;
  }

  /** So many workdays after a workday; null when that is after `last`. */
  plus(day: Day, workdays: number, last: Day): Day | null {
    let found = day;
    for (let left = workdays; left > 0; left -= 1) {
      found = this.onOrAfter(addDays(found, 1));
      if (found > last) return null;
    }
    return found;
  }
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
  const locale = new Intl.Locale(`und-${country}`) as LocaleWithWeek;
  const info = locale.getWeekInfo?.() ?? locale.weekInfo;
  return info === undefined ? SATURDAY_AND_SUNDAY : new Set(info.weekend);
}

const SATURDAY_AND_SUNDAY: ReadonlySet<number> = new Set([6, 7]);
