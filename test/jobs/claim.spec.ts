import { Client } from 'pg';
import type { Claim } from '../../src/jobs';
import * as sql from '../../src/jobs/claim.repository';
import { DatabaseUnavailableError } from '../../src/common/uow';
import type { ClaimConnection } from '../../src/jobs/takeover-guard';
import { completing, inCommit, jobHandler, jobRig, queueOf } from '../support/jobs';
import { type Gate, gate } from '../../tools/http-fake/gate';
import { TestJobs } from './test-jobs';

let queues: TestJobs;
let other: Client;

beforeAll(async () => {
  queues = await TestJobs.open();
  other = new Client({ connectionString: queues.url });
  await other.connect();
});
afterAll(async () => {
  await other.end();
  await queues.close();
});
afterEach(() => queues.reset());

/** Claims and runs nothing, like a worker that crashes at once. */
async function claimAndVanish(rig = queues.rig, queue: Claim['queue'] = 'flush', limit = 10) {
  return (await rig.claims.claimReady(queueOf(queue), limit)).rows;
}

const LEASE_MS = 6000;

describe('a live row is claimed when it is due', () => {
  test('not 1 ms earlier, and the oldest first', async () => {
    const { clock } = queues;
    const late = await queues.add({ queue: 'flush', key: 'late', dueInMs: 2000 });
    const soon = await queues.add({ queue: 'flush', key: 'soon', dueInMs: 1000 });

    clock.advance(999);
    expect(await claimAndVanish()).toEqual([]);
    clock.advance(1001);
    const claimed = await claimAndVanish();

    expect(claimed.map((row) => row.jobId)).toEqual([soon, late]);
    expect(claimed[0]).toMatchObject({ claimNo: 1, failures: 0, key: 'soon', latenessMs: 1000 });
    expect(await queues.row(soon)).toMatchObject({ state: 'running', claim_no: 1 });
    expect(await queues.dueInMs(soon)).toBe(LEASE_MS);
  });

  test('at most as many as the limit', async () => {
    for (const key of ['a', 'b', 'c']) await queues.add({ queue: 'flush', key });

    expect(await claimAndVanish(queues.rig, 'flush', 2)).toHaveLength(2);
  });

  test('never, if its due time is infinity', async () => {
    const id = await queues.add({ queue: 'flush', key: 'held' });
    await queues.sql(`update job set due_at = 'infinity' where id = $1`, [id]);

    expect(await claimAndVanish()).toEqual([]);
    expect(await queues.rig.claims.readQueues([queueOf('flush')])).toEqual([
      { queue: 'flush', hasExpired: false, hasReady: false, nextInMs: null },
    ]);
  });
});

describe('the jobs of one key run one at a time and in order', () => {
  test('work that arrives during a run opens a new row, which waits for the run', async () => {
    const first = await queues.add({ queue: 'flush', key: 'k' });
    const [claim] = await claimAndVanish();
    const second = await queues.add({ queue: 'flush', key: 'k' });

    expect(second).not.toBe(first);
    expect(await claimAndVanish()).toEqual([]);

    await inCommit(queues.units, (tx) =>
      queues.rig.jobs.complete(tx, { ...claim, takenOver: false } as Claim),
    );
    expect((await claimAndVanish()).map((row) => row.jobId)).toEqual([second]);
  });

  test('a due row waits for an earlier row that waits for its retry', async () => {
    const first = await queues.add({ queue: 'flush', key: 'k' });
    await queues.sql(
      `update job set state = 'retry', due_at = due_at + interval '1 minute' where id = $1`,
      [first],
    );
    const second = await queues.add({ queue: 'flush', key: 'k' });

    expect(await claimAndVanish()).toEqual([]);
    queues.clock.advance(60_000);
    expect((await claimAndVanish()).map((row) => row.jobId)).toEqual([first]);
    expect((await queues.row(second)).state).toBe('open');
  });

  test('a replayed earlier row waits for the later one that runs', async () => {
    const first = await queues.add({ queue: 'flush', key: 'k' });
    await queues.sql(`update job set state = 'dead', due_at = null where id = $1`, [first]);
    const second = await queues.add({ queue: 'flush', key: 'k' });
    await claimAndVanish();
    await inCommit(queues.units, (tx) => queues.rig.jobs.replay(tx, first));

    expect(await queues.rig.claims.readQueues([queueOf('flush')])).toMatchObject([
      { hasReady: false },
    ]);
    expect(await claimAndVanish()).toEqual([]);
    expect((await queues.row(second)).state).toBe('running');
  });

  test('keys and queues do not wait for each other', async () => {
    await queues.add({ queue: 'flush', key: 'k' });
    await claimAndVanish();
    await queues.add({ queue: 'flush', key: 'l' });
    await queues.add({ queue: 'score', key: 'k' });

    expect(await claimAndVanish()).toHaveLength(1);
    expect(await claimAndVanish(queues.rig, 'score')).toHaveLength(1);
  });
});

describe('an expired lease is taken over', () => {
  test('by any worker, with the next claim number, as soon as it has ended', async () => {
    const id = await queues.add({ queue: 'flush', key: 'k' });
    await claimAndVanish();
    const successor = queues.another();

    queues.clock.advance(LEASE_MS - 1);
    expect(await successor.claims.readQueues([queueOf('flush')])).toMatchObject([
      { hasExpired: false },
    ]);
    queues.clock.advance(1);
    expect(await successor.claims.readQueues([queueOf('flush')])).toMatchObject([
      { hasExpired: true },
    ]);
    const claimed = await successor.claims.takeOver(queueOf('flush'), 10);

    expect(claimed).toMatchObject([{ jobId: id, claimNo: 2 }]);
    expect(await queues.row(id)).toMatchObject({ claim_no: 2, worker: successor.replica.value });
    expect(await queues.dueInMs(id)).toBe(LEASE_MS);
  });

  test('although a later row of its key is due too', async () => {
    const first = await queues.add({ queue: 'flush', key: 'k' });
    await claimAndVanish();
    await queues.add({ queue: 'flush', key: 'k' });
    queues.clock.advance(LEASE_MS);

    expect(await claimAndVanish()).toEqual([]);
    expect(await queues.rig.claims.takeOver(queueOf('flush'), 10)).toMatchObject([
      { jobId: first },
    ]);
  });

  test('before ready rows: a pass gives the free slot to the takeover', async () => {
    const { worker, registry } = queues.another();
    const runs: Claim[] = [];
    const stay: Gate = gate();
    registry.register(
      jobHandler({
        queue: 'flush',
        concurrency: 1,
        run: async (claim) => {
          runs.push(claim);
          await stay.opened;
        },
      }),
    );
    const first = await queues.add({ queue: 'flush', key: 'k' });
    await claimAndVanish();
    await queues.add({ queue: 'flush', key: 'l' });
    queues.clock.advance(LEASE_MS);

    await worker.tick();

    expect(runs).toMatchObject([{ jobId: first, claimNo: 2, takenOver: true }]);
    stay.open();
    await worker.waitUntilSettled(1000);
  });

  test('in a single queue too, so that a crash does not block it', async () => {
    const id = await queues.add({ queue: 'notion-sync', key: 'k' });
    await claimAndVanish(queues.rig, 'notion-sync');
    queues.clock.advance(LEASE_MS);

    expect(await queues.rig.claims.readQueues([queueOf('notion-sync')])).toMatchObject([
      { hasExpired: true },
    ]);
    expect(await queues.rig.claims.takeOver(queueOf('notion-sync'), 1)).toMatchObject([
      { jobId: id },
    ]);
  });
});

describe('a single queue runs one job in the whole cluster', () => {
  test('one row per claim, and none while one runs anywhere', async () => {
    for (const key of ['a', 'b', 'c']) await queues.add({ queue: 'notion-sync', key });
    const successor = queues.another();
    const now = queues.clock.databaseNow();
    const ready = sql.readyIds({ ...queueOf('notion-sync'), limit: 10, now });

    expect(await claimAndVanish(queues.rig, 'notion-sync')).toHaveLength(1);
    expect(await claimAndVanish(successor, 'notion-sync')).toEqual([]);
    expect(await queues.sql(`select 1 from job where state = 'running'`)).toHaveLength(1);
    expect(await queues.sql(ready.text, [...ready.values])).toEqual([]);
    expect(await successor.claims.readQueues([queueOf('notion-sync')])).toMatchObject([
      { hasReady: false },
    ]);
  });

  test('of two workers that claim at once, one gets the job and the other gets no row and no error', async () => {
    for (const key of ['a', 'b']) await queues.add({ queue: 'notion-sync', key });
    const successor = queues.another();
    await successor.claims.readQueues([queueOf('notion-sync')]);

    // The first worker's claim, not committed yet, is invisible to the second one's snapshot.
    await other.query('begin');
    const claim = sql.claimReady({
      ...queueOf('notion-sync'),
      limit: 1,
      leaseMs: LEASE_MS,
      worker: 'first',
      now: queues.clock.databaseNow(),
    });
    await other.query(claim.text, [...claim.values]);
    const second = claimAndVanish(successor, 'notion-sync');
    await queues.untilLockWait();
    await other.query('commit');

    expect(await second).toEqual([]);
    const running = await queues.sql(`select key from job where state = 'running'`);
    expect(running).toHaveLength(1);
  });
});

describe('a violated unique index fails one row alone', () => {
  test('the other rows of the batch are claimed one by one', async () => {
    const met = await queues.add({ queue: 'flush', key: 'met' });
    await queues.add({ queue: 'flush', key: 'x' });
    await queues.add({ queue: 'flush', key: 'y' });

    // Another row of the key becomes running between this worker's snapshot and its update.
    await other.query('begin');
    await other.query(
      `insert into job (queue, key, state, due_at, first_at)
       values ('flush', 'met', 'running', 'infinity', now())`,
    );
    const claiming = claimAndVanish();
    await queues.untilLockWait();
    await other.query('commit');

    expect((await claiming).map((row) => row.key).sort()).toEqual(['x', 'y']);
    expect((await queues.row(met)).state).toBe('open');
  });

  test('and a lost connection meanwhile leaves out only the rows that are not claimed yet', async () => {
    const inner = queues.anotherControl();
    let singles = 0;
    const control: ClaimConnection = {
      query: (text, values) => {
        // The statements that claim one row.
        if (text.includes('c.id = $7')) singles += 1;
        if (singles < 2) return inner.query(text, values);
        return Promise.reject(new DatabaseUnavailableError('the test cut the connection'));
      },
      connectedSinceMs: () => -Infinity,
    };
    const rig = jobRig(queues, { control, units: queues.units });
    for (const [index, key] of ['met', 'x', 'y'].entries()) {
      await queues.add({ queue: 'flush', key, dueInMs: index });
    }
    queues.clock.advance(10);
    await other.query('begin');
    await other.query(
      `insert into job (queue, key, state, due_at, first_at)
       values ('flush', 'met', 'running', 'infinity', now())`,
    );
    const claiming = claimAndVanish(rig);
    await queues.untilLockWait();
    await other.query('commit');

    expect((await claiming).map((row) => row.key)).toEqual(['x']);
    expect(await queues.sql(`select key from job where state = 'running' order by key`)).toEqual([
      { key: 'met' },
      { key: 'x' },
    ]);
  });
});

describe('two workers share the due rows', () => {
  test('a locked row is skipped without waiting', async () => {
    const locked = await queues.add({ queue: 'flush', key: 'locked' });
    const free = await queues.add({ queue: 'flush', key: 'free' });
    await other.query('begin');
    await other.query('select 1 from job where id = $1 for update', [locked]);

    expect((await claimAndVanish()).map((row) => row.jobId)).toEqual([free]);
    await other.query('commit');
  });

  test('each row runs once', async () => {
    const first = queues.another();
    const second = queues.another();
    const runs: string[] = [];
    for (const rig of [first, second]) {
      const run = completing(rig, queues.units);
      rig.registry.register(
        jobHandler({
          queue: 'flush',
          run: (claim) => {
            runs.push(claim.jobId);
            return run(claim);
          },
        }),
      );
    }
    const ids: string[] = [];
    for (let n = 0; n < 40; n += 1) {
      ids.push(await queues.add({ queue: 'flush', key: `k${n}` }));
    }

    for (let passes = 0; runs.length < ids.length && passes < 100; passes += 1) {
      await Promise.all([first.worker.tick(), second.worker.tick()]);
      await Promise.all([
        first.worker.waitUntilSettled(1000),
        second.worker.waitUntilSettled(1000),
      ]);
    }

    expect(runs.sort()).toEqual(ids.sort());
  });
});

test('claims only expired leases while many jobs wait for a connection', async () => {
  const held: Gate = gate();
  const { rig } = queues;
  const complete = completing(rig, queues.units);
  rig.registry.register(
    jobHandler({
      queue: 'flush',
      concurrency: 50,
      run: async (claim, { uow }) => {
        await uow.commit('test.hold', () => held.opened);
        await complete(claim);
      },
    }),
  );
  rig.registry.register(jobHandler({ queue: 'deliver', run: complete }));
  for (let key = 0; key < 50; key += 1) await queues.add({ queue: 'flush', key: String(key) });
  let begun = 0;
  for (let n = await rig.worker.tick(); n > 0; n = await rig.worker.tick()) begun += n;
  expect(begun).toBeGreaterThan(0);
  expect(begun).toBeLessThan(50);

  await queues.add({ queue: 'deliver', key: 'lost' });
  await queues.sql(
    `update job set state = 'running', claim_no = 1, due_at = due_at - interval '1 minute'
     where key = 'lost'`,
  );
  expect(await rig.worker.tick()).toBe(1);

  held.open();
  await rig.worker.waitUntilSettled(10_000);
  while ((await rig.worker.tick()) > 0) await rig.worker.waitUntilSettled(10_000);
  expect(await queues.sql('select state, count(*)::int as jobs from job group by state')).toEqual([
    { state: 'done', jobs: 51 },
  ]);
});
