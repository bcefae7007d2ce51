import { Client } from 'pg';
import type { JobFlow } from '../../src/jobs';
import { gate } from '../../tools/http-fake/gate';
import { inCommit, jobHandler, queueOf } from '../support/jobs';
import { TestJobs } from './test-jobs';

/*
 * A row that another session keeps locked can not be renewed, and the heartbeat tries it again soon. Those tries
 * are for that row: the leases of all other jobs of the process are renewed as if it were not there.
 */

const LEASE_MS = 6000;
const HEARTBEAT_MS = 2000;
/** How soon a locked row is tried again. */
const AGAIN_MS = 50;
const KEYS = ['locked', 'b', 'c'] as const;

let queues: TestJobs;
let locker: Client;

beforeAll(async () => {
  queues = await TestJobs.open();
  locker = new Client({ connectionString: queues.url });
  await locker.connect();
});
afterAll(async () => {
  await locker.end();
  await queues.close();
});
afterEach(() => queues.reset());

/** Claims a job for each key; the flows wait until `end`. */
async function claimed() {
  const ids = new Map<string, string>();
  for (const key of KEYS) ids.set(key, await queues.add({ queue: 'flush', key }));
  const rig = queues.another();
  const flows = new Map<string, JobFlow>();
  const mayEnd = gate();
  rig.registry.register(
    jobHandler({
      queue: 'flush',
      run: async (claim, flow) => {
        flows.set(claim.key, flow);
        await mayEnd.opened;
        await inCommit(queues.units, (tx) => rig.jobs.complete(tx, claim));
      },
    }),
  );
  await rig.worker.tick();
  const idOf = (key: string): string => ids.get(key) ?? '';
  const end = async (): Promise<void> => {
    mayEnd.open();
    await rig.worker.waitUntilSettled(1000);
  };
  return { rig, idOf, end, isAborted: (key: string) => flows.get(key)?.signal.aborted };
}

async function lock(id: string): Promise<void> {
  await locker.query('begin');
  await locker.query('select 1 from job where id = $1 for no key update', [id]);
}

test.each([
  ['every 50 ms, as the loop does while a row is locked', AGAIN_MS],
  ['every 300 ms', 300],
])(
  'a row that stays locked for two leases postpones no other renewal: a pass %s',
  async (_, passMs) => {
    const { rig, idOf, end, isAborted } = await claimed();
    await lock(idOf('locked'));

    const least = { b: LEASE_MS, c: LEASE_MS };
    for (let passedMs = 0; passedMs < 2 * LEASE_MS; passedMs += passMs) {
      queues.clock.advance(passMs);
      await rig.worker.tick();
      for (const key of ['b', 'c'] as const) {
        least[key] = Math.min(least[key], await queues.dueInMs(idOf(key)));
      }
    }
    expect(least.b).toBeGreaterThanOrEqual(LEASE_MS - HEARTBEAT_MS - passMs);
    expect(least.c).toBeGreaterThanOrEqual(LEASE_MS - HEARTBEAT_MS - passMs);
    expect(KEYS.map(isAborted)).toEqual([false, false, false]);

    await locker.query('rollback');
    queues.clock.advance(passMs);
    await rig.worker.tick();
    expect(await queues.dueInMs(idOf('locked'))).toBe(LEASE_MS);
    await end();
    for (const key of KEYS) expect((await queues.row(idOf(key))).state).toBe('done');
  },
);

test('ten rows in turn, each locked for a lease: no worker takes anything over', async () => {
  const { rig, idOf, end, isAborted } = await claimed();
  for (let n = 0; n < 10; n += 1) {
    const key = KEYS[n % KEYS.length] ?? '';
    await lock(idOf(key));
    for (let passedMs = 0; passedMs < LEASE_MS - 2 * HEARTBEAT_MS; passedMs += 500) {
      queues.clock.advance(500);
      await rig.worker.tick();
    }
    await locker.query('rollback');
    queues.clock.advance(AGAIN_MS);
    await rig.worker.tick();
    expect(await queues.rig.claims.takeOver(queueOf('flush'), 10)).toEqual([]);
  }
  expect(KEYS.map(isAborted)).toEqual([false, false, false]);
  await end();
  for (const key of KEYS) expect((await queues.row(idOf(key))).state).toBe('done');
});
