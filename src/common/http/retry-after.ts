/** No header makes a caller wait longer. */
const LONGEST_MS = 3_600_000;

/**
 * The pause that a server requests, in milliseconds: `retry-after-ms`, or `retry-after` in seconds
 * or as a date (counted from the server's own `date`, because its clock may differ). Undefined when
 * the headers are missing or unreadable; never more than an hour.
 */
export function retryAfterMs(headers: Headers | undefined, now: Date): number | undefined {
  const millis = numberOf(headers?.get('retry-after-ms'));
  if (millis !== undefined) return bounded(millis);
  const raw = headers?.get('retry-after');
  const seconds = numberOf(raw);
  if (seconds !== undefined) return bounded(seconds * 1000);
  const at = dateOf(raw);
  return at === undefined
    ? undefined
    : bounded(at - (dateOf(headers?.get('date')) ?? now.getTime()));
}

/** An HTTP date only, because Date.parse reads `-5` as a date. */
function dateOf(raw: string | null | undefined): number | undefined {
  const at = /^[a-z]{3,9}, .+ GMT$/i.test(raw?.trim() ?? '') ? Date.parse(raw ?? '') : NaN;
  return Number.isNaN(at) ? undefined : at;
}

function numberOf(raw: string | null | undefined): number | undefined {
  return raw !== null && raw !== undefined && /^\d+(\.\d+)?$/.test(raw.trim())
    ? Number(raw)
    : undefined;
}

function bounded(ms: number): number {
  return Math.min(Math.max(Math.round(ms), 0), LONGEST_MS);
}
