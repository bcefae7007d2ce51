/**
 * Why no rolling second has more starts than it may: a call granted for `g` starts in
 * [g, g + MARGIN_MS] or not at all, and the grant of the n-th call after it lies at least
 * 1 s + MARGIN_MS behind `g`. So those two starts are at least a second apart, whatever stalls.
 * The same holds for the minute.
 */
export const MARGIN_MS = 10;
/** Notion counts calls as they arrive: so much may one be faster on its way than another. */
const TRANSIT_MS = 15;
export const SECOND_MS = 1000 + MARGIN_MS + TRANSIT_MS;
export const MINUTE_MS = 60_000 + MARGIN_MS + TRANSIT_MS;

/** A pause up to this long is waited out; a longer one is the caller's, who can give its task back. */
export const PATIENCE_MS = 5000;

/**
 * A permit is booked, and re-checked, this long before its start: the statements take time, and a
 * start that was missed by more than the margin is lost.
 */
export const LEAD_MS = { min: 10, max: 250 };

/** A miss says that the database, or this process, is slower than thought; a hit, that it may not be. */
export function nextLeadMs(leadMs: number, isMissed: boolean): number {
  const next = isMissed ? leadMs * 2 : leadMs * 0.98;
  return Math.min(LEAD_MS.max, Math.max(LEAD_MS.min, next));
}
