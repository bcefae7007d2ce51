import { ControlConnection } from '../../src/persistence';
import { DatabaseUnavailableError } from '../../src/common/uow';
import type { Claim } from '../../src/jobs';
import type { ClaimConnection } from '../../src/jobs/takeover-guard';
import { type JobRig, jobHandler, jobRig } from '../support/jobs';
import { TestJobs } from './test-jobs';

let queues: TestJobs;
let connection: FlakyConnection;

/** A control connection that the test can cut. */
class FlakyConnection implements ClaimConnection {
  readonly sent: string[] = [];
  private inner: ControlConnection;
  private isDown = false;

  constructor() {
    this.inner = this.fresh();
  }

  async query<Row>(text: string, values?: readonly unknown[]): Promise<Row[]> {
    if (this.isDown) throw new DatabaseUnavailableError('cut');
    this.sent.push(text);
    return this.inner.query<Row>(text, values);
  }

  connectedSinceMs(): number | null {
    return this.isDown ? null : this.inner.connectedSinceMs();
  }

  async cut(): Promise<void> {
    this.isDown = true;
    await this.inner.close();
  }

  restore(): void {
    this.isDown = false;
    this.inner = this.fresh();
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  private fresh(): ControlConnection {
    return new ControlConnection(queues.url, queues.clock);
  }
}

beforeAll(async () => {
  queues = await TestJobs.open();
});
beforeEach(() => {
  connection = new FlakyConnection();
});
afterEach(async () => {
  await connection.close();
  await queues.reset();
});
afterAll(() => queues.close());

const LEASE_MS = 6000;

function pausedQueue(rig: JobRig): Claim[] {
  const runs: Claim[] = [];
  rig.registry.register(
    jobHandler({
      queue: 'flush',
      run: (claim, flow) => {
        runs.push(claim);
        return new Promise((_resolve, reject) => {
          flow.signal.addEventListener('abort', () => {
            reject(new Error('aborted'));
          });
        });
      },
    }),
  );
  return runs;
}

/** Another process's job whose lease ends now, as after an outage. */
async function addExpired(key: string): Promise<string> {
  const id = await queues.add({ queue: 'flush', key });
  await queues.sql(
    `update job set state = 'running', claim_no = 1, worker = 'another' where id = $1`,
    [id],
  );
  return id;
}

/** The connection has just begun: an expired row is taken over one lease later, and not before. */
async function expectTakeOverAfterOneLease(rig: JobRig, runs: readonly Claim[]): Promise<void> {
  await rig.worker.tick();
  queues.clock.advance(LEASE_MS - 1);
  await rig.worker.tick();
  expect(runs).toEqual([]);
  queues.clock.advance(1);
  await rig.worker.tick();
  expect(runs).toHaveLength(1);
  await rig.worker.handBack();
}

describe('after a lost connection to the database', () => {
  test('a worker renews its leases first, and its own flows continue', async () => {
    const rig = jobRig(queues, { control: connection });
    const runs = pausedQueue(rig);
    const id = await queues.add({ queue: 'flush', key: 'k' });
    await rig.worker.tick();
    await connection.cut();
    queues.clock.advance(LEASE_MS + 2000);
    await expect(rig.worker.tick()).rejects.toThrow(DatabaseUnavailableError);
    connection.restore();
    connection.sent.length = 0;

    await rig.worker.tick();

    expect(connection.sent[0]).toContain('renewed');
    expect(runs).toHaveLength(1);
    expect(await queues.row(id)).toMatchObject({ claim_no: 1, state: 'running' });
    expect(await queues.dueInMs(id)).toBe(LEASE_MS);
    await rig.worker.handBack();
  });

  test('it renews its leases first although that was not due', async () => {
    const rig = jobRig(queues, { control: connection });
    pausedQueue(rig);
    await queues.add({ queue: 'flush', key: 'k' });
    await rig.worker.tick();
    await connection.cut();
    queues.clock.advance(100);
    await expect(rig.worker.tick()).rejects.toThrow(DatabaseUnavailableError);
    connection.restore();
    connection.sent.length = 0;

    await rig.worker.tick();

    expect(connection.sent[0]).toContain('renewed');
    await rig.worker.handBack();
  });

  test('it takes over expired rows only after one lease with an uninterrupted connection', async () => {
    const rig = jobRig(queues, { control: connection });
    const runs = pausedQueue(rig);
    await rig.worker.tick();
    await connection.cut();
    await expect(rig.worker.tick()).rejects.toThrow(DatabaseUnavailableError);
    connection.restore();
    await addExpired('k');
    queues.clock.advance(500);

    await expectTakeOverAfterOneLease(rig, runs);
  });

  test('a reconnection between two passes counts as a lost connection', async () => {
    const rig = jobRig(queues, { control: connection });
    const runs = pausedQueue(rig);
    await rig.worker.tick();
    await connection.cut();
    queues.clock.advance(1);
    connection.restore();
    await connection.query('select 1');
    await addExpired('k');

    await rig.worker.tick();
    expect(runs).toEqual([]);
    queues.clock.advance(LEASE_MS);
    await rig.worker.tick();
    expect(runs).toHaveLength(1);
    await rig.worker.handBack();
  });

  test('it claims due rows and rows that were handed back at once', async () => {
    const rig = jobRig(queues, { control: connection });
    const runs = pausedQueue(rig);
    await rig.worker.tick();
    await connection.cut();
    await expect(rig.worker.tick()).rejects.toThrow(DatabaseUnavailableError);
    connection.restore();
    const handedBack = await addExpired('handed back');
    await queues.sql('update job set worker = null where id = $1', [handedBack]);
    const due = await queues.add({ queue: 'flush', key: 'due' });

    await rig.worker.tick();

    expect(runs.map((claim) => claim.jobId)).toEqual([handedBack, due]);
    await rig.worker.handBack();
  });
});

test('a process that has just started takes over only after one lease with its connection', async () => {
  const rig = jobRig(queues, { control: connection });
  const runs = pausedQueue(rig);
  await addExpired('k');

  await expectTakeOverAfterOneLease(rig, runs);
});

test('a flow that still runs after an outage is not taken over by a process that starts then', async () => {
  const rig = jobRig(queues, { control: connection });
  const runs = pausedQueue(rig);
  await queues.add({ queue: 'flush', key: 'k' });
  await rig.worker.tick();
  await connection.cut();
  queues.clock.advance(LEASE_MS + 2000);
  await expect(rig.worker.tick()).rejects.toThrow(DatabaseUnavailableError);
  const fresh = jobRig(queues, { control: queues.anotherControl() });
  const freshRuns = pausedQueue(fresh);

  await fresh.worker.tick();
  connection.restore();
  await rig.worker.tick();
  queues.clock.advance(LEASE_MS);
  await rig.worker.tick();
  await fresh.worker.tick();

  expect([runs.length, freshRuns.length]).toEqual([1, 0]);
  await rig.worker.handBack();
});

test('the age of the last pass grows while there is no connection', async () => {
  const rig = jobRig(queues, { control: connection });
  pausedQueue(rig);
  await rig.worker.tick();
  await connection.cut();
  queues.clock.advance(7000);
  await expect(rig.worker.tick()).rejects.toThrow(DatabaseUnavailableError);

  expect(rig.worker.lastTickAgeMs()).toBe(7000);
});
