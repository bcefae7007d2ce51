import type { Claim, DeadJob } from '../../src/jobs';
import { DatabaseUnavailableError, type UnitOfWorkFactory } from '../../src/common/uow';
import type { ClaimConnection } from '../../src/jobs/takeover-guard';
import { type JobRig, jobHandler, jobRig } from '../support/jobs';
import { TestJobs } from './test-jobs';

/** Ends of claims that could not be stored, because the pool did not reach the database. */

let queues: TestJobs;

beforeAll(async () => {
  queues = await TestJobs.open();
});
afterAll(() => queues.close());
afterEach(() => queues.reset());

const LEASE_MS = 6000;

function away(): DatabaseUnavailableError {
  return new DatabaseUnavailableError('the test cut the connection');
}

/** One pass; resolves when all flows that it started have ended. */
async function pass(rig: JobRig): Promise<void> {
  await rig.worker.tick();
  await rig.worker.waitUntilSettled(1000);
}

test('a job is not counted as crashed while only the claim connection reaches the database', async () => {
  let isAway = true;
  const units = Object.create(queues.units) as UnitOfWorkFactory;
  units.run = (label, flow) => (isAway ? Promise.reject(away()) : queues.units.run(label, flow));
  const rig = jobRig(queues, { units, control: queues.anotherControl() });
  const runs: Claim[] = [];
  rig.registry.register(
    jobHandler({
      queue: 'score',
      run: async (claim, { uow }) => {
        runs.push(claim);
        if (isAway) throw away();
        await uow.commit('test', (tx) => rig.jobs.complete(tx, claim));
      },
    }),
  );
  const id = await queues.add({ queue: 'score', key: 'k' });

  for (let n = 0; n < 30; n += 1) {
    await pass(rig);
    queues.clock.advance(LEASE_MS);
  }
  expect(runs.length).toBeGreaterThan(12);
  expect(await queues.row(id)).toMatchObject({ state: 'running', failures: 0 });
  isAway = false;
  await pass(rig);
  queues.clock.advance(LEASE_MS);
  await pass(rig);

  expect((await queues.row(id)).state).toBe('done');
});

test('a claim that could not be handed back is handed back by the next pass', async () => {
  const units = Object.create(queues.units) as UnitOfWorkFactory;
  units.run = () => Promise.reject(away());
  const inner = queues.anotherControl();
  let isCut = false;
  const control: ClaimConnection = {
    query: (text, values) => (isCut ? Promise.reject(away()) : inner.query(text, values)),
    connectedSinceMs: () => (isCut ? null : inner.connectedSinceMs()),
  };
  const rig = jobRig(queues, { units, control });
  rig.registry.register(jobHandler({ queue: 'score', run: () => Promise.reject(away()) }));
  const id = await queues.add({ queue: 'score', key: 'k' });
  await pass(rig);
  isCut = true;
  await expect(rig.worker.tick()).rejects.toThrow(DatabaseUnavailableError);
  isCut = false;

  await rig.worker.tick();

  expect(await queues.row(id)).toMatchObject({
    state: 'running',
    worker: null,
    claim_no: 2,
    claims_without_progress: 0,
  });
});

describe('a failure of its own that could not be stored', () => {
  /** A worker whose pool does not reach the database, until `isAway` is false. */
  function cutOff() {
    const units = Object.create(queues.units) as UnitOfWorkFactory;
    const rig = jobRig(queues, { units, control: queues.anotherControl() });
    const worker = { rig, runs: [] as Claim[], dead: [] as DeadJob[], isAway: true };
    units.run = (label, flow) =>
      worker.isAway ? Promise.reject(away()) : queues.units.run(label, flow);
    rig.registry.register(
      jobHandler({
        queue: 'score',
        maxFailures: 3,
        run: (claim) => {
          worker.runs.push(claim);
          return Promise.reject(new Error(`failure of run ${worker.runs.length}`));
        },
        onDead: (_, job) => {
          worker.dead.push(job);
          return Promise.resolve();
        },
      }),
    );
    return worker;
  }

  test('is counted by the next pass, which hands the job back', async () => {
    const worker = cutOff();
    const id = await queues.add({ queue: 'score', key: 'k' });
    await pass(worker.rig);
    expect(await queues.row(id)).toMatchObject({ state: 'running', failures: 0 });

    await worker.rig.worker.tick();

    expect(await queues.row(id)).toMatchObject({
      worker: null,
      failures: 1,
      claims_without_progress: 0,
      last_error: 'Error: failure of run 1',
    });
    worker.isAway = false;
    queues.clock.advance(5000);
    await pass(worker.rig);
    expect(worker.runs.map((claim) => claim.failures)).toEqual([0, 1]);
    expect(await queues.row(id)).toMatchObject({ state: 'retry', failures: 2 });
  });

  test('is the last one: the job is dead without another run', async () => {
    const worker = cutOff();
    const id = await queues.add({ queue: 'score', key: 'k' });
    await queues.sql('update job set failures = 2');
    await pass(worker.rig);
    await worker.rig.worker.tick();
    expect(await queues.row(id)).toMatchObject({ state: 'running', worker: null, failures: 3 });

    worker.isAway = false;
    queues.clock.advance(5000);
    await pass(worker.rig);

    expect(worker.runs).toHaveLength(1);
    expect(await queues.row(id)).toMatchObject({ state: 'dead', failures: 3 });
    expect(worker.dead).toMatchObject([
      { jobId: id, reason: 'failed', error: 'Error: failure of run 1' },
    ]);
  });

  test('is counted once if it was stored although the database failed', async () => {
    const worker = cutOff();
    const id = await queues.add({ queue: 'score', key: 'k' });
    await pass(worker.rig);
    await queues.sql(`update job set state = 'retry', failures = 1`);

    await worker.rig.worker.tick();

    expect(await queues.row(id)).toMatchObject({ state: 'retry', failures: 1, claim_no: 1 });
  });

  test('is counted once if only its count was stored', async () => {
    const worker = cutOff();
    const id = await queues.add({ queue: 'score', key: 'k' });
    await queues.sql('update job set failures = 2');
    await pass(worker.rig);
    await queues.sql('update job set failures = 3');

    await worker.rig.worker.tick();

    expect(await queues.row(id)).toMatchObject({ state: 'running', worker: null, failures: 3 });
  });

  test('is counted by the hand-back of a shutdown', async () => {
    const worker = cutOff();
    const id = await queues.add({ queue: 'score', key: 'k' });
    await pass(worker.rig);

    expect(await worker.rig.worker.handBack()).toBe(1);

    expect(await queues.row(id)).toMatchObject({ state: 'running', worker: null, failures: 1 });
  });
});
