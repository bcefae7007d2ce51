/** Days of the person's own calendar, as a date field has them, and the moments at which they begin. */

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Null: it is no day. */
export function dayFrom(text: string | null): string | null {
  if (text === null || !DAY.test(text)) return null;
  const day = new Date(`${text}T00:00:00`);
  // February 31 would be a day in March.
  return !Number.isNaN(day.getTime()) && dayOf(day) === text ? text : null;
}

/** The day of a moment here. */
export function dayOf(at: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${String(at.getFullYear()).padStart(4, '0')}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

/** When it begins, for the API. */
export function beginningOf(day: string): string {
  return new Date(`${day}T00:00:00`).toISOString();
}

/** When the day after it begins. */
export function endOf(day: string): string {
  const at = new Date(`${day}T00:00:00`);
  at.setDate(at.getDate() + 1);
  return at.toISOString();
}
