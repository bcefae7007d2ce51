import { Client } from 'pg';
import { type Claim, LeaseLostError, type TaskFlow } from '../../src/tasks';
import { type Gate, type TaskRig, gate, inCommit, laneHandler } from '../support/tasks';
import { TaskFixture } from './fixture';

let fixture: TaskFixture;
let other: Client;

beforeAll(async () => {
  fixture = await TaskFixture.open();
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
/** More fake time than any test lets pass. */
const ENOUGH_MS = 3_600_000;

/** A flow that stays where it is until the test lets it go on. */
interface StandingFlow {
  readonly claim: Claim;
  readonly flow: TaskFlow;
  /** What the flow does next; its error, if any, is the run's. */
  readonly proceed: (next: () => Promise<void>) => Promise<void>;
}

/** Claims the one due task of the lane; its flow stands still. */
async function standingFlow(rig: TaskRig): Promise<StandingFlow> {
  const started: Gate<{ claim: Claim; flow: TaskFlow }> = gate();
  const next: Gate<() => Promise<void>> = gate();
  rig.registry.register(
    laneHandler({
      lane: 'flush',
      run: async (claim, flow) => {
        started.open({ claim, flow });
        await (
          await next.opened
        )();
      },
    }),
  );
  await rig.worker.tick();
  const { claim, flow } = await started.opened;
  return {
    claim,
    flow,
    proceed: async (work) => {
      next.open(work);
      await rig.worker.waitUntilSettled(ENOUGH_MS);
    },
  };
}

async function completeNow(rig: TaskRig, claim: Claim): Promise<void> {
  await inCommit(fixture.db.units, (tx) => rig.tasks.complete(tx, claim));
}

describe('a beat renews the lease', () => {
  test('three times per lease, so that nobody takes over a task at work', async () => {
    const id = await fixture.add({ lane: 'flush', key: 'k' });
    const rig = fixture.another();
    const { claim, flow, proceed } = await standingFlow(rig);

    for (let beats = 0; beats < 10; beats += 1) {
      fixture.db.clock.advance(BEAT_MS);
      await rig.worker.tick();
      expect(await fixture.dueInMs(id)).toBe(LEASE_MS);
      expect(await fixture.rig.claims.takeOver('flush', 1)).toEqual([]);
    }
    expect(() => {
      flow.assertLease();
    }).not.toThrow();

    await proceed(() => completeNow(rig, claim));
    expect((await fixture.row(id)).state).toBe('done');
  });

  test('one statement beats all held tasks', async () => {
    for (const key of ['a', 'b', 'c']) await fixture.add({ lane: 'flush', key });
    const claimed = await fixture.rig.claims.claimReady('flush', 10);
    fixture.db.clock.advance(BEAT_MS);

    const beaten = await fixture.rig.claims.beat(claimed);

    expect(beaten.map((row) => row.isBeaten)).toEqual([true, true, true]);
  });

  test('a row that somebody locks is skipped and not lost, the others are beaten', async () => {
    const locked = await fixture.add({ lane: 'flush', key: 'locked' });
    const free = await fixture.add({ lane: 'flush', key: 'free' });
    const rig = fixture.another();
    const flows: TaskFlow[] = [];
    const go: Gate = gate();
    rig.registry.register(
      laneHandler({
        lane: 'flush',
        run: async (claim, flow) => {
          flows.push(flow);
          await go.opened;
          await completeNow(rig, claim);
        },
      }),
    );
    await rig.worker.tick();
    await other.query('begin');
    await other.query('select 1 from task where id = $1 for no key update', [locked]);
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

  test('a late beat revives a lease that ended and that nobody took', async () => {
    const id = await fixture.add({ lane: 'flush', key: 'k' });
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

  test('a finished task is not beaten: it leaves the held set before its commit', async () => {
    await fixture.add({ lane: 'flush', key: 'k' });
    const rig = fixture.another();
    const { claim, flow, proceed } = await standingFlow(rig);
    const beaten: string[] = [];
    const beat = rig.claims.beat.bind(rig.claims);
    jest.spyOn(rig.claims, 'beat').mockImplementation((claims) => {
      beaten.push(...claims.map((ref) => ref.taskId));
      return beat(claims);
    });

    await proceed(() =>
      inCommit(fixture.db.units, async (tx) => {
        fixture.db.clock.advance(BEAT_MS);
        await rig.tasks.complete(tx, claim);
        await rig.worker.tick();
      }),
    );

    expect(beaten).toEqual([]);
    expect(flow.signal.aborted).toBe(false);
  });

  test('a last commit that is tried again from memory gets its beats back', async () => {
    const id = await fixture.add({ lane: 'flush', key: 'k' });
    const rig = fixture.another();
    const { claim, proceed } = await standingFlow(rig);

    await proceed(async () => {
      const failing = inCommit(fixture.db.units, async (tx) => {
        await rig.tasks.complete(tx, claim);
        throw new Error('the commit fails');
      });
      await expect(failing).rejects.toThrow('the commit fails');
      for (let beats = 0; beats < 5; beats += 1) {
        fixture.db.clock.advance(BEAT_MS);
        await rig.worker.tick();
      }
      await completeNow(rig, claim);
    });

    expect((await fixture.row(id)).state).toBe('done');
  });
});

describe('the local deadline counts from when the last successful beat was sent', () => {
  test('not from its answer: a slow claim and a slow beat leave less time', async () => {
    await fixture.add({ lane: 'flush', key: 'k' });
    const rig = fixture.another();
    const { clock } = fixture.db;
    const slowClaim = rig.claims.claimReady.bind(rig.claims);
    jest.spyOn(rig.claims, 'claimReady').mockImplementation(async (lane, limit) => {
      const rows = await slowClaim(lane, limit);
      clock.advance(1500);
      return rows;
    });
    const { claim, flow, proceed } = await standingFlow(rig);
    const throwsAfter = (ms: number): boolean => {
      clock.advance(ms);
      try {
        flow.assertLease();
        return false;
      } catch (error) {
        return error instanceof LeaseLostError;
      }
    };

    expect(throwsAfter(2999)).toBe(false);
    const slowBeat = rig.claims.beat.bind(rig.claims);
    jest.spyOn(rig.claims, 'beat').mockImplementation(async (claims) => {
      const rows = await slowBeat(claims);
      clock.advance(1000);
      return rows;
    });
    await rig.worker.tick();

    expect(throwsAfter(4999)).toBe(false);
    expect(throwsAfter(1)).toBe(true);
    await proceed(() => completeNow(rig, claim));
  });
});

describe('a frozen worker, thawed after its task was taken over', () => {
  test('writes nothing: its fence throws and its signal aborts at the first write', async () => {
    const id = await fixture.add({ lane: 'flush', key: 'k' });
    const rig = fixture.another();
    const { claim, flow, proceed } = await standingFlow(rig);
    fixture.db.clock.advance(LEASE_MS);
    expect(await fixture.rig.claims.takeOver('flush', 1)).toHaveLength(1);
    await fixture.sql('create table if not exists effect (note text)');

    const errors: unknown[] = [];
    await proceed(async () => {
      await inCommit(fixture.db.units, async (tx) => {
        await rig.tasks.fence(tx, claim);
        await tx.query(`insert into effect values ('behind the fence')`);
      }).catch((error: unknown) => errors.push(error));
      await inCommit(fixture.db.units, async (tx) => {
        await tx.query(`insert into effect values ('before complete')`);
        await rig.tasks.complete(tx, claim);
      }).catch((error: unknown) => errors.push(error));
    });

    expect(errors).toEqual([expect.any(LeaseLostError), expect.any(LeaseLostError)]);
    expect(flow.signal.reason).toBeInstanceOf(LeaseLostError);
    expect(await fixture.sql('select * from effect')).toEqual([]);
    expect(await fixture.row(id)).toMatchObject({ state: 'running', claim_no: 2, failures: 0 });
    await fixture.sql('drop table effect');
  });

  test('learns it from its first beat, and its failure is not counted', async () => {
    const id = await fixture.add({ lane: 'flush', key: 'k' });
    const rig = fixture.another();
    const { flow, proceed } = await standingFlow(rig);
    fixture.db.clock.advance(LEASE_MS);
    await fixture.rig.claims.takeOver('flush', 1);

    await rig.worker.tick();
    expect(flow.signal.aborted).toBe(true);
    expect(() => {
      flow.assertLease();
    }).toThrow(LeaseLostError);
    await proceed(() => Promise.reject(new Error('aborted')));

    expect(await fixture.row(id)).toMatchObject({ state: 'running', claim_no: 2, failures: 0 });
  });

  test('a fence holds the row: a takeover waits for the commit and then finds a fresh claim', async () => {
    await fixture.add({ lane: 'flush', key: 'k' });
    const rig = fixture.another();
    const { claim, proceed } = await standingFlow(rig);
    fixture.db.clock.advance(LEASE_MS);

    const takenMeanwhile: number[] = [];
    await proceed(() =>
      inCommit(fixture.db.units, async (tx) => {
        await rig.tasks.fence(tx, claim);
        takenMeanwhile.push((await fixture.rig.claims.takeOver('flush', 1)).length);
        await rig.tasks.complete(tx, claim);
      }),
    );

    expect(takenMeanwhile).toEqual([0]);
    expect(await fixture.rig.claims.takeOver('flush', 1)).toEqual([]);
  });
});
