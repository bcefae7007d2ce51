import { Client } from 'pg';
import { beat } from '../../src/jobs/claim.repository';
import { type Claim, LeaseLostError, type JobFlow } from '../../src/jobs';
import { type JobRig, inCommit, jobHandler, jobRig, queueOf } from '../support/jobs';
import { type Gate, gate } from '../../tools/http-fake/gate';
import { JobFixture } from './fixture';
import { standingFlow } from './standing-flow';

let fixture: JobFixture;
let other: Client;

beforeAll(async () => {
  fixture = await JobFixture.open();
  other = new Client({ connectionString: fixture.db.url });
  await other.connect();
});
afterAll(async () => {
  await other.end();
  await fixture.close();
});
afterEach(() => fixture.reset());

const LEASE_MS = 6000;
const BEAT_MS = 2000;

interface Updates {
  readonly all: number;
  readonly hot: number;
}

/** Of this connection, as far as it has not told them to the others yet. */
const UPDATES = `
  select pg_stat_get_xact_tuples_updated('job'::regclass)::int as all,
    pg_stat_get_xact_tuples_hot_updated('job'::regclass)::int as hot`;

async function completeNow(rig: JobRig, claim: Claim): Promise<void> {
  await inCommit(fixture.db.units, (tx) => rig.jobs.complete(tx, claim));
}

describe('a beat renews the lease', () => {
  test('three times per lease, so that nobody takes over a job at work', async () => {
    const id = await fixture.add({ queue: 'flush', key: 'k' });
    const rig = fixture.another();
    const { claim, flow, proceed } = await standingFlow(rig);

    for (let beats = 0; beats < 10; beats += 1) {
      fixture.db.clock.advance(BEAT_MS);
      await rig.worker.tick();
      expect(await fixture.dueInMs(id)).toBe(LEASE_MS);
      expect(await fixture.rig.claims.takeOver(queueOf('flush'), 1)).toEqual([]);
    }
    expect(() => {
      flow.assertLease();
    }).not.toThrow();

    await proceed(() => completeNow(rig, claim));
    expect((await fixture.row(id)).state).toBe('done');
  });

  test('writes no index: every row is updated in its own page (HOT)', async () => {
    for (const key of ['a', 'b', 'c']) await fixture.add({ queue: 'flush', key });
    const claims = await fixture.rig.claims.claimReady(queueOf('flush'), 10);
    fixture.db.clock.advance(BEAT_MS);
    const { text, values } = beat({ claims, leaseMs: LEASE_MS, now: fixture.db.clock.now() });

    const [before, after] = await inCommit(fixture.db.units, async (tx) => {
      const first = await tx.query<Updates>(UPDATES);
      await tx.query(text, values);
      return [...first, ...(await tx.query<Updates>(UPDATES))];
    });

    const { all = 0, hot = 0 } = before ?? {};
    expect(after).toEqual({ all: all + 3, hot: hot + 3 });
  });

  test('one statement beats all held jobs', async () => {
    for (const key of ['a', 'b', 'c']) await fixture.add({ queue: 'flush', key });
    const claimed = await fixture.rig.claims.claimReady(queueOf('flush'), 10);
    fixture.db.clock.advance(BEAT_MS);

    const beaten = await fixture.rig.claims.beat(claimed);

    expect(beaten.map((row) => row.isBeaten)).toEqual([true, true, true]);
  });

  test('a row that somebody locks is skipped and not lost, the others are beaten', async () => {
    const locked = await fixture.add({ queue: 'flush', key: 'locked' });
    const free = await fixture.add({ queue: 'flush', key: 'free' });
    const rig = fixture.another();
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
    fixture.db.clock.advance(BEAT_MS);
    await rig.worker.tick();
    await other.query('commit');

    expect(await fixture.dueInMs(free)).toBe(LEASE_MS);
    expect(await fixture.dueInMs(locked)).toBe(LEASE_MS - BEAT_MS);
    expect(flows.map((flow) => flow.signal.aborted)).toEqual([false, false]);
    go.open();
    await rig.worker.waitUntilSettled(1000);
    expect((await fixture.row(locked)).state).toBe('done');
  });

  test('a row that its own commits lock at every beat is beaten between them', async () => {
    const id = await fixture.add({ queue: 'flush', key: 'k' });
    const rig = fixture.another();
    const { claim, flow, proceed } = await standingFlow(rig);
    for (let beats = 0; beats < 4; beats += 1) {
      await other.query('begin');
      await other.query('select 1 from job where id = $1 for no key update', [id]);
      fixture.db.clock.advance(BEAT_MS);
      await rig.worker.tick();
      await other.query('commit');
      fixture.db.clock.advance(50);
      await rig.worker.tick();
    }

    expect(await fixture.dueInMs(id)).toBe(LEASE_MS);
    expect(flow.signal.aborted).toBe(false);
    expect(() => {
      flow.assertLease();
    }).not.toThrow();
    await proceed(() => completeNow(rig, claim));
    expect((await fixture.row(id)).state).toBe('done');
  });

  test('a late beat revives a lease that ended and that nobody took', async () => {
    const id = await fixture.add({ queue: 'flush', key: 'k' });
    const rig = fixture.another();
    const { claim, flow, proceed } = await standingFlow(rig);

    fixture.db.clock.advance(LEASE_MS + 1000);
    expect(() => {
      flow.assertLease();
    }).toThrow(LeaseLostError);
    await rig.worker.tick();

    expect(await fixture.row(id)).toMatchObject({ claim_no: claim.claimNo, state: 'running' });
    expect(() => {
      flow.assertLease();
    }).not.toThrow();
    await proceed(() => completeNow(rig, claim));
    expect((await fixture.row(id)).state).toBe('done');
  });

  test('a finished job is not beaten: it leaves the held set before its commit', async () => {
    await fixture.add({ queue: 'flush', key: 'k' });
    const rig = fixture.another();
    const { claim, flow, proceed } = await standingFlow(rig);
    const beaten: string[] = [];
    const beat = rig.claims.beat.bind(rig.claims);
    jest.spyOn(rig.claims, 'beat').mockImplementation((claims) => {
      beaten.push(...claims.map((ref) => ref.jobId));
      return beat(claims);
    });

    await proceed(() =>
      inCommit(fixture.db.units, async (tx) => {
        fixture.db.clock.advance(BEAT_MS);
        await rig.jobs.complete(tx, claim);
        await rig.worker.tick();
      }),
    );

    expect(beaten).toEqual([]);
    expect(flow.signal.aborted).toBe(false);
  });

  test('a last commit that is tried again from memory gets its beats back', async () => {
    const id = await fixture.add({ queue: 'flush', key: 'k' });
    const rig = fixture.another();
    const { claim, proceed } = await standingFlow(rig);

    await proceed(async () => {
      for (let tries = 0; tries < 10; tries += 1) {
        const failing = inCommit(fixture.db.units, async (tx) => {
          await rig.jobs.complete(tx, claim);
          throw new Error('the commit fails');
        });
        await expect(failing).rejects.toThrow('the commit fails');
        fixture.db.clock.advance(BEAT_MS / 2);
        await rig.worker.tick();
      }
      expect(await fixture.dueInMs(id)).toBeGreaterThanOrEqual(LEASE_MS - BEAT_MS / 2);
      await completeNow(rig, claim);
    });

    expect((await fixture.row(id)).state).toBe('done');
  });
});

describe('the local deadline counts from when the last successful beat was sent', () => {
  /** Makes the next answer of `method` arrive late. */
  function delayAnswer(method: 'claimReady' | 'beat', ms: number): void {
    const { control, clock } = fixture.db;
    const query = control.query.bind(control);
    const word = method === 'beat' ? 'beaten' : 'claimable';
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
    fixture.db.clock.advance(ms);
    try {
      flow.assertLease();
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(LeaseLostError);
      return false;
    }
  }

  test('a claim whose answer comes late leaves less time', async () => {
    await fixture.add({ queue: 'flush', key: 'k' });
    const rig = jobRig({ ...fixture.db });
    delayAnswer('claimReady', 1500);
    const { claim, flow, proceed } = await standingFlow(rig);

    expect(holdsAfter(flow, LEASE_MS - 1500 - 1)).toBe(true);
    expect(holdsAfter(flow, 1)).toBe(false);
    await proceed(() => completeNow(rig, claim));
  });

  test('a beat whose answer comes late leaves less time', async () => {
    await fixture.add({ queue: 'flush', key: 'k' });
    const rig = jobRig({ ...fixture.db });
    const { claim, flow, proceed } = await standingFlow(rig);
    fixture.db.clock.advance(3000);
    delayAnswer('beat', 1000);
    await rig.worker.tick();

    expect(holdsAfter(flow, LEASE_MS - 1000 - 1)).toBe(true);
    expect(holdsAfter(flow, 1)).toBe(false);
    await proceed(() => completeNow(rig, claim));
  });

  test('a beat that fails moves nothing', async () => {
    await fixture.add({ queue: 'flush', key: 'k' });
    const rig = jobRig({ ...fixture.db });
    const { claim, flow, proceed } = await standingFlow(rig);
    fixture.db.clock.advance(BEAT_MS);
    jest.spyOn(fixture.db.control, 'query').mockRejectedValueOnce(new Error('cut'));
    await expect(rig.worker.tick()).rejects.toThrow('cut');

    expect(holdsAfter(flow, LEASE_MS - BEAT_MS)).toBe(false);
    await proceed(() => completeNow(rig, claim));
  });
});
