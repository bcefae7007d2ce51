/** The days that an invitation may end on, as fields of dates take them: 2026-12-31. */

export function firstDay(now = new Date()): string {
  return dayIn(now, 0);
}

/** The server takes a year at most. */
export function lastDay(now = new Date()): string {
  return dayIn(now, 364);
}

function dayIn(now: Date, days: number): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + days);
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${String(day.getFullYear())}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
