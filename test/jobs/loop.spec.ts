import { SystemClock } from '../../src/common/clock';
import { type Claim, PeerUnavailableError } from '../../src/jobs';
import { openTestDatabase, type TestDatabase } from '../support/app-database';
import { settingsForTests } from '../support/settings';
import { type JobRig, addJob, completing, jobHandler, jobRig } from '../support/jobs';
import { gate } from '../../tools/http-fake/gate';
import { JobFixture } from './fixture';

/** A loop on fake time: a pass happens when the loop wakes, and never without a reason. */
describe('the loop sleeps until something is due', () => {
  let fixture: JobFixture;
  let rig: JobRig;
  let runs: Claim[];
  let looks: number;
  let sleeping: number;

  beforeAll(async () => {
    fixture = await JobFixture.open();
    sleeping = 0;
    const { clock } = fixture.db;
    const sleep = clock.sleep.bind(clock);
    jest.spyOn(clock, 'sleep').mockImplementation(async (ms, signal) => {
      sleeping += 1;
      await sleep(ms, signal);
      sleeping -= 1;
    });
  });
  beforeEach(() => {
    rig = fixture.another();
    runs = [];
    looks = 0;
    const look = rig.claims.look.bind(rig.claims);
    jest.spyOn(rig.claims, 'look').mockImplementation((queues) => {
      looks += 1;
      return look(queues);
    });
  });
  afterEach(async () => {
    await rig.worker.stop();
    await fixture.reset();
  });
  afterAll(() => fixture.close());

  const POLL_MS = 250;
  const MIN_GAP_MS = 4;

  function register(run?: (claim: Claim) => Promise<void>): void {
    const complete = completing(rig, fixture.db.units);
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

  /** Until the loop has made its `n`-th look and sleeps. */
  async function asleepAfter(n: number): Promise<void> {
    await until(() => looks >= n);
    await asleep();
  }

  /** Until the loop sleeps and no more than `standing` flows are left. */
  async function asleep(standing = 0): Promise<void> {
    await until(() => sleeping === 1 && rig.held.count('flush') === standing);
  }

  async function pass(ms: number, standing = 0): Promise<void> {
    fixture.db.clock.advance(ms);
    await new Promise(setImmediate); // whoever was woken is awake now
    await asleep(standing);
  }

  test('it wakes when a row becomes due, and not before', async () => {
    register();
    await fixture.add({ queue: 'flush', key: 'k', dueInMs: 100 });
    rig.worker.start();
    await asleepAfter(1);

    await pass(MIN_GAP_MS);
    await pass(100 - MIN_GAP_MS - 1);
    expect(looks).toBe(1);
    await pass(1);
    await until(() => runs.length === 1);
    expect(looks).toBeGreaterThanOrEqual(2);
  });

  test('without anything due it polls, and a poke wakes it earlier', async () => {
    register();
    rig.worker.start();
    await asleepAfter(1);
    await pass(MIN_GAP_MS);
    await pass(POLL_MS - MIN_GAP_MS);
    await asleepAfter(2);
    expect(looks).toBe(2);

    await fixture.add({ queue: 'flush', key: 'k' });
    await pass(MIN_GAP_MS);
    rig.worker.wake('flush');
    await until(() => runs.length === 1);
  });

  test('what waits for the only slot of a queue is claimed before the next look', async () => {
    const complete = completing(rig, fixture.db.units);
    const looksBefore: number[] = [];
    const run = (claim: Claim): Promise<void> => {
      looksBefore.push(looks);
      return complete(claim);
    };
    rig.registry.register(jobHandler({ queue: 'flush', concurrency: 1, run }));
    for (const key of ['a', 'b']) await fixture.add({ queue: 'flush', key });

    for (let n = 0; n < 2; n += 1) {
      await rig.worker.tick();
      await rig.held.whenEmpty();
    }

    expect(looksBefore).toEqual([1, 1]);
  });

  test('pokes that come together share a pass', async () => {
    register();
    rig.worker.start();
    await asleepAfter(1);

    for (let n = 0; n < 50; n += 1) rig.worker.wake('flush');
    await pass(MIN_GAP_MS);
    await asleepAfter(2);

    expect(looks).toBe(2);
  });

  test('a due row behind another of its key does not keep it awake', async () => {
    const go = gate();
    const complete = completing(rig, fixture.db.units);
    register(async (claim) => {
      await go.opened;
      await complete(claim);
    });
    await fixture.add({ queue: 'flush', key: 'k' });
    rig.worker.start();
    await until(() => runs.length === 1);
    await fixture.add({ queue: 'flush', key: 'k' });
    await asleep(1);
    const before = looks;
    const claimReady = jest.spyOn(rig.claims, 'claimReady');

    for (let ms = 0; ms < 4 * POLL_MS; ms += 10) await pass(10, 1);
    expect(looks - before).toBeLessThanOrEqual(6);
    expect(claimReady).not.toHaveBeenCalled();

    go.open();
    await asleep();
    await pass(MIN_GAP_MS);
    await until(() => runs.length === 2);
  });

  test('an open breaker does not keep it awake, and its probe wakes it', async () => {
    let isDown = true;
    const complete = completing(rig, fixture.db.units);
    register((claim) =>
      isDown
        ? Promise.reject(new PeerUnavailableError('down', { retryAfterMs: 120 }))
        : complete(claim),
    );
    await fixture.add({ queue: 'flush', key: 'k' });
    rig.worker.start();
    await until(() => rig.breakers.isOpen('flush'));
    await asleep();
    isDown = false;

    let waitedMs = 0;
    for (; runs.length < 2 && waitedMs < 5000; waitedMs += 10) await pass(10);
    expect(runs).toHaveLength(2);
    expect(waitedMs).toBeLessThanOrEqual(1020);
    expect(looks).toBeLessThan(12);
  });

  test('stop ends it', async () => {
    register();
    rig.worker.start();
    await asleepAfter(1);
    await rig.worker.stop();
    const before = looks;

    fixture.db.clock.advance(10 * POLL_MS);
    await new Promise(setImmediate);

    expect(sleeping).toBe(0);
    expect(looks).toBe(before);
  });
});

/** The same loop on the machine's clock: what production runs. */
describe('on real time', () => {
  let db: TestDatabase<SystemClock>;

  beforeAll(async () => {
    db = await openTestDatabase(new SystemClock());
  });
  afterAll(() => db.close());

  test('a burst larger than its slots is worked off, each row once, keys in order', async () => {
    const rig = jobRig({ ...db, settings: settingsForTests({ TASK_POLL: '0.05' }) });
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
    await until(() => seen.length >= ids.length);
    await rig.worker.stopClaims();
    expect(await rig.worker.waitUntilSettled(5000)).toBe(true);
    await rig.worker.stop();

    expect(seen.sort()).toEqual(ids.sort());
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  for (let poll = 0; poll < 10_000; poll += 1) {
    if (isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  throw new Error('it never came true');
}
