import { localTime } from '../time-zone';

/** A date without a time, `YYYY-MM-DD`; such texts sort like the days. */
export type Day = string & { readonly __day: true };

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

/** Null when the text is not a calendar day. */
export function parseDay(text: string): Day | null {
  if (!DAY.test(text)) return null;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || dayAt(ms) !== text ? null : dayAt(ms);
}

/** The day that an instant falls on in a time zone (IANA). */
export function dayIn(timeZone: string, instant: Date): Day {
  return localTime(timeZone, instant).day as Day;
}

export function addDays(day: Day, days: number): Day {
  return dayAt(msOf(day) + days * DAY_MS);
}

/** How many days `to` is after `from`; negative when it is before. */
export function daysBetween(from: Day, to: Day): number {
  return (msOf(to) - msOf(from)) / DAY_MS;
}

/** 1 is Monday, 7 is Sunday. */
export function weekdayOf(day: Day): number {
  return new Date(msOf(day)).getUTCDay() || 7;
}

export function yearOf(day: Day): number {
  return Number(day.slice(0, 4));
}

export function later(a: Day, b: Day): Day {
  return a > b ? a : b;
}

function msOf(day: Day): number {
  return Date.parse(`${day}T00:00:00Z`);
}

function dayAt(ms: number): Day {
  return new Date(ms).toISOString().slice(0, 10) as Day;
}
