/**
 * Why no rolling second has more starts than it may: a call granted for `g` starts in
 * [g, g + MARGIN_MS] or not at all, and the grant of the n-th call after it lies at least
 * 1 s + MARGIN_MS behind `g`. So those two starts are at least a second apart, whatever stalls.
 * The same holds for the minute.
 */
export const MARGIN_MS = 10;
/** So long, of the margin, a start waits for the one before it. */
export const TURN_MS = 4;
/** Notion counts calls as they arrive: so much may one be faster on its way than another. */
const TRANSIT_MS = 15;
export const SECOND_MS = 1000 + MARGIN_MS + TRANSIT_MS;
export const MINUTE_MS = 60_000 + MARGIN_MS + TRANSIT_MS;

/** A pause up to this long is waited out; a longer one is the caller's, who can give its task back. */
export const PATIENCE_MS = 5000;

/**
 * A permit is booked, and looked at again, so long before its start as those statements take (see
 * Lead); a start that was missed by more than the margin is moved or lost.
 */
export const LEAD_MS = { min: 10, max: 2000 };

/** Starts that one process misses in a row before it says so: two seconds at the full rate. */
export const MISSED_IN_A_ROW = 6;
