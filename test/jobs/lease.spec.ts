import { Client } from 'pg';
import { renew } from '../../src/jobs/claim.repository';
import { type Claim, LeaseLostError, type JobFlow } from '../../src/jobs';
import { type JobRig, inCommit, jobHandler, jobRig, queueOf } from '../support/jobs';
import { type Gate, gate } from '../../tools/http-fake/gate';
import { TestJobs } from './test-jobs';
import { pausedFlow } from './paused-flow';

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

const LEASE_MS = 6000;
const HEARTBEAT_MS = 2000;

interface Updates {
  readonly all: number;
  readonly hot: number;
}

/** Updates of this transaction so far, which pg_stat shows to this connection only. */
const UPDATES = `
  select pg_stat_get_xact_tuples_updated('job'::regclass)::int as all,
    pg_stat_get_xact_tuples_hot_updated('job'::regclass)::int as hot`;

async function completeNow(rig: JobRig, claim: Claim): Promise<void> {
  await inCommit(queues.units, (tx) => rig.jobs.complete(tx, claim));
}

describe('a heartbeat renews the lease', () => {
  test('three times per lease, so that no worker takes over a running job', async () => {
    const id = await queues.add({ queue: 'flush', key: 'k' });
    const rig = queues.another();
    const { claim, flow, proceed } = await pausedFlow(rig);

    for (let heartbeats = 0; heartbeats < 10; heartbeats += 1) {
      queues.clock.advance(HEARTBEAT_MS);
      await rig.worker.tick();
      expect(await queues.dueInMs(id)).toBe(LEASE_MS);
      expect(await queues.rig.claims.takeOver(queueOf('flush'), 1)).toEqual([]);
    }
    expect(() => {
      flow.assertLease();
    }).not.toThrow();

    await proceed(() => completeNow(rig, claim));
    expect((await queues.row(id)).state).toBe('done');
  });

  test('without writing an index: every row is updated in its own page (HOT)', async () => {
    for (const key of ['a', 'b', 'c']) await queues.add({ queue: 'flush', key });
    const { rows: claims } = await queues.rig.claims.claimReady(queueOf('flush'), 10);
    queues.clock.advance(HEARTBEAT_MS);
    const { text, values } = renew({ claims, leaseMs: LEASE_MS, now: queues.clock.now() });

    const [before, after] = await inCommit(queues.units, async (tx) => {
      const first = await tx.query<Updates>(UPDATES);
      await tx.query(text, values);
      return [...first, ...(await tx.query<Updates>(UPDATES))];
    });

    const { all = 0, hot = 0 } = before ?? {};
    expect(after).toEqual({ all: all + 3, hot: hot + 3 });
  });

  test('of all held jobs in one statement', async () => {
    for (const key of ['a', 'b', 'c']) await queues.add({ queue: 'flush', key });
    const { rows: claimed } = await queues.rig.claims.claimReady(queueOf('flush'), 10);
    queues.clock.advance(HEARTBEAT_MS);

    const renewed = await queues.rig.claims.renew(claimed);

    expect(renewed.map((row) => row.isRenewed)).toEqual([true, true, true]);
  });

  test('but skips a locked row, which is not lost, and renews the others', async () => {
    const locked = await queues.add({ queue: 'flush', key: 'locked' });
    const free = await queues.add({ queue: 'flush', key: 'free' });
    const rig = queues.another();
    const flows: JobFlow[] = [];
    const go: Gate = gate();
    rig.registry.register(
      jobHandler({
        queue: 'flush',
        run: async (claim, flow) => {
          flows.push(flow);
          await go.opened;
          await completeNow(rig, claim);
        },
      }),
    );
    await rig.worker.tick();
    await other.query('begin');
    await other.query('select 1 from job where id = $1 for no key update', [locked]);
    queues.clock.advance(HEARTBEAT_MS);
    await rig.worker.tick();
    await other.query('commit');

    expect(await queues.dueInMs(free)).toBe(LEASE_MS);
    expect(await queues.dueInMs(locked)).toBe(LEASE_MS - HEARTBEAT_MS);
    expect(flows.map((flow) => flow.signal.aborted)).toEqual([false, false]);
    go.open();
    await rig.worker.waitUntilSettled(1000);
    expect((await queues.row(locked)).state).toBe('done');
  });

  test('on the next pass, when the row was locked at every heartbeat', async () => {
    const id = await queues.add({ queue: 'flush', key: 'k' });
    const rig = queues.another();
    const { claim, flow, proceed } = await pausedFlow(rig);
    for (let heartbeats = 0; heartbeats < 4; heartbeats += 1) {
      await other.query('begin');
      await other.query('select 1 from job where id = $1 for no key update', [id]);
      queues.clock.advance(HEARTBEAT_MS);
      await rig.worker.tick();
      await other.query('commit');
      queues.clock.advance(50);
      await rig.worker.tick();
    }

    expect(await queues.dueInMs(id)).toBe(LEASE_MS);
    expect(flow.signal.aborted).toBe(false);
    expect(() => {
      flow.assertLease();
    }).not.toThrow();
    await proceed(() => completeNow(rig, claim));
    expect((await queues.row(id)).state).toBe('done');
  });

  test('also after it has ended, if no worker took the job over', async () => {
    const id = await queues.add({ queue: 'flush', key: 'k' });
    const rig = queues.another();
    const { claim, flow, proceed } = await pausedFlow(rig);

    queues.clock.advance(LEASE_MS + 1000);
    expect(() => {
      flow.assertLease();
    }).toThrow(LeaseLostError);
    await rig.worker.tick();

    expect(await queues.row(id)).toMatchObject({ claim_no: claim.claimNo, state: 'running' });
    expect(() => {
      flow.assertLease();
    }).not.toThrow();
    await proceed(() => completeNow(rig, claim));
    expect((await queues.row(id)).state).toBe('done');
  });

  test('but not of a job whose last commit has begun', async () => {
    await queues.add({ queue: 'flush', key: 'k' });
    const rig = queues.another();
    const { claim, flow, proceed } = await pausedFlow(rig);
    const renewed: string[] = [];
    const renew = rig.claims.renew.bind(rig.claims);
    jest.spyOn(rig.claims, 'renew').mockImplementation((claims) => {
      renewed.push(...claims.map((ref) => ref.jobId));
      return renew(claims);
    });

    await proceed(() =>
      inCommit(queues.units, async (tx) => {
        queues.clock.advance(HEARTBEAT_MS);
        await rig.jobs.complete(tx, claim);
        await rig.worker.tick();
      }),
    );

    expect(renewed).toEqual([]);
    expect(flow.signal.aborted).toBe(false);
  });

  test('again while the last commit is retried', async () => {
    const id = await queues.add({ queue: 'flush', key: 'k' });
    const rig = queues.another();
    const { claim, proceed } = await pausedFlow(rig);

    await proceed(async () => {
      for (let tries = 0; tries < 10; tries += 1) {
        const failing = inCommit(queues.units, async (tx) => {
          await rig.jobs.complete(tx, claim);
          throw new Error('the commit fails');
        });
        await expect(failing).rejects.toThrow('the commit fails');
        queues.clock.advance(HEARTBEAT_MS / 2);
        await rig.worker.tick();
      }
      expect(await queues.dueInMs(id)).toBeGreaterThanOrEqual(LEASE_MS - HEARTBEAT_MS / 2);
      await completeNow(rig, claim);
    });

    expect((await queues.row(id)).state).toBe('done');
  });
});

describe('the local deadline counts from when the last successful renewal was sent', () => {
  /** Makes the next result of `method` arrive late. */
  function delayResult(method: 'claimReady' | 'renew', ms: number): void {
    const { control, clock } = queues;
    const query = control.query.bind(control);
    const word = method === 'renew' ? 'renewed' : 'claimable';
    jest.spyOn(control, 'query').mockImplementation(async (text, values) => {
      const rows = await query(text, values);
      if (text.includes(word)) clock.advance(ms);
      return rows;
    });
  }

  afterEach(() => {
    jest.restoreAllMocks();
  });

  function holdsAfter(flow: JobFlow, ms: number): boolean {
    queues.clock.advance(ms);
    try {
      flow.assertLease();
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(LeaseLostError);
      return false;
    }
  }

  test('a claim whose result arrives late leaves less time', async () => {
    await queues.add({ queue: 'flush', key: 'k' });
    const rig = jobRig(queues);
    delayResult('claimReady', 1500);
    const { claim, flow, proceed } = await pausedFlow(rig);

    expect(holdsAfter(flow, LEASE_MS - 1500 - 1)).toBe(true);
    expect(holdsAfter(flow, 1)).toBe(false);
    await proceed(() => completeNow(rig, claim));
  });

  test('a renewal whose result arrives late leaves less time', async () => {
    await queues.add({ queue: 'flush', key: 'k' });
    const rig = jobRig(queues);
    const { claim, flow, proceed } = await pausedFlow(rig);
    queues.clock.advance(3000);
    delayResult('renew', 1000);
    await rig.worker.tick();

    expect(holdsAfter(flow, LEASE_MS - 1000 - 1)).toBe(true);
    expect(holdsAfter(flow, 1)).toBe(false);
    await proceed(() => completeNow(rig, claim));
  });

  test('a failed renewal does not move it', async () => {
    await queues.add({ queue: 'flush', key: 'k' });
    const rig = jobRig(queues);
    const { claim, flow, proceed } = await pausedFlow(rig);
    queues.clock.advance(HEARTBEAT_MS);
    jest.spyOn(queues.control, 'query').mockRejectedValueOnce(new Error('cut'));
    await expect(rig.worker.tick()).rejects.toThrow('cut');

    expect(holdsAfter(flow, LEASE_MS - HEARTBEAT_MS)).toBe(false);
    await proceed(() => completeNow(rig, claim));
  });
});
