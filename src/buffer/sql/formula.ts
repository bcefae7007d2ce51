import type { BufferLimits } from '../windows';

/**
 * The due time of a buffer: its quiet time has passed, or a limit is reached, or the longest wait
 * is over; a hold waits for the last of these only. `buffer_due_at` in the database is the only
 * place that computes it: a statement says here what it changes and leaves the rest to `t`.
 */
export function dueAt(parts: {
  now: string;
  limits: string;
  quietAt?: string;
  weight?: string;
  holds?: string;
}): string {
  const { now, limits, quietAt = 't.quiet_at', weight = 't.weight', holds = 't.holds' } = parts;
  return `buffer_due_at(t.first_at, ${quietAt}, t.count, ${weight}, ${holds}, ${now}, ${limits})`;
}

/** Placeholders of `limitValues`, beginning with `$first`. */
export function limitParameters(first: number): string {
  return `$${first}::float8, $${first + 1}::int, $${first + 2}::int`;
}

export function limitValues(limits: BufferLimits): number[] {
  return [limits.maxWaitMs, limits.maxSize, limits.maxChars];
}

/** What time a statement writes. */
export function writeTime(parameter: string): string {
  return `coalesce(${parameter}::timestamptz, clock_timestamp())`;
}

/** What time a statement compares with: a volatile clock would defeat the index. */
export function readTime(parameter: string): string {
  return `coalesce(${parameter}::timestamptz, now())`;
}

export function milliseconds(parameter: string): string {
  return `${parameter}::float8 * interval '1 millisecond'`;
}
