import { DebounceRepository } from '../../src/jobs';
import { type JobRig, completing, inCommit, jobHandler } from '../support/jobs';
import { TestJobs } from './test-jobs';

/**
 * A replica of the version before `job.check_at`, beside one of this version, on the schema of this one. Its
 * statements are told as that version sent them; it decides by `due_at` alone.
 */

let queues: TestJobs;
let rig: JobRig;
let timers: DebounceRepository;
let runs: string[];

beforeAll(async () => {
  queues = await TestJobs.open();
});
beforeEach(() => {
  rig = queues.another();
  runs = [];
  const complete = completing(rig, queues.units);
  rig.registry.register(
    jobHandler({
      queue: 'flush',
      run: (claim) => {
        runs.push(claim.key);
        return complete(claim);
      },
    }),
  );
  timers = new DebounceRepository(queues.clock, rig.replica, rig.jobs);
});
afterEach(async () => {
  await rig.worker.stop();
  await queues.reset();
});
afterAll(() => queues.close());

const WINDOW_MS = 1000;
const LEASE_MS = 6000;
const LIMITS = { maxWaitMs: 60_000, maxSize: 1000, maxChars: 100_000 };

/** A message that a replica of this version stores. */
function add(): Promise<string> {
  const added = { chars: 1, windowMs: WINDOW_MS, limits: LIMITS };
  return inCommit(queues.units, (tx) => timers.add(tx, { queue: 'flush', key: 'k' }, added));
}

async function tick(): Promise<void> {
  await rig.worker.tick();
  await rig.held.whenEmpty();
}

const now = (): Date => queues.clock.now();

/** What an update returns: TypeORM gives the rows and their number. */
async function updated(text: string, values: readonly unknown[]): Promise<unknown[]> {
  const [rows] = await queues.sql<unknown[]>(text, values);
  return rows ?? [];
}

/** The replica of before. */
const before = {
  async add(): Promise<string> {
    const [row] = await queues.sql<{ id: string }>(
      `insert into job as j (queue, key, first_at, quiet_at, due_at)
       select 'flush', 'k', n.now, n.quiet_at,
         debounce_due_at(n.now, n.quiet_at, 1, 1, 0, n.now, 60000, 1000, 100000)
       from (select $1::timestamptz as now,
         $1::timestamptz + interval '1 second' as quiet_at) n
       on conflict (queue, key) where state = 'open' do update set count = j.count + 1,
         quiet_at = greatest(j.quiet_at, excluded.quiet_at),
         due_at = debounce_due_at(j.first_at, greatest(j.quiet_at, excluded.quiet_at), j.count + 1,
           j.chars, j.pending, excluded.first_at, 60000, 1000, 100000)
       returning id`,
      [now()],
    );
    return row?.id ?? '';
  },

  /** Done, or a full answer. */
  makeDue(): Promise<unknown> {
    return queues.sql(`update job set due_at = $1, quiet_at = $1 where state = 'open'`, [now()]);
  },

  claimReady(): Promise<unknown[]> {
    return updated(
      `with claimable as (
         select c.id, c.due_at from job c
         where c.queue = 'flush' and c.state in ('open', 'retry') and c.due_at <= $1
           and not exists (
             select 1 from job e
             where e.queue = c.queue and e.key = c.key and e.id <> c.id
               and (e.id < c.id or e.state = 'running') and e.state in ('open', 'running', 'retry')
             offset 0)
         order by c.due_at limit 10 for no key update of c skip locked)
       update job t set state = 'running', claim_no = t.claim_no + 1, leased_until = null,
         worker = 'before', due_at = $1::timestamptz + interval '6 seconds'
       from claimable c where t.id = c.id returning t.id`,
      [now()],
    );
  },

  renew(): Promise<unknown> {
    return queues.sql(
      `update job set leased_until = $1::timestamptz + interval '6 seconds' where state = 'running'`,
      [now()],
    );
  },

  takeOver(): Promise<unknown[]> {
    return updated(
      `with claimable as (
         select r.id from job r where r.queue = 'flush' and r.state = 'running' and r.due_at <= $1
           and greatest(r.due_at, r.leased_until) <= $1
         order by r.due_at limit 10 for no key update skip locked)
       update job t set claim_no = t.claim_no + 1, leased_until = null, worker = 'before',
         due_at = $1::timestamptz + interval '6 seconds'
       from claimable c where t.id = c.id returning t.id`,
      [now()],
    );
  },
};

test('a replica of before claims an answer that this version has extended only when it is due', async () => {
  await add();
  queues.clock.advance(600);
  await add();
  queues.clock.advance(WINDOW_MS - 600);
  expect(await before.claimReady()).toEqual([]);

  queues.clock.advance(600);
  expect(await before.claimReady()).toHaveLength(1);
});

test('this version runs an answer of one message that a replica of before has stored', async () => {
  await before.add();
  queues.clock.advance(WINDOW_MS);
  await tick();

  expect(runs).toEqual(['k']);
});

test('this version runs an answer that a replica of before has collected only when it is due', async () => {
  await before.add();
  await tick();
  queues.clock.advance(600);
  await before.add();
  queues.clock.advance(WINDOW_MS - 600);
  await tick();
  expect(runs).toEqual([]);

  queues.clock.advance(600);
  await tick();
  expect(runs).toEqual(['k']);
});

test.each([
  ['this version', () => add()],
  ['a replica of before', () => before.add()],
])('what a replica of before makes due runs at once, opened by %s', async (_, open) => {
  const jobId = await open();
  await tick();
  expect(runs).toEqual([]);
  await before.makeDue();
  expect((await queues.row(jobId)).check_at.getTime()).toBeLessThanOrEqual(now().getTime());

  await tick();
  expect(runs).toEqual(['k']);
});

test('each version takes over from the other when the lease has ended, renewed or not', async () => {
  await before.add();
  queues.clock.advance(WINDOW_MS);
  expect(await before.claimReady()).toHaveLength(1);
  queues.clock.advance(LEASE_MS - 1);
  await before.renew();
  queues.clock.advance(LEASE_MS - 1);
  await tick();
  expect(runs).toEqual([]);
  queues.clock.advance(1);
  await tick();
  expect(runs).toEqual(['k']);

  await add();
  queues.clock.advance(WINDOW_MS);
  expect((await rig.claims.claimReady({ queue: 'flush', single: false }, 1)).rows).toHaveLength(1);
  queues.clock.advance(LEASE_MS - 1);
  expect(await before.takeOver()).toEqual([]);
  queues.clock.advance(1);
  expect(await before.takeOver()).toHaveLength(1);
});
