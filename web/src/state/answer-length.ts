/**
 * What a screen reader is told about the room left in a field. A count that was read at every key would
 * drown the typing (WCAG 4.1.3, "status messages"), so it is told from 90 % of the limit on, in steps of
 * 5 %, and when the limit is reached or passed. Each step is true until the next. Pure.
 */
import type { Dictionary } from '../i18n/dictionary';

const STEPS = 20;
const COUNTED_STEPS = 2;

/** Whether the page counts what is left: before that there is room enough. */
export function isCounted(length: number, limit: number): boolean {
  return limit - length < (COUNTED_STEPS * limit) / STEPS;
}

/** Empty: there is nothing to tell. */
export function spokenLength(
  length: number,
  limit: number,
  texts: Pick<Dictionary['composer'], 'left' | 'fewerLeft' | 'tooLongByUpTo'>,
): string {
  if (!isCounted(length, limit)) return '';
  const room = limit - length;
  const step = limit / STEPS;
  if (room === 0) return texts.left(0);
  if (room < 0) return texts.tooLongByUpTo(Math.floor(Math.ceil(-room / step) * step));
  return texts.fewerLeft(Math.ceil((Math.floor(room / step) + 1) * step));
}
