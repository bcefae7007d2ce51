import { JobNotDeadError } from '../../src/jobs';
import { inCommit, queueOf } from '../support/jobs';
import { TestJobs } from './test-jobs';

let queues: TestJobs;

beforeAll(async () => {
  queues = await TestJobs.open();
});
afterAll(() => queues.close());
afterEach(() => queues.reset());

function enqueue(job: { key: string; dueInMs: number; payload?: unknown }) {
  return inCommit(queues.units, (tx) => queues.rig.jobs.enqueue(tx, { queue: 'score', ...job }));
}

describe('enqueue', () => {
  test('writes in the caller’s transaction, and is rolled back with it', async () => {
    const failing = inCommit(queues.units, async (tx) => {
      await queues.rig.jobs.enqueue(tx, { queue: 'score', key: 'k', dueInMs: 0 });
      throw new Error('the caller fails');
    });

    await expect(failing).rejects.toThrow('the caller fails');
    expect(await queues.sql('select 1 from job')).toEqual([]);
  });

  test('joins the key’s open row, which keeps the earlier due time and the first payload', async () => {
    const first = await enqueue({ key: 'k', dueInMs: 5000, payload: { n: 1 } });
    const sooner = await enqueue({ key: 'k', dueInMs: 1000, payload: { n: 2 } });
    const later = await enqueue({ key: 'k', dueInMs: 9000 });

    expect([first.isNew, sooner.isNew, later.isNew]).toEqual([true, false, false]);
    expect([sooner.jobId, later.jobId]).toEqual([first.jobId, first.jobId]);
    expect(await queues.dueInMs(first.jobId)).toBe(1000);
    expect(await queues.row(first.jobId)).toMatchObject({ count: 3, payload: { n: 1 } });
  });

  test('opens another row while one of the key waits for its retry', async () => {
    const first = await enqueue({ key: 'k', dueInMs: 0 });
    await queues.sql(`update job set state = 'retry'`);

    expect((await enqueue({ key: 'k', dueInMs: 0 })).jobId).not.toBe(first.jobId);
  });

  test('makes one row when it is called many times at once', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () => enqueue({ key: 'k', dueInMs: 0 })),
    );

    expect(new Set(all.map((job) => job.jobId)).size).toBe(1);
    expect(all.filter((job) => job.isNew)).toHaveLength(1);
  });
});

describe('enqueueAll', () => {
  test('opens or joins one row for each key, also for a key that is given twice', async () => {
    const known = await enqueue({ key: 'b', dueInMs: 5000, payload: { n: 1 } });
    await inCommit(queues.units, (tx) =>
      queues.rig.jobs.enqueueAll(tx, { queue: 'score', keys: ['b', 'a', 'b'], dueInMs: 1000 }),
    );

    expect(await queues.sql('select key, count from job order by key')).toEqual([
      { key: 'a', count: 1 },
      { key: 'b', count: 2 },
    ]);
    expect(await queues.dueInMs(known.jobId)).toBe(1000);
    expect(await queues.row(known.jobId)).toMatchObject({ payload: { n: 1 } });
  });
});

describe('a replay', () => {
  test('resets the failures of a dead job and makes it due, beside an open row of its key', async () => {
    const { jobId } = await enqueue({ key: 'k', dueInMs: 0 });
    await queues.sql(
      `update job set state = 'dead', due_at = null, failures = 3, claims_without_progress = 11`,
    );
    await enqueue({ key: 'k', dueInMs: 0 });

    const replayed = await inCommit(queues.units, (tx) => queues.rig.jobs.replay(tx, jobId));

    expect(replayed).toEqual({ queue: 'score', key: 'k' });
    expect(await queues.row(jobId)).toMatchObject({
      state: 'retry',
      failures: 0,
      claims_without_progress: 0,
    });
    expect(await queues.dueInMs(jobId)).toBe(0);
  });

  test('of a live job is refused', async () => {
    const { jobId } = await enqueue({ key: 'k', dueInMs: 0 });

    const replaying = inCommit(queues.units, (tx) => queues.rig.jobs.replay(tx, jobId));

    await expect(replaying).rejects.toThrow(JobNotDeadError);
  });
});

test('a cancel ends the waiting jobs of a key and not the running one', async () => {
  const running = (await enqueue({ key: 'k', dueInMs: 0 })).jobId;
  await queues.rig.claims.claimReady(queueOf('score'), 1);
  const open = (await enqueue({ key: 'k', dueInMs: 0 })).jobId;
  const elsewhere = (await enqueue({ key: 'l', dueInMs: 0 })).jobId;

  const ended = await inCommit(queues.units, (tx) =>
    queues.rig.jobs.cancel(tx, { queue: 'score', key: 'k' }),
  );

  expect(ended).toEqual([open]);
  expect((await queues.row(running)).state).toBe('running');
  expect((await queues.row(open)).state).toBe('done');
  expect((await queues.row(elsewhere)).state).toBe('open');
});
