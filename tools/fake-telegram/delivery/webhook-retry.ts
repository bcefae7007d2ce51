/** An update's failures so far, and its last delay. */
export interface Failures {
  readonly fails: number;
  readonly delayS: number;
}

const LONGEST_RETRY_AFTER_S = 3600;
/** The real server draws this from 60 to 120 for each update; here it is always the shortest. */
const LONGEST_DELAY_S = 60;

/**
 * When an update is sent again: at once after its first failure, then after 2, 4, 8… up to 60 s. If the
 * response has a Retry-After (seconds; 0: none), that is used instead, up to an hour.
 */
export function nextDelayMs(
  { fails, delayS }: Failures,
  retryAfterS: number,
): { readonly waitMs: number; readonly delayS: number } {
  const asked = Math.min(Math.max(0, retryAfterS), LONGEST_RETRY_AFTER_S);
  if (asked > 0 || fails === 0) return { waitMs: asked * 1000, delayS };
  const doubled = Math.min(LONGEST_DELAY_S, delayS * 2);
  return { waitMs: doubled * 1000, delayS: doubled };
}
