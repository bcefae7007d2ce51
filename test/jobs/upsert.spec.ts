import { JobNotDeadError } from '../../src/jobs';
import { inCommit, queueOf } from '../support/jobs';
import { JobFixture } from './fixture';

let fixture: JobFixture;

beforeAll(async () => {
  fixture = await JobFixture.open();
});
afterAll(() => fixture.close());
afterEach(() => fixture.reset());

function upsert(job: { key: string; dueInMs: number; payload?: unknown }) {
  return inCommit(fixture.db.units, (tx) =>
    fixture.rig.jobs.enqueue(tx, { queue: 'score', ...job }),
  );
}

describe('an upsert writes in the caller’s transaction', () => {
  test('it goes when the caller rolls back', async () => {
    const failing = inCommit(fixture.db.units, async (tx) => {
      await fixture.rig.jobs.enqueue(tx, { queue: 'score', key: 'k', dueInMs: 0 });
      throw new Error('the caller fails');
    });

    await expect(failing).rejects.toThrow('the caller fails');
    expect(await fixture.sql('select 1 from job')).toEqual([]);
  });

  test('the key’s open row takes it: one row, the earlier due time, the first payload', async () => {
    const first = await upsert({ key: 'k', dueInMs: 5000, payload: { n: 1 } });
    const sooner = await upsert({ key: 'k', dueInMs: 1000, payload: { n: 2 } });
    const later = await upsert({ key: 'k', dueInMs: 9000 });

    expect([first.isNew, sooner.isNew, later.isNew]).toEqual([true, false, false]);
    expect([sooner.jobId, later.jobId]).toEqual([first.jobId, first.jobId]);
    expect(await fixture.dueInMs(first.jobId)).toBe(1000);
    expect(await fixture.row(first.jobId)).toMatchObject({ count: 3, payload: { n: 1 } });
  });

  test('a row that waits for its retry is sealed: work opens another', async () => {
    const first = await upsert({ key: 'k', dueInMs: 0 });
    await fixture.sql(`update job set state = 'retry'`);

    expect((await upsert({ key: 'k', dueInMs: 0 })).jobId).not.toBe(first.jobId);
  });

  test('many at once make one row', async () => {
    const all = await Promise.all(
      Array.from({ length: 20 }, () => upsert({ key: 'k', dueInMs: 0 })),
    );

    expect(new Set(all.map((job) => job.jobId)).size).toBe(1);
    expect(all.filter((job) => job.isNew)).toHaveLength(1);
  });
});

describe('an upsert of many keys', () => {
  test('makes or joins a row for each, whatever is named twice', async () => {
    const known = await upsert({ key: 'b', dueInMs: 5000, payload: { n: 1 } });
    await inCommit(fixture.db.units, (tx) =>
      fixture.rig.jobs.enqueueAll(tx, { queue: 'score', keys: ['b', 'a', 'b'], dueInMs: 1000 }),
    );

    expect(await fixture.sql('select key, count from job order by key')).toEqual([
      { key: 'a', count: 1 },
      { key: 'b', count: 2 },
    ]);
    expect(await fixture.dueInMs(known.jobId)).toBe(1000);
    expect(await fixture.row(known.jobId)).toMatchObject({ payload: { n: 1 } });
  });
});

describe('a replay', () => {
  test('gives a dead job a new budget and makes it due, beside an open row of its key', async () => {
    const { jobId } = await upsert({ key: 'k', dueInMs: 0 });
    await fixture.sql(
      `update job set state = 'dead', due_at = null, failures = 3, claims_without_progress = 11`,
    );
    await upsert({ key: 'k', dueInMs: 0 });

    const replayed = await inCommit(fixture.db.units, (tx) => fixture.rig.jobs.replay(tx, jobId));

    expect(replayed).toEqual({ queue: 'score', key: 'k' });
    expect(await fixture.row(jobId)).toMatchObject({
      state: 'retry',
      failures: 0,
      claims_without_progress: 0,
    });
    expect(await fixture.dueInMs(jobId)).toBe(0);
  });

  test('of a live job is refused', async () => {
    const { jobId } = await upsert({ key: 'k', dueInMs: 0 });

    const replaying = inCommit(fixture.db.units, (tx) => fixture.rig.jobs.replay(tx, jobId));

    await expect(replaying).rejects.toThrow(JobNotDeadError);
  });
});

test('a cancel ends what waits for a key and leaves what runs', async () => {
  const running = (await upsert({ key: 'k', dueInMs: 0 })).jobId;
  await fixture.rig.claims.claimReady(queueOf('score'), 1);
  const open = (await upsert({ key: 'k', dueInMs: 0 })).jobId;
  const elsewhere = (await upsert({ key: 'l', dueInMs: 0 })).jobId;

  const ended = await inCommit(fixture.db.units, (tx) =>
    fixture.rig.jobs.cancel(tx, { queue: 'score', key: 'k' }),
  );

  expect(ended).toEqual([open]);
  expect((await fixture.row(running)).state).toBe('running');
  expect((await fixture.row(open)).state).toBe('done');
  expect((await fixture.row(elsewhere)).state).toBe('open');
});
