import { type Claim, HandBackRequestedError, type JobFlow } from '../../src/jobs';
import { type JobRig, inCommit, jobHandler, queueOf } from '../support/jobs';
import { type Gate, gate } from '../../tools/http-fake/gate';
import { TestJobs } from './test-jobs';

let queues: TestJobs;

beforeAll(async () => {
  queues = await TestJobs.open();
});
afterAll(() => queues.close());
afterEach(() => queues.reset());

const LEASE_MS = 6000;
const HEARTBEAT_MS = 2000;

/** Its flows end when their signal aborts, after `reactsAfter`. */
function abortableQueue(rig: JobRig, reactsAfter: Promise<void> = Promise.resolve()): Claim[] {
  const runs: Claim[] = [];
  rig.registry.register(
    jobHandler({
      queue: 'flush',
      maxFailures: 1,
      run: async (claim, flow) => {
        runs.push(claim);
        await aborted(flow);
        await reactsAfter;
        throw new Error('the flow was aborted');
      },
    }),
  );
  return runs;
}

function aborted({ signal }: JobFlow): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}

describe('hand-back', () => {
  test('aborts the flow, waits for its end, and makes the row due at once for another worker', async () => {
    const rig = queues.another();
    const id = await queues.add({ queue: 'flush', key: 'k' });
    const runs = abortableQueue(rig);
    await rig.worker.tick();
    await rig.worker.stopClaims();

    expect(await rig.worker.handBack()).toBe(1);

    expect(await queues.row(id)).toMatchObject({
      state: 'running',
      claim_no: 2,
      failures: 0,
      claims_without_progress: 0,
      worker: null,
    });
    expect(await queues.dueInMs(id)).toBe(0);
    const successor = queues.another();
    const next = abortableQueue(successor);
    await successor.worker.tick();
    expect(runs).toHaveLength(1);
    expect(next).toMatchObject([{ claimNo: 3, takenOver: true }]);
    await successor.worker.handBack();
    await rig.worker.stop();
  });

  test('leaves out a flow that does not end in time: its lease runs out', async () => {
    const rig = queues.another();
    const reacts: Gate = gate();
    const id = await queues.add({ queue: 'flush', key: 'k' });
    abortableQueue(rig, reacts.opened);
    await rig.worker.tick();

    const handingBack = rig.worker.handBack(3000);
    queues.clock.advance(3000);
    expect(await handingBack).toBe(0);

    expect(await queues.row(id)).toMatchObject({ state: 'running', claim_no: 1 });
    expect(await queues.dueInMs(id)).toBe(LEASE_MS - 3000);
    reacts.open();
    await rig.worker.waitUntilSettled(LEASE_MS);
  });

  test('changes nothing in a row that was taken over meanwhile', async () => {
    const rig = queues.another();
    const id = await queues.add({ queue: 'flush', key: 'k' });
    abortableQueue(rig);
    await rig.worker.tick();
    queues.clock.advance(LEASE_MS);
    await queues.rig.claims.takeOver(queueOf('flush'), 1);

    expect(await rig.worker.handBack()).toBe(0);
    expect(await queues.row(id)).toMatchObject({ claim_no: 2, worker: queues.rig.replica.value });
  });

  test('gives its reason in the signal, and a flow may still complete its job', async () => {
    const rig = queues.another();
    const id = await queues.add({ queue: 'flush', key: 'k' });
    const reasons: unknown[] = [];
    rig.registry.register(
      jobHandler({
        queue: 'flush',
        run: async (claim, flow) => {
          await aborted(flow);
          reasons.push(flow.signal.reason);
          await inCommit(queues.units, (tx) => rig.jobs.complete(tx, claim));
        },
      }),
    );
    await rig.worker.tick();

    expect(await rig.worker.handBack()).toBe(0);

    expect(reasons).toEqual([expect.any(HandBackRequestedError)]);
    expect((await queues.row(id)).state).toBe('done');
  });
});

describe('the drain', () => {
  test('a stopped queue is not claimed, and the others are', async () => {
    const rig = queues.another();
    const flushes = abortableQueue(rig);
    const deliveries: Claim[] = [];
    rig.registry.register(
      jobHandler({
        queue: 'deliver',
        run: async (claim) => {
          deliveries.push(claim);
          await inCommit(queues.units, (tx) => rig.jobs.complete(tx, claim));
        },
      }),
    );
    await rig.worker.stopClaims(({ queue }) => queue !== 'deliver');
    await queues.add({ queue: 'flush', key: 'k' });
    await queues.add({ queue: 'deliver', key: 'k' });

    await rig.worker.tick();
    await rig.worker.waitUntilSettled(1000);
    expect(flushes).toEqual([]);
    expect(deliveries).toHaveLength(1);

    await rig.worker.stopClaims();
    await queues.add({ queue: 'deliver', key: 'l' });
    await rig.worker.tick();
    expect(deliveries).toHaveLength(1);
  });

  test('stopClaims resolves after the claim that is running', async () => {
    const rig = queues.another();
    const runs = abortableQueue(rig);
    await queues.add({ queue: 'flush', key: 'k' });
    const claimReady = rig.claims.claimReady.bind(rig.claims);
    const stopping: Promise<number>[] = [];
    jest.spyOn(rig.claims, 'claimReady').mockImplementation((queue, limit) => {
      stopping.push(rig.worker.stopClaims().then(() => runs.length));
      return claimReady(queue, limit);
    });

    expect(await rig.worker.tick()).toBe(1);

    expect(await Promise.all(stopping)).toEqual([1]);
    await rig.worker.handBack();
  });

  test('heartbeats continue after claims have stopped', async () => {
    const rig = queues.another();
    const id = await queues.add({ queue: 'flush', key: 'k' });
    abortableQueue(rig);
    await rig.worker.tick();
    await rig.worker.stopClaims();

    queues.clock.advance(HEARTBEAT_MS);
    await rig.worker.tick();

    expect(await queues.dueInMs(id)).toBe(LEASE_MS);
    await rig.worker.handBack();
  });

  test('waitUntilSettled ends at its deadline and returns whether no flow runs', async () => {
    const rig = queues.another();
    await queues.add({ queue: 'flush', key: 'k' });
    abortableQueue(rig);
    expect(await rig.worker.waitUntilSettled(1000)).toBe(true);
    await rig.worker.tick();

    const waiting = rig.worker.waitUntilSettled(1000);
    queues.clock.advance(1000);

    expect(await waiting).toBe(false);
    await rig.worker.handBack();
  });
});
