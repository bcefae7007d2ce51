/**
 * A time as it is written into a reply, so that a reader in another process of the same machine can
 * compute the delay: a mark and tenths of a millisecond, always of the same length. It starts again at
 * zero every few hours. Digits are written as letters, because a number in a reply is held back as a fact
 * about the job.
 */
const MARK = '@';
const LETTERS = 'fgjknqwxyz';
const DIGITS = 8;
const CYCLE = 10 ** DIGITS;

function tenths(performanceMs: number): number {
  return Math.round((performance.timeOrigin + performanceMs) * 10) % CYCLE;
}

/**
 * Has about the length of a word, like a typical delta of a model. It ends a sentence and begins the next one, so
 * that it is shown at once.
 */
export function momentText(performanceMs: number): string {
  const digits = String(tenths(performanceMs)).padStart(DIGITS, '0');
  return ` ${MARK}${digits.replace(/\d/g, (digit) => LETTERS.charAt(Number(digit)))}. Y`;
}

/** How late each moment that `bytes` contains is, in ms. */
export function lateMs(bytes: Buffer): number[] {
  const late: number[] = [];
  const nowTenths = tenths(performance.now());
  for (let at = bytes.indexOf(MARK); at !== -1; at = bytes.indexOf(MARK, at + DIGITS)) {
    if (at + DIGITS >= bytes.length) break;
    const letters = bytes.toString('latin1', at + 1, at + 1 + DIGITS);
    const moment = Number(letters.replace(/./g, (letter) => String(LETTERS.indexOf(letter))));
    const ago = (nowTenths - moment + CYCLE) % CYCLE;
    // More than half a cycle ago means that this process's clock is a little behind the other's.
    late.push((ago > CYCLE / 2 ? ago - CYCLE : ago) / 10);
  }
  return late;
}
