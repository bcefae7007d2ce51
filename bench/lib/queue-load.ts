/** The same load for every job queue that is compared: how it is put on, and what is counted. */
import { percentile } from './stats';

/** Jobs of one measurement of throughput. */
export const JOBS = 6000;
/** Flows that enqueue at the same time, each job in a commit of its own. */
const PRODUCERS = 10;
/** Handlers that one process runs at a time, where the queue has such a setting: JOB_FLUSH_CONCURRENCY here. */
export const CONCURRENCY = 256;
/** Connections to the database that a process may use. */
export const CONNECTIONS = 8;
const LATENCY_JOBS = 100;
const LATENCY_EVERY_MS = 40;
/** A job that was not handled by then is lost. */
const LONGEST_MS = 60_000;

/** The table of the effects: a job of every queue writes one row of it. */
export const EFFECTS = 'create table if not exists bench_effect (n int not null)';
export const WRITE_EFFECTS = 'insert into bench_effect (n) select unnest($1::int[])';

/** One queue in one process. */
export interface QueueSubject {
  /** Stores a job durably. */
  enqueue(n: number): Promise<unknown>;
  /** Begins to work; `handled` is called at the start of each job. The job then writes one row of
   * `bench_effect`, and ends. */
  start(handled: (n: number) => void): Promise<unknown>;
  stop(): Promise<unknown>;
  /** Jobs that are stored and not completed. */
  left(): Promise<number>;
}

export interface QueueFigures {
  readonly enqueuedPerSecond: number;
  readonly completedPerSecond: number;
  /** Processor time of Node for each job that is claimed and completed, in µs. */
  readonly completedMicros: number;
  /** From the call that stores a job until its handler starts, in ms, with idle workers. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function enqueueAll(subject: QueueSubject, jobs: number): Promise<number> {
  const startedMs = performance.now();
  let next = 0;
  const produce = async (): Promise<void> => {
    while (next < jobs) await subject.enqueue((next += 1));
  };
  await Promise.all(Array.from({ length: PRODUCERS }, produce));
  return jobs / ((performance.now() - startedMs) / 1000);
}

async function untilEmpty(subject: QueueSubject): Promise<void> {
  const endMs = performance.now() + LONGEST_MS;
  while ((await subject.left()) > 0) {
    if (performance.now() > endMs) throw new Error('jobs are left in the queue');
    await sleep(20);
  }
}

/** Stores jobs while nobody works, lets the worker complete them, then measures single jobs. */
export async function measureQueue(subject: QueueSubject): Promise<QueueFigures> {
  const enqueuedPerSecond = await enqueueAll(subject, JOBS);
  const sentMs: number[] = [];
  const latencies: number[] = [];
  let isWarm = false;
  const workedMs = performance.now();
  const before = process.cpuUsage();
  await subject.start((n) => {
    if (isWarm) latencies.push(performance.now() - (sentMs[n] ?? NaN));
  });
  await untilEmpty(subject);
  const completedPerSecond = JOBS / ((performance.now() - workedMs) / 1000);
  const { user, system } = process.cpuUsage(before);
  const completedMicros = (user + system) / JOBS;
  isWarm = true;
  for (let n = 0; n < LATENCY_JOBS; n += 1) {
    sentMs[n] = performance.now();
    await subject.enqueue(n);
    await sleep(LATENCY_EVERY_MS);
  }
  await untilEmpty(subject);
  await subject.stop();
  const [p50Ms, p99Ms] = [percentile(latencies, 0.5), percentile(latencies, 0.99)];
  return { enqueuedPerSecond, completedPerSecond, completedMicros, p50Ms, p99Ms };
}

/** For a program of bench/servers: measures its queue each time it is asked to. */
export function serveQueue(open: () => Promise<QueueSubject>): void {
  process.stdout.write('ready {}\n');
  process.on('message', () => {
    void open()
      .then(measureQueue)
      .then((figures) => process.send?.(figures));
  });
  // The bench that started it is gone.
  process.once('disconnect', () => process.exit(1));
  process.once('SIGTERM', () => process.exit(0));
}
