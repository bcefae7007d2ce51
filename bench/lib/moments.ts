/**
 * A moment as it is written into a reply, on a clock that the processes of one machine agree on: a
 * mark and tenths of a millisecond, always as long, and starting again every few hours.
 */
const MARK = '@';
const DIGITS = 8;
const CYCLE = 10 ** DIGITS;

function tenths(performanceMs: number): number {
  return Math.round((performance.timeOrigin + performanceMs) * 10) % CYCLE;
}

/** As long as a word: what a model's delta is. */
export function momentText(performanceMs: number): string {
  return ` ${MARK}${String(tenths(performanceMs)).padStart(DIGITS, '0')}`;
}

/** How late the first moment of some bytes is; undefined: they tell none. */
export function lateMs(bytes: Buffer): number | undefined {
  const at = bytes.indexOf(MARK);
  if (at === -1 || at + DIGITS >= bytes.length) return undefined;
  const moment = Number(bytes.toString('latin1', at + 1, at + 1 + DIGITS));
  const late = (tenths(performance.now()) - moment + CYCLE) % CYCLE;
  // A clock that is a little behind the other's.
  return (late > CYCLE / 2 ? late - CYCLE : late) / 10;
}
