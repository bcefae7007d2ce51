import { readFileSync } from 'node:fs';

/** What kept the processors of this machine from the bench since its process began. */
export interface Disturbance {
  /**
   * What the host of this virtual machine gave to other machines while this one had work, of the time in which
   * there was work. When a third is stolen, everything takes half as long again.
   */
  readonly stolenPercent: number;
  /** What programs beside the bench used, of the whole time of all processors. */
  readonly othersPercent: number;
}

/** Null where the system does not report it. */
export function disturbanceSoFar(): Disturbance | null {
  return atStart === null ? null : disturbanceBetween(atStart, reading());
}

/** Ticks of processor time so far. */
export interface Ticks {
  /** The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. */
  readonly machine: readonly number[];
  /** Of this process and all that it has started, and they in turn, ended ones included. */
  readonly own: number;
}

export function disturbanceBetween(before: Ticks, after: Ticks): Disturbance {
  const spent = after.machine.map((now, n) => now - (before.machine[n] ?? 0));
  const [user = 0, nice = 0, system = 0, idle = 0, ioWait = 0, , , stolen = 0] = spent;
  const whole = spent.reduce((sum, one) => sum + one, 0);
  const busy = whole - idle - ioWait;
  // Interrupts belong to nobody, also those for the bench.
  const others = user + nice + system - (after.own - before.own);
  return {
    stolenPercent: busy === 0 ? 0 : (100 * stolen) / busy,
    othersPercent: whole === 0 ? 0 : Math.max(0, (100 * others) / whole),
  };
}

const COLUMNS = 8;
const atStart = process.platform === 'linux' ? reading() : null;

function reading(): Ticks {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const machine = line.split(/\s+/).slice(1).map(Number).slice(0, COLUMNS);
  return { machine, own: ticksOfFamily(process.pid) };
}

/** Of the process, its descendants, and those of them that have ended and were waited for. */
function ticksOfFamily(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const pids = children.split(' ').filter(Boolean).map(Number);
    return pids.reduce((sum, child) => sum + ticksOfFamily(child), own);
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}
