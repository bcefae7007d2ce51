/**
 * A simulation of the commits of many answers on one PostgreSQL. An answer is some commits, one after
 * the other, and in the middle the time of its model, which holds nothing:
 *
 *   arrival ─> commits before the model ─> the model writes ─> commits after it
 *   commit:  waits for a connection ─> waits for a core ─> computes ─> waits for the disk ─> frees both
 *
 * Cores and connections are handed out in the order in which they were asked for. The disk is never
 * busy: its wait was measured while others used it too. Nothing here reads a clock.
 */

export interface SimulatedLoad {
  /** Answers a second, on average over the day. */
  readonly answersPerSecond: number;
  /** How busy each part of the day is, 1 being the average; `[1]` is a plain Poisson process. */
  readonly hours: readonly number[];
  /** How long each part is simulated, in seconds. */
  readonly secondsPerHour: number;
  readonly commitsBefore: number;
  readonly commitsAfter: number;
  /** The model's mean time, in seconds. */
  readonly modelSeconds: number;
  /** A commit's mean time on a core, in ms. */
  readonly coreMs: number;
  /** A commit's wait for the disk: median and 99th percentile, in ms. */
  readonly diskMs: readonly [median: number, p99: number];
}

export interface SimulatedServer {
  readonly cores: number;
  readonly connections: number;
}

export interface SimulatedQueue {
  readonly commits: number;
  /** Of the cores, from 0 to 1: in the whole time, and in the busiest part of the day. */
  readonly utilisation: number;
  readonly busiestUtilisation: number;
  /** What a commit waits for a connection and a core, in ms. */
  readonly p50WaitMs: number;
  readonly p99WaitMs: number;
}

/** The standard normal value that 99 of 100 stay below. */
const Z99 = 2.326;

/** mulberry32: numbers from 0 to 1, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Commit {
  /** Commits of its answer that follow, this one included. */
  left: number;
  askedMs: number;
  waitedMs: number;
}

type Happening = 'asks' | 'computed' | 'stored';

interface Event {
  readonly atMs: number;
  readonly what: Happening;
  readonly commit: Commit;
}

/** A binary heap with the next event first. */
class Agenda {
  private readonly heap: Event[] = [];

  add(event: Event): void {
    const { heap } = this;
    heap.push(event);
    let at = heap.length - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.atMs(parent) <= event.atMs) break;
      heap[at] = heap[parent] as Event;
      at = parent;
    }
    heap[at] = event;
  }

  next(): Event | undefined {
    const { heap } = this;
    const [first] = heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && this.atMs(child + 1) < this.atMs(child)) child += 1;
      if (this.atMs(child) >= last.atMs) break;
      heap[at] = heap[child] as Event;
      at = child;
    }
    heap[at] = last;
    return first;
  }

  private atMs(index: number): number {
    return this.heap[index]?.atMs ?? Infinity;
  }
}

/** A pool of equal resources, given out in the order of the requests. */
class Supply {
  private readonly waiting: Commit[] = [];
  private first = 0;

  constructor(private free: number) {}

  /** False: the commit waits in line. */
  take(commit: Commit): boolean {
    if (this.free > 0) {
      this.free -= 1;
      return true;
    }
    this.waiting.push(commit);
    return false;
  }

  /** The commit that gets what was given back; undefined: nobody waits. */
  giveBack(): Commit | undefined {
    const next = this.waiting[this.first];
    if (next === undefined) this.free += 1;
    else this.first += 1;
    return next;
  }
}

/** Runs the whole day once. The same seed gives the same result. */
export function simulateQueue(
  load: SimulatedLoad,
  server: SimulatedServer,
  seed: number,
): SimulatedQueue {
  const random = seeded(seed);
  const exponential = (mean: number): number => -mean * Math.log(1 - random());
  const [diskMedian, diskP99] = load.diskMs;
  const diskMs = (): number => {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return diskMedian * Math.exp((normal * Math.log(diskP99 / diskMedian)) / Z99);
  };
  const agenda = new Agenda();
  for (const atMs of arrivals(load, exponential)) {
    const left = load.commitsBefore + load.commitsAfter;
    agenda.add({ atMs, what: 'asks', commit: { left, askedMs: atMs, waitedMs: 0 } });
  }
  const [connections, cores] = [new Supply(server.connections), new Supply(server.cores)];
  const hourMs = load.secondsPerHour * 1000;
  const busyMs = load.hours.map(() => 0);
  const waits: number[] = [];
  const compute = (commit: Commit, atMs: number): void => {
    waits.push(atMs - commit.askedMs);
    const ms = exponential(load.coreMs);
    const hour = Math.floor(atMs / hourMs);
    if (hour < busyMs.length) busyMs[hour] = (busyMs[hour] ?? 0) + ms;
    agenda.add({ atMs: atMs + ms, what: 'computed', commit });
  };
  const connected = (commit: Commit, atMs: number): void => {
    if (cores.take(commit)) compute(commit, atMs);
  };
  const endMs = hourMs * load.hours.length;
  for (let event = agenda.next(); event !== undefined; event = agenda.next()) {
    const { atMs, what, commit } = event;
    // What is left in line then would only run down.
    if (atMs > endMs) break;
    if (what === 'asks') {
      commit.askedMs = atMs;
      if (connections.take(commit)) connected(commit, atMs);
    } else if (what === 'computed') {
      const next = cores.giveBack();
      if (next !== undefined) compute(next, atMs);
      agenda.add({ atMs: atMs + diskMs(), what: 'stored', commit });
    } else {
      const next = connections.giveBack();
      if (next !== undefined) connected(next, atMs);
      commit.left -= 1;
      const pauseMs = commit.left === load.commitsAfter ? exponential(load.modelSeconds * 1000) : 0;
      if (commit.left > 0) agenda.add({ atMs: atMs + pauseMs, what: 'asks', commit });
    }
  }
  const capacityMs = server.cores * hourMs;
  waits.sort((a, b) => a - b);
  const wait = (share: number): number => waits[Math.floor(share * (waits.length - 1))] ?? 0;
  return {
    commits: waits.length,
    utilisation: busyMs.reduce((sum, ms) => sum + ms, 0) / (capacityMs * load.hours.length),
    busiestUtilisation: Math.max(...busyMs) / capacityMs,
    p50WaitMs: wait(0.5),
    p99WaitMs: wait(0.99),
  };
}

/** When answers arrive, in ms: a Poisson process whose rate is that of the hour. */
function* arrivals(
  { answersPerSecond, hours, secondsPerHour }: SimulatedLoad,
  exponential: (mean: number) => number,
): Generator<number> {
  for (const [hour, busy] of hours.entries()) {
    const endMs = (hour + 1) * secondsPerHour * 1000;
    const meanMs = 1000 / (answersPerSecond * busy);
    for (let atMs = hour * secondsPerHour * 1000; ;) {
      atMs += exponential(meanMs);
      if (atMs >= endMs) break;
      yield atMs;
    }
  }
}
