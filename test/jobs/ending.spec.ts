import { type Claim, type DeadJob, JobPostponedError } from '../../src/jobs';
import { retryDelayMs } from '../../src/jobs/breakers';
import { storableError } from '../../src/jobs/job-runner';
import { isStorable } from '../../src/common/text';
import { type JobRig, completing, inCommit, jobHandler, queueOf } from '../support/jobs';
import { TestJobs } from './test-jobs';

let queues: TestJobs;

beforeAll(async () => {
  queues = await TestJobs.open();
  await queues.sql('create table funeral (job_id bigint, reason text)');
});
afterAll(() => queues.close());
afterEach(async () => {
  await queues.reset();
  await queues.sql('truncate funeral');
});

const LEASE_MS = 6000;

/** One pass; resolves when all flows that it started have ended. */
async function pass(rig: JobRig): Promise<void> {
  await rig.worker.tick();
  await rig.worker.waitUntilSettled(1000);
}

/** Registers a queue whose every run fails, and counts its runs. */
function failingQueue(rig: JobRig, options: { onDead?: () => void } = {}): Claim[] {
  const runs: Claim[] = [];
  rig.registry.register(
    jobHandler({
      queue: 'score',
      maxFailures: 3,
      run: (claim) => {
        runs.push(claim);
        return Promise.reject(new Error(`failure \0 of run ${runs.length}`));
      },
      onDead: async (tx, job: DeadJob) => {
        await tx.query('insert into funeral values ($1, $2)', [job.jobId, job.reason]);
        options.onDead?.();
      },
    }),
  );
  return runs;
}

describe('a failure of its own', () => {
  test('is retried after a doubling delay with jitter and a cap', () => {
    expect([1, 2, 3, 4].map((failures) => retryDelayMs(failures, 1))).toEqual([
      1000, 2000, 4000, 8000,
    ]);
    expect(retryDelayMs(1, 0)).toBe(500);
    expect(retryDelayMs(60, 1)).toBe(300_000);
  });

  test('makes the row wait for its retry and stores the error', async () => {
    const rig = queues.another();
    failingQueue(rig);
    const id = await queues.add({ queue: 'score', key: 'k' });

    await pass(rig);

    expect(await queues.row(id)).toMatchObject({
      state: 'retry',
      failures: 1,
      claims_without_progress: 0,
      last_error: 'Error: failure  of run 1',
    });
    const dueInMs = await queues.dueInMs(id);
    expect(dueInMs).toBeGreaterThanOrEqual(500);
    expect(dueInMs).toBeLessThanOrEqual(1000);
  });

  test('makes the job dead after the queue’s maximum, with onDead in the same commit', async () => {
    const rig = queues.another();
    const runs = failingQueue(rig);
    const id = await queues.add({ queue: 'score', key: 'k' });

    for (let n = 0; n < 5; n += 1) {
      await pass(rig);
      queues.clock.advance(5000);
    }

    expect(runs.map((claim) => claim.failures)).toEqual([0, 1, 2]);
    expect(await queues.row(id)).toMatchObject({ state: 'dead', due_at: null, failures: 3 });
    expect(await queues.sql('select * from funeral')).toEqual([{ job_id: id, reason: 'failed' }]);
  });

  test('leaves the job running when onDead fails, and the takeover calls only onDead again', async () => {
    const rig = queues.another();
    let isBroken = true;
    const runs = failingQueue(rig, {
      onDead: () => {
        if (isBroken) throw new Error('onDead fails');
      },
    });
    const id = await queues.add({ queue: 'score', key: 'k' });
    await queues.sql('update job set failures = 2');

    await pass(rig);
    expect(await queues.row(id)).toMatchObject({ state: 'running', failures: 3 });
    expect(await queues.sql('select * from funeral')).toEqual([]);

    isBroken = false;
    queues.clock.advance(LEASE_MS);
    await pass(rig);
    expect(await queues.row(id)).toMatchObject({ state: 'dead', failures: 3 });
    expect(runs).toHaveLength(1);
  });

  test('is counted when a run returns without completing its job', async () => {
    const rig = queues.another();
    rig.registry.register(jobHandler({ queue: 'score', run: () => Promise.resolve() }));
    const id = await queues.add({ queue: 'score', key: 'k' });

    await pass(rig);

    expect(await queues.row(id)).toMatchObject({ state: 'retry', failures: 1 });
  });

  test('is counted from 0 after a replay', async () => {
    const rig = queues.another();
    const runs = failingQueue(rig);
    const id = await queues.add({ queue: 'score', key: 'k' });
    await queues.sql(`update job set state = 'dead', due_at = null, failures = 3`);

    await inCommit(queues.units, (tx) => rig.jobs.replay(tx, id));
    await pass(rig);

    expect(runs).toHaveLength(1);
    expect(await queues.row(id)).toMatchObject({ state: 'retry', failures: 1 });
  });
});

test('the stored error holds nothing that PostgreSQL cannot store', () => {
  const cut = storableError(new JobPostponedError('🙂'.repeat(300), 0));

  // 500 UTF-16 units, of which 15 are the code. The last of the other 485 is half an emoji: it is removed.
  expect(cut).toHaveLength(499);
  expect(isStorable(cut)).toBe(true);
  expect(cut).toMatch(/^job_postponed: 🙂+$/u);
});

describe('a job whose claims crash is given up without another run', () => {
  async function crash(times: number): Promise<void> {
    await queues.rig.claims.claimReady(queueOf('score'), 1);
    for (let n = 1; n < times; n += 1) {
      queues.clock.advance(LEASE_MS);
      await queues.rig.claims.takeOver(queueOf('score'), 1);
    }
    queues.clock.advance(LEASE_MS);
  }

  test('after ten claims without progress the takeover makes it dead and calls onDead', async () => {
    const rig = queues.another();
    const runs = failingQueue(rig);
    const id = await queues.add({ queue: 'score', key: 'k' });
    await crash(10);

    await pass(rig);

    expect(runs).toEqual([]);
    expect(await queues.row(id)).toMatchObject({ state: 'dead', failures: 0, claim_no: 11 });
    expect(await queues.sql('select * from funeral')).toEqual([{ job_id: id, reason: 'crashed' }]);
  });

  test('after nine it runs a tenth time, and a stored result resets the count', async () => {
    const rig = queues.another();
    const runs = failingQueue(rig);
    const id = await queues.add({ queue: 'score', key: 'k' });
    await crash(9);

    await pass(rig);

    expect(runs).toHaveLength(1);
    expect(await queues.row(id)).toMatchObject({ state: 'retry', claims_without_progress: 0 });
  });

  test('with its failures used up it is dead at the takeover', async () => {
    const rig = queues.another();
    const runs = failingQueue(rig);
    const id = await queues.add({ queue: 'score', key: 'k' });
    await crash(1);
    await queues.sql('update job set failures = 3');

    await pass(rig);

    expect(runs).toEqual([]);
    expect((await queues.row(id)).state).toBe('dead');
  });

  test('onDead and the death are rolled back when another claim has the job', async () => {
    const rig = queues.another();
    failingQueue(rig, {
      onDead: () => {
        takeOvers.push(queues.rig.claims.takeOver(queueOf('score'), 1));
      },
    });
    const takeOvers: Promise<unknown>[] = [];
    const id = await queues.add({ queue: 'score', key: 'k' });
    await crash(10);
    const takeOver = rig.claims.takeOver.bind(rig.claims);
    jest.spyOn(rig.claims, 'takeOver').mockImplementationOnce(async (queue, limit) => {
      const rows = await takeOver(queue, limit);
      await queues.sql('update job set claim_no = claim_no + 1');
      return rows;
    });

    await pass(rig);
    await Promise.all(takeOvers);

    expect((await queues.row(id)).state).toBe('running');
    expect(await queues.sql('select * from funeral')).toEqual([]);
  });
});

test('complete of a lost claim rolls its effect back', async () => {
  const id = await queues.add({ queue: 'score', key: 'k' });
  const {
    rows: [row],
  } = await queues.rig.claims.claimReady(queueOf('score'), 1);
  await queues.sql('update job set claim_no = claim_no + 1');
  const claim = { ...row, takenOver: false } as Claim;

  const late = inCommit(queues.units, async (tx) => {
    await tx.query(`insert into funeral values (1, 'an effect')`);
    await queues.rig.jobs.complete(tx, claim);
  });

  await expect(late).rejects.toMatchObject({ code: 'lease_lost' });
  expect(await queues.sql('select * from funeral')).toEqual([]);
  expect((await queues.row(id)).state).toBe('running');
});

test('a dead job is shown for a day', async () => {
  const rig = queues.another();
  failingQueue(rig);
  await queues.add({ queue: 'score', key: 'k' });
  await queues.sql('update job set failures = 2');
  await pass(rig);
  const dead = async () => {
    const [row] = await inCommit(queues.units, (tx) => rig.rows.queueSizes(tx, ['score']));
    return row?.dead;
  };

  expect(await dead()).toBe(1);
  queues.clock.advance(25 * 3_600_000);
  expect(await dead()).toBe(0);
});

test('the metrics count claims, lateness, failures, deaths and the age of the last pass', async () => {
  const rig = queues.another();
  rig.registry.register(jobHandler({ queue: 'flush', run: completing(rig, queues.units) }));
  failingQueue(rig);
  await queues.add({ queue: 'flush', key: 'k' });
  await queues.add({ queue: 'score', key: 'k' });
  await queues.sql(`update job set failures = 2 where queue = 'score'`);
  queues.clock.advance(40);

  await pass(rig);
  queues.clock.advance(3000);

  const { body } = await rig.metrics.exposition();
  expect(body).toContain('colloquy_job_claims_total{queue="flush",kind="ready"} 1');
  expect(body).toContain('colloquy_job_claim_lateness_seconds_bucket{le="0.025",queue="flush"} 0');
  expect(body).toContain('colloquy_job_claim_lateness_seconds_bucket{le="0.05",queue="flush"} 1');
  expect(body).toContain('colloquy_job_completions_total{queue="flush"} 1');
  expect(body).toContain('colloquy_job_failures_total{queue="score"} 1');
  expect(body).toContain('colloquy_job_deaths_total{queue="score"} 1');
  expect(body).toContain('colloquy_jobs_held{queue="flush"} 0');
  expect(body).toContain('colloquy_job_breaker{queue="flush"} 0');
  expect(body).toContain('colloquy_job_last_tick_age_seconds 3');
  expect(rig.worker.lastTickAgeMs()).toBe(3000);
});
