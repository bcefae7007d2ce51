import { ControlConnection } from '../../src/persistence';
import type { ClaimConnection } from '../../src/jobs/takeover-guard';
import { type JobRig, jobHandler, jobRig, queueOf } from '../support/jobs';
import { TestJobs } from './test-jobs';
import { pausedFlow } from './paused-flow';

const LEASE_MS = 6000;
const SLOW_MS = 1500;
const BUSY = ['intake', 'transcribe', 'deliver', 'score', 'remind'] as const;

let queues: TestJobs;
let connection: SlowConnection;

/** A control connection whose statements take as long as the test says. */
class SlowConnection implements ClaimConnection {
  tookMs = 0;
  /** Called after each statement. */
  onResult: () => Promise<void> = () => Promise.resolve();
  private readonly inner = new ControlConnection(queues.url, queues.clock);

  async query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    const rows = await this.inner.query<Row>(text, values);
    queues.clock.advance(this.tookMs);
    await this.onResult();
    return rows;
  }

  connectedSinceMs(): number | null {
    return this.inner.connectedSinceMs();
  }

  close(): Promise<void> {
    return this.inner.close();
  }
}

beforeAll(async () => {
  queues = await TestJobs.open();
});
beforeEach(() => {
  connection = new SlowConnection();
});
afterEach(async () => {
  await connection.close();
  await queues.reset();
});
afterAll(() => queues.close());

function slowRig(): JobRig {
  return jobRig(queues, { control: connection });
}

/** A job of another process whose lease ends now. */
async function addExpired(key: string): Promise<string> {
  const id = await queues.add({ queue: 'flush', key });
  await queues.sql(
    `update job set state = 'running', claim_no = 1, worker = 'another' where id = $1`,
    [id],
  );
  return id;
}

test('with statements of 1.5 s each, no lease is lost while many queues are claimed', async () => {
  const rig = slowRig();
  const id = await queues.add({ queue: 'flush', key: 'held' });
  const { claim, flow, proceed } = await pausedFlow(rig);
  for (const queue of BUSY) {
    rig.registry.register(
      jobHandler({
        queue,
        run: (other) =>
          queues.units.run('test', (uow) =>
            uow.commit('test', (tx) => rig.jobs.complete(tx, other)),
          ),
      }),
    );
  }
  const lefts: number[] = [];
  connection.tookMs = SLOW_MS;
  connection.onResult = async () => {
    expect(flow.holdsLease).toBe(true);
    lefts.push(await queues.dueInMs(id));
  };

  for (let pass = 0; pass < 3; pass += 1) {
    for (const queue of BUSY) await queues.add({ queue, key: `of pass ${pass}` });
    await rig.worker.tick();
  }

  expect(lefts.length).toBeGreaterThan(3 * BUSY.length);
  expect(Math.min(...lefts)).toBeGreaterThan(0);
  connection.tookMs = 0;
  connection.onResult = () => Promise.resolve();
  await proceed(() =>
    queues.units.run('test', (uow) => uow.commit('test', (tx) => rig.jobs.complete(tx, claim))),
  );
});

describe('no job is taken over for one lease', () => {
  test('after a statement was late by more than half a lease', async () => {
    const rig = slowRig();
    rig.registry.register(jobHandler({ queue: 'flush', run: () => Promise.resolve() }));
    await rig.worker.tick();
    connection.tookMs = LEASE_MS / 2 + 1;
    await rig.worker.tick();
    connection.tookMs = 0;
    const id = await addExpired('another’s');

    queues.clock.advance(LEASE_MS - 1);
    expect(await rig.claims.takeOver(queueOf('flush'), 1)).toEqual([]);
    queues.clock.advance(1);
    expect(await rig.claims.takeOver(queueOf('flush'), 1)).toMatchObject([{ jobId: id }]);
  });

  test('after a renewal was late by more than half a lease', async () => {
    const rig = slowRig();
    await queues.add({ queue: 'flush', key: 'held' });
    const { proceed } = await pausedFlow(rig);
    queues.clock.advance(LEASE_MS / 2 + 1);
    await rig.worker.tick();
    await addExpired('another’s');

    expect(await rig.claims.takeOver(queueOf('flush'), 1)).toEqual([]);
    queues.clock.advance(LEASE_MS);
    expect(await rig.claims.takeOver(queueOf('flush'), 5)).not.toEqual([]);
    await proceed(() => Promise.resolve());
  });

  test('except when every statement was in time', async () => {
    const rig = slowRig();
    await connection.query('select 1');
    queues.clock.advance(LEASE_MS);
    await queues.add({ queue: 'flush', key: 'held' });
    const { proceed } = await pausedFlow(rig);
    connection.tookMs = SLOW_MS;
    await rig.worker.tick();
    connection.tookMs = 0;
    const id = await addExpired('another’s');

    expect(await rig.claims.takeOver(queueOf('flush'), 1)).toMatchObject([{ jobId: id }]);
    await proceed(() => Promise.resolve());
  });
});
