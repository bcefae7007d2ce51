import { escapeLiteral } from 'pg';
import type { Tx } from '../../src/common/uow';
import * as sql from '../../src/jobs/claim.repository';
import { JobRepository } from '../../src/jobs/job.repository';
import { FakeClock } from '../../tools/support/fake-clock';
import { blocksReadBy } from '../support/blocks-read';
import { inCommit, queueOf } from '../support/jobs';
import { TestJobs } from './test-jobs';

/**
 * With many due and many done rows, every statement of the loop reads a partial index in its order,
 * whatever the statistics of the table are.
 */
let queues: TestJobs;

beforeAll(async () => {
  queues = await TestJobs.open();
  await queues.sql('alter table job set (autovacuum_enabled = false)');
  await queues.sql(
    `insert into job (queue, key, state, first_at, ended_at)
     select 'flush', n::text, 'done', now(), now() from generate_series(1, 20000) n`,
  );
});
afterAll(() => queues.close());

async function addBurst(): Promise<void> {
  await queues.sql(`delete from job where state <> 'done'`);
  await queues.sql(
    `insert into job (queue, key, state, first_at, due_at)
     select 'flush', n::text, 'open', $1, $1 from generate_series(1, 5000) n`,
    [queues.clock.now()],
  );
  await queues.sql(
    `insert into job (queue, key, state, first_at, due_at, worker)
     select 'flush', 'r' || n, 'running', now(), 'infinity', 'w' from generate_series(1, 200) n`,
  );
}

/** The statement that a method of JobRepository sends. */
async function sentBy(
  call: (rows: JobRepository, tx: Tx) => Promise<unknown>,
  now: Date | null = null,
): Promise<sql.Statement> {
  let statement: sql.Statement | undefined;
  const query = (text: string, values: readonly unknown[] = []) => {
    statement = { text, values };
    return Promise.resolve([]);
  };
  const clock = new FakeClock();
  clock.databaseNow = () => now as Date;
  await call(new JobRepository(clock, queues.rig.replica), { query } as unknown as Tx);
  if (statement === undefined) throw new Error('nothing was sent');
  return statement;
}

let prepared = 0;

/** The plan that the claim connection keeps, which is the same for all values. */
async function planOf({ text, values }: sql.Statement): Promise<string> {
  prepared += 1;
  const name = `plan_${prepared}`;
  await queues.control.query(`prepare ${name} as ${text}`);
  const rows = await queues.control.query<{ 'QUERY PLAN': string }>(
    `explain execute ${name}(${values.map(literal).join(', ')})`,
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

function literal(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Date) return escapeLiteral(value.toISOString());
  if (Array.isArray(value)) return escapeLiteral(`{${value.join(',')}}`);
  return escapeLiteral(typeof value === 'string' ? value : JSON.stringify(value));
}

/** The probe for earlier rows of the key uses the key. */
const PROBE = /Index Cond: \(\(queue = c\S*\.queue\) AND \(key = c\S*\.key\)\)/;

const KEYS = ['7', 'a:b'];
const options = { queue: 'flush', single: false, limit: 100, leaseMs: 6000, worker: 'w' } as const;

describe.each([
  ['without statistics', 'null', () => null],
  ['without statistics', 'given', () => queues.clock.now()],
  ['with statistics from a quiet hour', 'null', () => null],
  ['with statistics from a quiet hour', 'given', () => queues.clock.now()],
])('%s, now %s', (statistics, _now, nowOf) => {
  beforeAll(async () => {
    if (statistics !== 'without statistics') {
      await queues.sql(`delete from job where state <> 'done'`);
      await queues.sql('analyze job');
    }
    await addBurst();
  });

  test('a claim of ready rows reads job_due in order and probes job_key', async () => {
    const plan = await planOf(sql.claimReady({ ...options, now: nowOf() }));

    expect(plan).toContain('Index Scan using job_due on job c');
    expect(plan).toContain('Index Cond: ((queue = ');
    expect(plan).toContain('Index Scan using job_key on job e');
    expect(plan).toMatch(PROBE);
    expect(plan).not.toContain('Seq Scan on job');
    expect(plan).not.toMatch(/Sort|Bitmap/);
  });

  test('a takeover reads the running rows only', async () => {
    const plan = await planOf(sql.takeOver({ ...options, now: nowOf(), handedBackOnly: false }));

    expect(plan).toContain('Index Scan using job_lease on job r');
    expect(plan).not.toMatch(/Seq Scan on job|Sort|Bitmap/);
  });

  test('reading the queues reads the first row of each index', async () => {
    const plan = await planOf(sql.queueViews({ queues: [options], now: nowOf() }));

    expect(plan).toContain('using job_lease on job r');
    expect(plan).toContain('using job_due on job c');
    expect(plan).toContain('using job_due on job n');
    expect(plan).toMatch(PROBE);
    expect(plan).not.toMatch(/Seq Scan on job|Sort|Bitmap/);
  });

  test('the sweep reads the done rows by their index, in the pool', async () => {
    const old = { keptMs: 1000, limit: 1000, except: [] };
    const statement = await sentBy((jobs, tx) => jobs.oldDone(tx, old), nowOf());
    const rows = await queues.sql(`explain ${statement.text}`, [...statement.values]);

    expect(JSON.stringify(rows)).toContain('job_done');
  });

  test.each([
    ['an erasure', (jobs: JobRepository, tx: Tx) => jobs.erase(tx, { queue: null, keys: KEYS })],
    [
      'an erasure in one queue',
      (jobs: JobRepository, tx: Tx) => jobs.erase(tx, { queue: 'flush', keys: KEYS }),
    ],
    ['an erasure of what is idle', (jobs: JobRepository, tx: Tx) => jobs.eraseIdle(tx, KEYS)],
  ])('%s finds ended rows by their keys, in the pool', async (_, call) => {
    const statement = await sentBy(call);
    const rows = await queues.sql<{ 'QUERY PLAN': string }>(`explain ${statement.text}`, [
      ...statement.values,
    ]);

    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('job_ended_key');
    expect(plan).not.toContain('Seq Scan on job');
  });
});

test('a statement of the claim connection is planned once, and not for each call', async () => {
  for (let n = 0; n < 8; n += 1) {
    await queues.rig.claims.claimReady(queueOf('flush'), 1);
    await queues.rig.claims.readQueues([queueOf('flush')]);
  }

  const [plans] = await queues.control.query(
    `select sum(custom_plans)::int as each, sum(generic_plans) >= 16 as kept
     from pg_prepared_statements where not from_sql and statement like '%job c%'`,
  );
  expect(plans).toEqual({ each: 0, kept: true });
});

test('an erasure reads the live rows of its keys, however many others there are', async () => {
  await queues.sql(`delete from job where state <> 'done'`);
  await queues.sql(
    `insert into job (queue, key, state, first_at, due_at)
     select case when n % 2 = 0 then 'remind' else 'flush' end, 'k' || n || ':1', 'open', now(), now()
     from generate_series(1, 5000) n`,
  );
  await queues.sql('vacuum analyze job');

  const blocks = await blocksReadBy(
    (text, values) => queues.sql(text, values),
    (tx) => queues.rig.rows.erase(tx, { queue: null, keys: ['k7', 'k8', 'gone'] }),
  );

  expect(await queues.sql(`select 1 from job where state = 'open'`)).toHaveLength(4998);
  expect(blocks).toBeLessThan(100);
});

test('the sweep reads job_done in index order without statistics', async () => {
  await queues.sql(`delete from pg_statistic where starelid = 'job'::regclass`);
  await queues.sql('update pg_class set reltuples = -1, relpages = 0 where oid = $1::regclass', [
    'job',
  ]);

  const old = { keptMs: 1000, limit: 1000, except: ['1'] };
  const plan = await planOf(await sentBy((jobs, tx) => jobs.oldDone(tx, old)));

  expect(plan).toContain('Index Scan using job_done on job');
  expect(plan).not.toMatch(/Bitmap Heap Scan on job/);
});

test('an erasure deletes the rows of its keys and of keys with their prefix, in every state', async () => {
  await queues.sql('delete from job');
  const keys = ['me', 'me:1', 'me:1:2', 'mee', 'me;', 'm', 'you', 'you:me', 'a:b', 'a:b:c', 'a'];
  await queues.sql(
    `insert into job (queue, key, state, first_at, due_at)
     select 'flush', key, state, now(), now() from unnest($1::text[]) key,
       unnest(array['open', 'running', 'retry', 'done', 'dead']) state`,
    [keys],
  );

  await inCommit(queues.units, (tx) =>
    queues.rig.rows.erase(tx, { queue: null, keys: ['me', 'a:b'] }),
  );
  const left = await queues.sql<{ key: string; states: number }>(
    `select key, count(*)::int as states from job group by key order by key collate "C"`,
  );

  expect(left).toEqual(
    ['a', 'a:b:c', 'm', 'me;', 'mee', 'you', 'you:me'].map((key) => ({ key, states: 5 })),
  );
});
