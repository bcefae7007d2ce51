import { type SimulatedLoad, simulateQueue } from '../../bench/lib/queue-simulation';

/** One commit each of 10 ms on a core, without disk and model: an M/M/c queue. */
const PLAIN: SimulatedLoad = {
  answersPerSecond: 80,
  hours: [1],
  secondsPerHour: 2000,
  commitsBefore: 1,
  commitsAfter: 0,
  modelSeconds: 0,
  coreMs: 10,
  diskMs: [1e-6, 1e-6],
};

test('one core that is used to 80 % makes commits wait as the M/M/1 formula says', () => {
  const queue = simulateQueue(PLAIN, { cores: 1, connections: 1e6 }, 7);

  // P(wait > t) = 0.8 e^(-0.2 t / 10 ms): the median is ln(1.6) × 50 ms, the p99 ln(80) × 50 ms.
  expect(queue.utilisation).toBeCloseTo(0.8, 1);
  expect(Math.abs(queue.p50WaitMs / (50 * Math.log(1.6)) - 1)).toBeLessThan(0.15);
  expect(Math.abs(queue.p99WaitMs / (50 * Math.log(80)) - 1)).toBeLessThan(0.15);
});

test('a second core nearly ends the wait, and the same seed gives the same queue', () => {
  const one = simulateQueue(PLAIN, { cores: 2, connections: 1e6 }, 7);
  const again = simulateQueue(PLAIN, { cores: 2, connections: 1e6 }, 7);

  expect(again).toEqual(one);
  expect(one.utilisation).toBeCloseTo(0.4, 1);
  expect(one.p50WaitMs).toBe(0);
});

test('a commit that waits for the disk holds its connection and no core', () => {
  const load = { ...PLAIN, answersPerSecond: 40, diskMs: [20, 20] as const };

  const many = simulateQueue(load, { cores: 1, connections: 1000 }, 7);
  const few = simulateQueue(load, { cores: 1, connections: 1 }, 7);

  // With one connection each commit takes 30 ms, which 40 a second do not leave room for.
  expect(many.p99WaitMs).toBeLessThan(100);
  expect(few.p99WaitMs).toBeGreaterThan(10_000);
});

test('the time of the model holds neither a connection nor a core', () => {
  const load = { ...PLAIN, commitsAfter: 1, modelSeconds: 10, answersPerSecond: 30 };

  const queue = simulateQueue(load, { cores: 1, connections: 20 }, 7);

  expect(queue.utilisation).toBeCloseTo(0.6, 1);
  expect(queue.p99WaitMs).toBeLessThan(300);
});

test('reports the utilisation of the busiest hour besides the average', () => {
  const load = { ...PLAIN, hours: [0.5, 1.5], secondsPerHour: 500, answersPerSecond: 50 };

  const queue = simulateQueue(load, { cores: 1, connections: 100 }, 7);

  expect(queue.utilisation).toBeCloseTo(0.5, 1);
  expect(queue.busiestUtilisation).toBeCloseTo(0.75, 1);
});
