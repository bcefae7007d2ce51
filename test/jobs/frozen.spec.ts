import { LeaseLostError, PeerUnavailableError } from '../../src/jobs';
import { inCommit, queueOf } from '../support/jobs';
import { JobFixture } from './fixture';
import { pausedFlow } from './paused-flow';

let fixture: JobFixture;

beforeAll(async () => {
  fixture = await JobFixture.open();
});
afterAll(() => fixture.close());
afterEach(() => fixture.reset());

const LEASE_MS = 6000;

describe('a frozen worker that continues after its job was taken over', () => {
  test('writes nothing: fence and complete throw, and its signal aborts', async () => {
    const id = await fixture.add({ queue: 'flush', key: 'k' });
    const rig = fixture.another();
    const { claim, flow, proceed } = await pausedFlow(rig);
    fixture.db.clock.advance(LEASE_MS);
    expect(await fixture.rig.claims.takeOver(queueOf('flush'), 1)).toHaveLength(1);
    await fixture.sql('create table if not exists effect (note text)');

    const errors: unknown[] = [];
    await proceed(async () => {
      await inCommit(fixture.db.units, async (tx) => {
        await rig.jobs.fence(tx, claim);
        await tx.query(`insert into effect values ('behind the fence')`);
      }).catch((error: unknown) => errors.push(error));
      await inCommit(fixture.db.units, async (tx) => {
        await tx.query(`insert into effect values ('before complete')`);
        await rig.jobs.complete(tx, claim);
      }).catch((error: unknown) => errors.push(error));
    });

    expect(errors).toEqual([expect.any(LeaseLostError), expect.any(LeaseLostError)]);
    expect(flow.signal.reason).toBeInstanceOf(LeaseLostError);
    expect(await fixture.sql('select * from effect')).toEqual([]);
    expect(await fixture.row(id)).toMatchObject({ state: 'running', claim_no: 2, failures: 0 });
    await fixture.sql('drop table effect');
  });

  test('learns it from its first heartbeat, and its failure is not counted', async () => {
    const id = await fixture.add({ queue: 'flush', key: 'k' });
    const rig = fixture.another();
    const { flow, proceed } = await pausedFlow(rig);
    fixture.db.clock.advance(LEASE_MS);
    await fixture.rig.claims.takeOver(queueOf('flush'), 1);

    await rig.worker.tick();
    expect(flow.signal.aborted).toBe(true);
    expect(() => {
      flow.assertLease();
    }).toThrow(LeaseLostError);
    await proceed(() => Promise.reject(new PeerUnavailableError('aborted')));

    expect(rig.breakers.isOpen('flush')).toBe(false);
    expect(await fixture.row(id)).toMatchObject({ state: 'running', claim_no: 2, failures: 0 });
  });

  test('learns from a heartbeat that its row ended under the same claim number', async () => {
    const id = await fixture.add({ queue: 'flush', key: 'k' });
    const rig = fixture.another();
    const { flow, proceed } = await pausedFlow(rig);
    await fixture.sql(`update job set state = 'retry' where id = $1`, [id]);
    fixture.db.clock.advance(LEASE_MS / 3);

    await rig.worker.tick();

    expect(flow.signal.reason).toBeInstanceOf(LeaseLostError);
    await proceed(() => Promise.reject(new Error('aborted')));
    expect(await fixture.row(id)).toMatchObject({ state: 'retry', failures: 0 });
  });

  test('keeps the row by a fence: a takeover skips it until the commit', async () => {
    await fixture.add({ queue: 'flush', key: 'k' });
    const rig = fixture.another();
    const { claim, proceed } = await pausedFlow(rig);
    fixture.db.clock.advance(LEASE_MS);

    const takenMeanwhile: number[] = [];
    await proceed(() =>
      inCommit(fixture.db.units, async (tx) => {
        await rig.jobs.fence(tx, claim);
        takenMeanwhile.push((await fixture.rig.claims.takeOver(queueOf('flush'), 1)).length);
        await rig.jobs.complete(tx, claim);
      }),
    );

    expect(takenMeanwhile).toEqual([0]);
    expect(await fixture.rig.claims.takeOver(queueOf('flush'), 1)).toEqual([]);
  });
});
