import { COMMAND } from '../common/command-name';
import { isUuid } from '../common/ids';
import { isStorable } from '../common/text';
import { UsageError } from './failures';
import { printableLine } from './output';

/** Throws UsageError unless the value is the id of a candidate. */
export function candidateOf(value: string): string {
  if (isUuid(value)) return value;
  throw new UsageError(
    `"${printableLine(value)}" is not a candidate's id: copy it from "${COMMAND} transcript ID" or from "${COMMAND} invite".`,
  );
}

/** Text of the command line as it may be stored; throws UsageError. */
export function textOf(option: string, value: string | undefined, max: number): string {
  const text = value?.trim() ?? '';
  if (text !== '' && text.length <= max && isStorable(text)) return text;
  throw new UsageError(`${option}: expected 1 to ${String(max)} characters`);
}

const DAY_MS = 24 * 3_600_000;
const MAX_DAYS = 365;
const DAYS = /^(\d{1,3})d$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * When an invitation ends: `7d` from `now`, or `2026-12-31`, that day (UTC) included.
 * Throws UsageError for anything else, for the past, and for more than a year.
 */
export function expiryOf(text: string, now: Date): Date {
  const at = afterDays(text, now) ?? endOfDay(text, now);
  if (at !== null) return at;
  throw new UsageError(
    `--expires ${text}: expected days from 1d to ${String(MAX_DAYS)}d, or a coming date like 2026-12-31 within a year`,
  );
}

function afterDays(text: string, now: Date): Date | null {
  const days = Number(DAYS.exec(text)?.[1] ?? 0);
  return days < 1 || days > MAX_DAYS ? null : new Date(now.getTime() + days * DAY_MS);
}

function endOfDay(text: string, now: Date): Date | null {
  if (!DATE.test(text)) return null;
  const start = new Date(`${text}T00:00:00Z`);
  // JavaScript reads February 31 as a day in March.
  const isRealDay = !Number.isNaN(start.getTime()) && start.toISOString().startsWith(text);
  const end = start.getTime() + DAY_MS;
  const isInRange = end > now.getTime() && start.getTime() <= now.getTime() + MAX_DAYS * DAY_MS;
  return isRealDay && isInRange ? new Date(end) : null;
}
