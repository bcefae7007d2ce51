import { LeaseLostError, PeerUnavailableError } from '../../src/jobs';
import { inCommit, queueOf } from '../support/jobs';
import { TestJobs } from './test-jobs';
import { pausedFlow } from './paused-flow';

let queues: TestJobs;

beforeAll(async () => {
  queues = await TestJobs.open();
});
afterAll(() => queues.close());
afterEach(() => queues.reset());

const LEASE_MS = 6000;

describe('a frozen worker that continues after its job was taken over', () => {
  test('writes nothing: fence and complete throw, and its signal aborts', async () => {
    const id = await queues.add({ queue: 'flush', key: 'k' });
    const rig = queues.another();
    const { claim, flow, proceed } = await pausedFlow(rig);
    queues.clock.advance(LEASE_MS);
    expect(await queues.rig.claims.takeOver(queueOf('flush'), 1)).toHaveLength(1);
    await queues.sql('create table if not exists effect (note text)');

    const errors: unknown[] = [];
    await proceed(async () => {
      await inCommit(queues.units, async (tx) => {
        await rig.jobs.fence(tx, claim);
        await tx.query(`insert into effect values ('behind the fence')`);
      }).catch((error: unknown) => errors.push(error));
      await inCommit(queues.units, async (tx) => {
        await tx.query(`insert into effect values ('before complete')`);
        await rig.jobs.complete(tx, claim);
      }).catch((error: unknown) => errors.push(error));
    });

    expect(errors).toEqual([expect.any(LeaseLostError), expect.any(LeaseLostError)]);
    expect(flow.signal.reason).toBeInstanceOf(LeaseLostError);
    expect(await queues.sql('select * from effect')).toEqual([]);
    expect(await queues.row(id)).toMatchObject({ state: 'running', claim_no: 2, failures: 0 });
    await queues.sql('drop table effect');
  });

  test('learns it from its first heartbeat, and its failure is not counted', async () => {
    const id = await queues.add({ queue: 'flush', key: 'k' });
    const rig = queues.another();
    const { flow, proceed } = await pausedFlow(rig);
    queues.clock.advance(LEASE_MS);
    await queues.rig.claims.takeOver(queueOf('flush'), 1);

    await rig.worker.tick();
    expect(flow.signal.aborted).toBe(true);
    expect(() => {
      flow.assertLease();
    }).toThrow(LeaseLostError);
    await proceed(() => Promise.reject(new PeerUnavailableError('aborted')));

    expect(rig.breakers.isOpen('flush')).toBe(false);
    expect(await queues.row(id)).toMatchObject({ state: 'running', claim_no: 2, failures: 0 });
  });

  test('learns from a heartbeat that its row ended under the same claim number', async () => {
    const id = await queues.add({ queue: 'flush', key: 'k' });
    const rig = queues.another();
    const { flow, proceed } = await pausedFlow(rig);
    await queues.sql(`update job set state = 'retry' where id = $1`, [id]);
    queues.clock.advance(LEASE_MS / 3);

    await rig.worker.tick();

    expect(flow.signal.reason).toBeInstanceOf(LeaseLostError);
    await proceed(() => Promise.reject(new Error('aborted')));
    expect(await queues.row(id)).toMatchObject({ state: 'retry', failures: 0 });
  });

  test('keeps the row by a fence: a takeover skips it until the commit', async () => {
    await queues.add({ queue: 'flush', key: 'k' });
    const rig = queues.another();
    const { claim, proceed } = await pausedFlow(rig);
    queues.clock.advance(LEASE_MS);

    const takenMeanwhile: number[] = [];
    await proceed(() =>
      inCommit(queues.units, async (tx) => {
        await rig.jobs.fence(tx, claim);
        takenMeanwhile.push((await queues.rig.claims.takeOver(queueOf('flush'), 1)).length);
        await rig.jobs.complete(tx, claim);
      }),
    );

    expect(takenMeanwhile).toEqual([0]);
    expect(await queues.rig.claims.takeOver(queueOf('flush'), 1)).toEqual([]);
  });
});
