import { SystemClock } from '../../src/common/clock';
import { type Claim, PeerUnavailableError } from '../../src/jobs';
import { openTestDatabase, type TestDatabase } from '../support/app-database';
import { turnOfLoop, untilInProcess } from '../support/until';
import { settingsForTests } from '../support/settings';
import { type JobRig, addJob, completing, jobHandler, jobRig } from '../support/jobs';
import { gate } from '../../tools/http-fake/gate';
import { TestJobs } from './test-jobs';

/** The loop on fake time: it makes a pass only when there is a reason. */
describe('the loop sleeps until something is due', () => {
  let queues: TestJobs;
  let rig: JobRig;
  let runs: Claim[];
  let reads: number;
  let sleeping: number;

  beforeAll(async () => {
    queues = await TestJobs.open();
    sleeping = 0;
    const { clock } = queues;
    const sleep = clock.sleep.bind(clock);
    jest.spyOn(clock, 'sleep').mockImplementation(async (ms, signal) => {
      sleeping += 1;
      await sleep(ms, signal);
      sleeping -= 1;
    });
  });
  beforeEach(() => {
    rig = queues.another();
    runs = [];
    reads = 0;
    const readQueues = rig.claims.readQueues.bind(rig.claims);
    jest.spyOn(rig.claims, 'readQueues').mockImplementation((queues) => {
      reads += 1;
      return readQueues(queues);
    });
  });
  afterEach(async () => {
    await rig.worker.stop();
    await queues.reset();
  });
  afterAll(() => queues.close());

  const POLL_MS = 250;
  const MIN_GAP_MS = 4;

  function register(run?: (claim: Claim) => Promise<void>): void {
    const complete = completing(rig, queues.units);
    rig.registry.register(
      jobHandler({
        queue: 'flush',
        run: (claim) => {
          runs.push(claim);
          return (run ?? complete)(claim);
        },
      }),
    );
  }

  /** Waits until the loop has read the queues `n` times and sleeps. */
  async function asleepAfter(n: number): Promise<void> {
    await untilInProcess('the loop has read the queues', () => reads >= n);
    await asleep();
  }

  /** Waits until the loop sleeps and `paused` flows are left. */
  async function asleep(paused = 0): Promise<void> {
    await untilInProcess(
      'the loop sleeps',
      () => sleeping === 1 && rig.held.count('flush') === paused,
    );
  }

  async function pass(ms: number, paused = 0): Promise<void> {
    queues.clock.advance(ms);
    await turnOfLoop(); // lets what was woken continue
    await asleep(paused);
  }

  test('it wakes when a row becomes due, and not earlier', async () => {
    register();
    await queues.add({ queue: 'flush', key: 'k', dueInMs: 100 });
    rig.worker.start();
    await asleepAfter(1);

    await pass(MIN_GAP_MS);
    await pass(100 - MIN_GAP_MS - 1);
    expect(reads).toBe(1);
    await pass(1);
    await untilInProcess('one job has run', () => runs.length === 1);
    expect(reads).toBeGreaterThanOrEqual(2);
  });

  test('it polls when nothing is due, and a wake-up starts a pass earlier', async () => {
    register();
    rig.worker.start();
    await asleepAfter(1);
    await pass(MIN_GAP_MS);
    await pass(POLL_MS - MIN_GAP_MS);
    await asleepAfter(2);
    expect(reads).toBe(2);

    await queues.add({ queue: 'flush', key: 'k' });
    await pass(MIN_GAP_MS);
    rig.worker.wake('flush');
    await untilInProcess('one job has run', () => runs.length === 1);
  });

  test('a row that waits for the only slot of a queue is claimed before the next read', async () => {
    const complete = completing(rig, queues.units);
    const readsBefore: number[] = [];
    const run = (claim: Claim): Promise<void> => {
      readsBefore.push(reads);
      return complete(claim);
    };
    rig.registry.register(jobHandler({ queue: 'flush', concurrency: 1, run }));
    for (const key of ['a', 'b']) await queues.add({ queue: 'flush', key });

    for (let n = 0; n < 2; n += 1) {
      await rig.worker.tick();
      await rig.held.whenEmpty();
    }

    expect(readsBefore).toEqual([1, 1]);
  });

  test('wake-ups that come together share one pass', async () => {
    register();
    rig.worker.start();
    await asleepAfter(1);

    for (let n = 0; n < 50; n += 1) rig.worker.wake('flush');
    await pass(MIN_GAP_MS);
    await asleepAfter(2);

    expect(reads).toBe(2);
  });

  test('a due row that its key blocks causes no extra pass', async () => {
    const go = gate();
    const complete = completing(rig, queues.units);
    register(async (claim) => {
      await go.opened;
      await complete(claim);
    });
    await queues.add({ queue: 'flush', key: 'k' });
    rig.worker.start();
    await untilInProcess('one job has run', () => runs.length === 1);
    await queues.add({ queue: 'flush', key: 'k' });
    await asleep(1);
    const before = reads;
    const claimReady = jest.spyOn(rig.claims, 'claimReady');

    for (let ms = 0; ms < 4 * POLL_MS; ms += 10) await pass(10, 1);
    expect(reads - before).toBeLessThanOrEqual(6);
    expect(claimReady).not.toHaveBeenCalled();

    go.open();
    await asleep();
    await pass(MIN_GAP_MS);
    await untilInProcess('two jobs have run', () => runs.length === 2);
  });

  test('an open breaker causes no extra pass, and the time of its probe wakes the loop', async () => {
    let isDown = true;
    const complete = completing(rig, queues.units);
    register((claim) =>
      isDown
        ? Promise.reject(new PeerUnavailableError('down', { retryAfterMs: 120 }))
        : complete(claim),
    );
    await queues.add({ queue: 'flush', key: 'k' });
    rig.worker.start();
    await untilInProcess('the breaker is open', () => rig.breakers.isOpen('flush'));
    await asleep();
    isDown = false;

    let waitedMs = 0;
    for (; runs.length < 2 && waitedMs < 5000; waitedMs += 10) await pass(10);
    expect(runs).toHaveLength(2);
    expect(waitedMs).toBeLessThanOrEqual(1020);
    expect(reads).toBeLessThan(12);
  });

  test('the open breaker of a queue that claims no more causes no pass', async () => {
    register(() => Promise.reject(new PeerUnavailableError('down')));
    rig.registry.register(jobHandler({ queue: 'score', run: () => Promise.resolve() }));
    await queues.add({ queue: 'flush', key: 'k' });
    rig.worker.start();
    await untilInProcess('the breaker is open', () => rig.breakers.isOpen('flush'));
    await rig.worker.stopClaims(({ queue }) => queue === 'flush');
    await asleep();

    await pass(31_000);
    const before = reads;
    for (let n = 0; n < 10; n += 1) await queues.sql('select 1');

    expect(reads - before).toBeLessThanOrEqual(1);
  });

  test('stop ends the loop', async () => {
    register();
    rig.worker.start();
    await asleepAfter(1);
    await rig.worker.stop();
    const before = reads;

    queues.clock.advance(10 * POLL_MS);
    await turnOfLoop();

    expect(sleeping).toBe(0);
    expect(reads).toBe(before);
  });
});

/** The loop on the system clock, as in production. */
describe('on real time', () => {
  let db: TestDatabase<SystemClock>;

  beforeAll(async () => {
    db = await openTestDatabase(new SystemClock());
  });
  afterAll(() => db.close());

  test('a burst of more jobs than slots runs every row once', async () => {
    const rig = jobRig(db, { settings: settingsForTests({ JOB_POLL: '0.05' }) });
    const complete = completing(rig, db.units);
    const seen: string[] = [];
    rig.registry.register(
      jobHandler({
        queue: 'flush',
        concurrency: 7,
        run: async (claim) => {
          seen.push(claim.jobId);
          await complete(claim);
        },
      }),
    );
    const ids: string[] = [];
    for (let n = 0; n < 60; n += 1) {
      ids.push(await addJob(rig, db.units, { queue: 'flush', key: `k${n}`, dueInMs: n % 20 }));
    }

    rig.worker.start();
    await untilInProcess('every job has run', () => seen.length >= ids.length);
    await rig.worker.stopClaims();
    expect(await rig.worker.waitUntilSettled(5000)).toBe(true);
    await rig.worker.stop();

    expect(seen.sort()).toEqual(ids.sort());
  });
});
