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

/** How late each moment of some bytes is, in ms. */
export function lateMs(bytes: Buffer): number[] {
  const late: number[] = [];
  const nowTenths = tenths(performance.now());
  for (let at = bytes.indexOf(MARK); at !== -1; at = bytes.indexOf(MARK, at + DIGITS)) {
    if (at + DIGITS >= bytes.length) break;
    const moment = Number(bytes.toString('latin1', at + 1, at + 1 + DIGITS));
    const ago = (nowTenths - moment + CYCLE) % CYCLE;
    // A clock that is a little behind the other's.
    late.push((ago > CYCLE / 2 ? ago - CYCLE : ago) / 10);
  }
  return late;
}
