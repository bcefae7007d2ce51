import type { Tx } from '../../src/common/uow';
import { DebounceRepository } from '../../src/jobs';
import { type JobRig, completing, inCommit, jobHandler } from '../support/jobs';
import { turnOfLoop, untilInProcess } from '../support/until';
import { TestJobs } from './test-jobs';

/** Jobs that are due later because more was added to them: only their claim writes an index. */

let queues: TestJobs;
let rig: JobRig;
let runs: string[];
let timers: DebounceRepository;

beforeAll(async () => {
  queues = await TestJobs.open();
});
beforeEach(() => {
  rig = queues.another();
  runs = [];
  const complete = completing(rig, queues.units);
  rig.registry.register(
    jobHandler({
      queue: 'flush',
      run: (claim) => {
        runs.push(claim.key);
        return complete(claim);
      },
    }),
  );
  timers = new DebounceRepository(queues.clock, rig.replica, rig.jobs);
});
afterEach(async () => {
  await rig.worker.stop();
  await queues.reset();
});
afterAll(() => queues.close());

const WINDOW_MS = 1000;
const KEY = { queue: 'flush', key: 'k' } as const;
const LIMITS = { maxWaitMs: 60_000, maxSize: 1000, maxChars: 100_000 };

function add(key = 'k', limits = LIMITS): Promise<string> {
  const added = { chars: 1, windowMs: WINDOW_MS, limits };
  return inCommit(queues.units, (tx) => timers.add(tx, { queue: 'flush', key }, added));
}

function onTimers<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return inCommit(queues.units, work);
}

async function tick(): Promise<void> {
  await rig.worker.tick();
  await rig.held.whenEmpty();
}

interface Updates {
  readonly all: number;
  readonly hot: number;
}

/** Updates of this transaction so far, which pg_stat shows to this connection only. */
const UPDATES = `
  select pg_stat_get_xact_tuples_updated('job'::regclass)::int as all,
    pg_stat_get_xact_tuples_hot_updated('job'::regclass)::int as hot`;

test('what is added makes a job due later without writing an index (HOT)', async () => {
  const jobId = await add();
  const [before, after] = await inCommit(queues.units, async (tx) => {
    const first = await tx.query<Updates>(UPDATES);
    for (let n = 0; n < 3; n += 1) {
      queues.clock.advance(100);
      const added = { chars: 1, windowMs: WINDOW_MS, limits: LIMITS };
      await timers.add(tx, { queue: 'flush', key: 'k' }, added);
    }
    return [...first, ...(await tx.query<Updates>(UPDATES))];
  });

  const { all = 0, hot = 0 } = before ?? {};
  expect(after).toEqual({ all: all + 3, hot: hot + 3 });
  expect(await queues.dueInMs(jobId)).toBe(WINDOW_MS);
});

test('a claim that comes too early moves the time, and the job runs when it is due', async () => {
  const jobId = await add();
  queues.clock.advance(600);
  await add();
  queues.clock.advance(WINDOW_MS - 600);
  await tick();

  const [moved] = await queues.sql('select check_at = due_at as moved, state, claim_no from job');
  expect(moved).toEqual({ moved: true, state: 'open', claim_no: 0 });
  expect(await queues.dueInMs(jobId)).toBe(600);
  queues.clock.advance(599);
  await tick();
  expect(runs).toEqual([]);
  queues.clock.advance(1);
  await tick();
  expect(runs).toEqual(['k']);
});

test('a job that is due does not wait behind those that are due too early', async () => {
  await add('early');
  queues.clock.advance(500);
  await add('early');
  queues.clock.advance(WINDOW_MS - 500);
  await queues.add({ queue: 'flush', key: 'due' });
  await tick();

  expect(runs).toEqual(['due']);
});

test('a full job is due at once, however much later it was due', async () => {
  await add();
  queues.clock.advance(500);
  await add('k', { ...LIMITS, maxSize: 2 });
  await tick();

  expect(runs).toEqual(['k']);
});

test.each<[string, (jobId: string) => Promise<unknown>]>([
  ['finished', () => onTimers((tx) => timers.finish(tx, KEY, { windowMs: 10, limits: LIMITS }))],
  ['made due', (jobId) => onTimers((tx) => timers.makeDue(tx, { queue: 'flush', jobId }))],
  [
    'made due by a drain',
    () => onTimers((tx) => timers.makeOpenDue(tx, 'flush', { ownOnly: false })),
  ],
])('a job that is %s is looked at when it is due then, and not later', async (_, makeEarlier) => {
  const jobId = await add();
  queues.clock.advance(500);
  await add();
  await makeEarlier(jobId);
  const { due_at, check_at } = await queues.row(jobId);
  expect(check_at).toEqual(due_at);

  queues.clock.advance(10);
  await tick();
  expect(runs).toEqual(['k']);
});

test('what joins an open job with an earlier time makes it due then', async () => {
  const jobId = await add();
  queues.clock.advance(500);
  await add();
  await queues.add({ queue: 'flush', key: 'k', dueInMs: 700 });
  expect(await queues.dueInMs(jobId)).toBe(700);

  await queues.add({ queue: 'flush', key: 'k', dueInMs: 100 });
  expect(await queues.dueInMs(jobId)).toBe(100);
});

test('a job that is added to all the time costs one claim a window, and none when it rests', async () => {
  const claimReady = jest.spyOn(rig.claims, 'claimReady');
  let sleeping = 0;
  const { clock } = queues;
  const sleep = clock.sleep.bind(clock);
  const spied = jest.spyOn(clock, 'sleep').mockImplementation(async (ms, signal) => {
    sleeping += 1;
    await sleep(ms, signal);
    sleeping -= 1;
  });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await turnOfLoop();
    await untilInProcess('the loop sleeps', () => sleeping === 1);
  };
  await add();
  rig.worker.start();

  for (let ms = 0; ms < 10 * WINDOW_MS; ms += 50) {
    await pass(50);
    await add();
  }
  const whileAdding = claimReady.mock.calls.length;
  for (let ms = 0; ms < WINDOW_MS - 10; ms += 10) await pass(10);

  expect(runs).toEqual([]);
  // Each moves the time to the end of the window that the last addition before it has begun.
  expect(whileAdding).toBeLessThanOrEqual(11);
  expect(claimReady.mock.calls.length - whileAdding).toBeLessThanOrEqual(1);
  await pass(20);
  await untilInProcess('the job has run', () => runs.length === 1);
  spied.mockRestore();
});
