import type { RowProblemCode } from './problems';

const DAY_MS = 24 * 3_600_000;
/** As `invite --expires` has it. */
const MAX_DAYS = 365;

const YEAR_FIRST = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/;
const YEAR_LAST = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})$/;
const MIDNIGHT = /(?:,?\s+|T)0?0:00(?::00(?:\.0+)?)?Z?$/i;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/i;
/** Spreadsheets count days from 1900: 46387 is the last day of 2026. */
const DAY_NUMBER = /^\d{5}(?:[.,]\d+)?$/;

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/**
 * When an invitation ends that is valid until this day, included (UTC), or until this moment. A day that
 * may be read in two ways is refused, also when other rows say how they mean it: a spreadsheet of another
 * language swaps day and month of exactly those that it can read, and leaves the others.
 */
export function endOf(text: string, now: Date): Date | RowProblemCode {
  if (INSTANT.test(text)) {
    const at = new Date(text);
    return Number.isNaN(at.getTime()) ? 'date_invalid' : withinYear(at, at, now);
  }
  const day = dayOf(text.replace(MIDNIGHT, ''));
  if (typeof day === 'string') return day;
  const start = new Date(Date.UTC(day.year, day.month - 1, day.day));
  // JavaScript reads February 31 as a day in March.
  if (start.getUTCMonth() !== day.month - 1 || start.getUTCDate() !== day.day)
    return 'date_invalid';
  return withinYear(start, new Date(start.getTime() + DAY_MS), now);
}

function withinYear(start: Date, end: Date, now: Date): Date | RowProblemCode {
  if (end.getTime() <= now.getTime()) return 'date_past';
  return start.getTime() > now.getTime() + MAX_DAYS * DAY_MS ? 'date_far' : end;
}

function dayOf(text: string): Day | RowProblemCode {
  const [, year = '', , second = '', third = ''] = YEAR_FIRST.exec(text) ?? [];
  if (year !== '') return ordered(Number(year), Number(second), Number(third));
  const found = YEAR_LAST.exec(text);
  if (found === null) return DAY_NUMBER.test(text) ? 'date_number' : 'date_invalid';
  const [, one = '', sign = '', two = '', last = ''] = found;
  if (last.length === 2) return 'date_ambiguous';
  const [a, b] = [Number(one), Number(two)];
  // With dots the day stands first in every language that writes them.
  if (sign === '.') return ordered(Number(last), b, a);
  if (a <= 12 && b <= 12 && a !== b) return 'date_ambiguous';
  return a > 12 ? ordered(Number(last), b, a) : ordered(Number(last), a, b);
}

function ordered(year: number, month: number, day: number): Day | RowProblemCode {
  if (month > 12 && month <= 31 && day >= 1 && day <= 12) return 'date_order';
  const isPossible = month >= 1 && month <= 12 && day >= 1 && day <= 31;
  return isPossible ? { year, month, day } : 'date_invalid';
}
