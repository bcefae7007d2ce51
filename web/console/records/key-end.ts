/** Until when a key may work: a day within the next year. */
import { dayFrom, dayOf, endOf } from './days';

const DAY_MS = 86_400_000;
const LONGEST_DAYS = 365;

/** The latest day that the server takes everywhere. */
export function latestEnd(now: Date): string {
  return dayOf(new Date(now.getTime() + (LONGEST_DAYS - 1) * DAY_MS));
}

export function isEnd(day: string, now: Date): boolean {
  if (dayFrom(day) === null) return false;
  const end = new Date(endOf(day)).getTime();
  // A day that is named by its date ends up to a day later.
  return end > now.getTime() && end <= now.getTime() + (LONGEST_DAYS + 1) * DAY_MS;
}
