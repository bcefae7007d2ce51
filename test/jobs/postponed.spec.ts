import { PeerUnavailableError, JobPostponedError } from '../../src/jobs';
import { type JobRig, jobHandler } from '../support/jobs';
import { TestJobs } from './test-jobs';

const WAIT_MS = 20_000;
const HOUR_MS = 3_600_000;

let queues: TestJobs;

beforeAll(async () => {
  queues = await TestJobs.open();
});
afterAll(() => queues.close());
afterEach(() => queues.reset());

async function pass(rig: JobRig): Promise<void> {
  await rig.worker.tick();
  await rig.worker.waitUntilSettled(HOUR_MS);
}

/** A queue in which jobs whose key begins with `late` postpone themselves; the others complete. */
function queueOf(rig: JobRig, runs: string[]): void {
  rig.registry.register(
    jobHandler({
      queue: 'transcribe',
      concurrency: 100,
      run: async (claim) => {
        runs.push(claim.key);
        if (claim.key.startsWith('late')) throw new JobPostponedError('not yet', WAIT_MS);
        await queues.units.run('test', (uow) =>
          uow.commit('test', (tx) => rig.jobs.complete(tx, claim)),
        );
      },
    }),
  );
}

test('a postponed job is due after the given time, and no failure is counted', async () => {
  const rig = queues.another();
  const runs: string[] = [];
  queueOf(rig, runs);
  const id = await queues.add({ queue: 'transcribe', key: 'late' });

  for (let hour = 0; hour < 3; hour += 1) {
    await pass(rig);
    expect(await queues.row(id)).toMatchObject({
      state: 'retry',
      failures: 0,
      claims_without_progress: 0,
      last_error: 'job_postponed: not yet',
    });
    expect(await queues.dueInMs(id)).toBe(WAIT_MS);
    queues.clock.advance(WAIT_MS - 1);
    await pass(rig);
    expect(runs).toHaveLength(hour + 1);
    queues.clock.advance(1);
  }
});

test('a postponed job delays no other job of its queue and opens no breaker', async () => {
  const rig = queues.another();
  const runs: string[] = [];
  queueOf(rig, runs);
  await queues.add({ queue: 'transcribe', key: 'late 1' });
  await queues.add({ queue: 'transcribe', key: 'late 2' });
  await pass(rig);
  const id = await queues.add({ queue: 'transcribe', key: 'ready' });

  await pass(rig);

  expect((await queues.row(id)).state).toBe('done');
  expect(rig.breakers.isOpen('transcribe')).toBe(false);
});

test('a postponed probe does not close the breaker: the next job is the probe', async () => {
  const rig = queues.another();
  let isDown = true;
  const runs: string[] = [];
  rig.registry.register(
    jobHandler({
      queue: 'transcribe',
      concurrency: 100,
      run: async (claim, flow) => {
        runs.push(claim.key);
        if (isDown) throw new PeerUnavailableError('refused');
        if (claim.key === 'late') throw new JobPostponedError('not yet', WAIT_MS);
        flow.peerResponded();
        await queues.units.run('test', (uow) =>
          uow.commit('test', (tx) => rig.jobs.complete(tx, claim)),
        );
      },
    }),
  );
  await queues.add({ queue: 'transcribe', key: 'late' });
  await pass(rig);
  const id = await queues.add({ queue: 'transcribe', key: 'ready', dueInMs: 1500 });
  isDown = false;
  queues.clock.advance(2000);

  await pass(rig);
  await pass(rig);

  expect(runs).toEqual(['late', 'late', 'ready']);
  expect((await queues.row(id)).state).toBe('done');
  expect(rig.breakers.isOpen('transcribe')).toBe(false);
});
