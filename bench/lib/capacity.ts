/** Measures how many replies a server can write at a time before their deltas are late, and their cost. */
import type { EventReaders } from './event-readers';
import { cpuSeconds, type Server } from './processes';
import { median, percentile } from './stats';

export const DELTAS_PER_SECOND = 20;
/** A delta is late when the next one is due before it arrives. */
export const LATE_MS = 50;
/** A pause before each measurement, so that the starts of new replies are over. */
export const SETTLE_MS = 1500;
export const WINDOW_MS = 4000;

/** What is measured: a server, its readers, and how a reply is begun. */
export interface Subject {
  readonly server: Server<unknown>;
  readonly readers: EventReaders;
  /** False when the server refused some. */
  addActive(count: number): Promise<boolean>;
}

export interface Window {
  /** Replies that are being written. */
  readonly streams: number;
  /** Deltas that the readers got, per second. */
  readonly deltasPerSecond: number;
  /** The smallest delay in ms. It must be near zero, or the two processes' clocks differ. */
  readonly soonest: number;
  readonly p50: number;
  readonly p99: number;
  /** Processors that the server and the load use: 1 is a whole one. */
  readonly serverCpu: number;
  readonly loadCpu: number;
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

export async function measure({ server, readers }: Subject): Promise<Window> {
  await sleep(SETTLE_MS);
  readers.forget();
  const before = [cpuSeconds(server.pid), cpuSeconds(process.pid)] as const;
  await sleep(WINDOW_MS);
  const used = (pid: number, from: number): number => (cpuSeconds(pid) - from) / (WINDOW_MS / 1e3);
  return {
    streams: readers.reached.size,
    deltasPerSecond: readers.late.length / (WINDOW_MS / 1e3),
    soonest: readers.late.reduce((least, late) => Math.min(least, late), Infinity),
    p50: median(readers.late),
    p99: percentile(readers.late, 0.99),
    serverCpu: used(server.pid, before[0]),
    loadCpu: used(process.pid, before[1]),
  };
}

export interface Capacity {
  /** The last window in which deltas arrived in time. */
  readonly most: Window;
  /** Why no more replies were added: deltas were late, the server refused, or the bench reached its own limit. */
  readonly endedBy: 'lateness' | 'refusal' | 'the bench';
}

/** How replies are added: beginning with `from`, their number grows by the factor `step`. */
export interface Ramp {
  readonly from: number;
  readonly most: number;
  readonly step: number;
  readonly endMs: number;
}

/** Adds replies until deltas are late in two windows one after the other. */
export async function capacity(
  subject: Subject,
  first: Window,
  { from, most: mostActive, step, endMs }: Ramp,
): Promise<Capacity> {
  let most = first;
  if (first.p99 > LATE_MS) return { most: { ...first, streams: 0 }, endedBy: 'lateness' };
  for (let asked = from; asked < mostActive && performance.now() < endMs;) {
    const more = Math.min(Math.round(asked * (step - 1)), mostActive - asked);
    asked += more;
    if (!(await subject.addActive(more))) return { most, endedBy: 'refusal' };
    let window = await measure(subject);
    if (window.p99 > LATE_MS) window = await measure(subject);
    process.stderr.write(`${window.streams} of ${asked} streams: ${window.p99.toFixed(1)} ms\n`);
    if (!(window.p99 <= LATE_MS)) return { most, endedBy: 'lateness' };
    most = window;
  }
  return { most, endedBy: 'the bench' };
}

/** Microseconds of the server's processor for each delta that a reader got. */
export function costMicros({ serverCpu, deltasPerSecond }: Window): number {
  return (serverCpu / deltasPerSecond) * 1e6;
}
