import { readFileSync } from 'node:fs';

/** Columns of the first line of /proc/stat, after its name. */
const [IDLE, IO_WAIT, STOLEN, LAST] = [3, 4, 7, 8];

function ticks(): number[] {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  return line.split(/\s+/).slice(1).map(Number).slice(0, LAST);
}

const atStart = process.platform === 'linux' ? ticks() : null;

/**
 * The share of processor time that the host of this virtual machine gave to other machines while this
 * one had work, in percent since this process began; null where the system does not report it. When a
 * third is stolen, everything takes half as long again.
 */
export function stolenPercent(): number | null {
  if (atStart === null) return null;
  const spent = ticks().map((now, n) => now - (atStart[n] ?? 0));
  const stolen = spent[STOLEN] ?? 0;
  const idle = (spent[IDLE] ?? 0) + (spent[IO_WAIT] ?? 0);
  const busy = spent.reduce((sum, one) => sum + one, 0) - idle;
  return busy === 0 ? 0 : (100 * stolen) / busy;
}
