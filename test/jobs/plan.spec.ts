import { type Statement, erase, eraseIdle, sweepDone } from '../../src/jobs/job.repository';
import * as sql from '../../src/jobs/claim.repository';
import { TaskFixture } from './fixture';

/**
 * With many due and many done rows, every statement of the loop reads a partial index in its order,
 * whatever the planner was told about the table.
 */
let fixture: TaskFixture;

beforeAll(async () => {
  fixture = await TaskFixture.open();
  await fixture.sql('alter table task set (autovacuum_enabled = false)');
  await fixture.sql(
    `insert into task (lane, key, state, first_at, ended_at)
     select 'flush', n::text, 'done', now(), now() from generate_series(1, 20000) n`,
  );
});
afterAll(() => fixture.close());

async function addBurst(): Promise<void> {
  await fixture.sql(`delete from task where state <> 'done'`);
  await fixture.sql(
    `insert into task (lane, key, state, first_at, due_at)
     select 'flush', n::text, 'open', $1, $1 from generate_series(1, 5000) n`,
    [fixture.db.clock.now()],
  );
  await fixture.sql(
    `insert into task (lane, key, state, first_at, due_at, worker)
     select 'flush', 'r' || n, 'running', now(), 'infinity', 'w' from generate_series(1, 200) n`,
  );
}

async function planOf(statement: Statement): Promise<string> {
  const rows = await fixture.db.control.query<{ 'QUERY PLAN': string }>(
    `explain ${statement.text}`,
    statement.values,
  );
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

/** The look for earlier rows of the key, by the key. */
const PROBE = /Index Cond: \(\(lane = c\S*\.lane\) AND \(key = c\S*\.key\)\)/;

const options = { lane: 'flush', limit: 100, leaseMs: 6000, worker: 'w' } as const;

describe.each([
  ['without statistics', 'null', () => null],
  ['without statistics', 'given', () => fixture.db.clock.now()],
  ['with statistics from a quiet hour', 'null', () => null],
  ['with statistics from a quiet hour', 'given', () => fixture.db.clock.now()],
])('%s, now %s', (statistics, _now, nowOf) => {
  beforeAll(async () => {
    if (statistics !== 'without statistics') {
      await fixture.sql(`delete from task where state <> 'done'`);
      await fixture.sql('analyze task');
    }
    await addBurst();
  });

  test('a claim of ready rows walks task_due and probes task_key', async () => {
    const plan = await planOf(sql.claimReady({ ...options, now: nowOf() }));

    expect(plan).toContain('Index Scan using task_due on task c');
    expect(plan).toContain('Index Cond: ((lane = ');
    expect(plan).toContain('Index Scan using task_key on task e');
    expect(plan).toMatch(PROBE);
    expect(plan).not.toContain('Seq Scan on task');
    expect(plan).not.toMatch(/Sort|Bitmap/);
  });

  test('a takeover reads the running rows only', async () => {
    const plan = await planOf(sql.takeOver({ ...options, now: nowOf(), handedBackOnly: false }));

    expect(plan).toContain('Index Scan using task_lease on task r');
    expect(plan).not.toMatch(/Seq Scan on task|Sort|Bitmap/);
  });

  test('a look reads the first row of each index', async () => {
    const plan = await planOf(sql.lookAt({ lanes: ['flush'], now: nowOf() }));

    expect(plan).toContain('using task_lease on task r');
    expect(plan).toContain('using task_due on task c');
    expect(plan).toContain('using task_due on task n');
    expect(plan).toMatch(PROBE);
    expect(plan).not.toMatch(/Seq Scan on task|Sort|Bitmap/);
  });

  test('the sweep reads the done rows, in the pool', async () => {
    const statement = sweepDone({ keptMs: 1000, limit: 1000, now: nowOf() });
    const rows = await fixture.sql(`explain ${statement.text}`, [...statement.values]);

    expect(JSON.stringify(rows)).toContain('task_done');
  });

  test.each([
    ['an erasure', erase({ lane: null, keys: ['7', 'a:b'] })],
    ['an erasure in one lane', erase({ lane: 'flush', keys: ['7', 'a:b'] })],
    ['an erasure of what is idle', eraseIdle(['7', 'a:b'])],
  ])('%s finds ended rows by their keys, in the pool', async (_, statement) => {
    const rows = await fixture.sql<{ 'QUERY PLAN': string }>(`explain ${statement.text}`, [
      ...statement.values,
    ]);

    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('task_ended_key');
    expect(plan).not.toContain('Seq Scan on task');
  });
});

test('what the planner would rather collect and sort is read in index order', async () => {
  await fixture.sql(`delete from pg_statistic where starelid = 'task'::regclass`);
  await fixture.sql('update pg_class set reltuples = -1, relpages = 0 where oid = $1::regclass', [
    'task',
  ]);

  const plan = await planOf(sweepDone({ keptMs: 1000, limit: 1000, now: null }));

  expect(plan).toContain('Index Scan using task_done on task d');
  expect(plan).not.toMatch(/Bitmap Heap Scan on task d/);
});

test('an erasure takes the rows of its keys in every state, and of what begins with them', async () => {
  await fixture.sql('delete from task');
  const keys = ['me', 'me:1', 'me:1:2', 'mee', 'me;', 'm', 'you', 'you:me', 'a:b', 'a:b:c', 'a'];
  await fixture.sql(
    `insert into task (lane, key, state, first_at, due_at)
     select 'flush', key, state, now(), now() from unnest($1::text[]) key,
       unnest(array['open', 'running', 'retry', 'done', 'dead']) state`,
    [keys],
  );

  const { text, values } = erase({ lane: null, keys: ['me', 'a:b'] });
  await fixture.sql(text, [...values]);
  const left = await fixture.sql<{ key: string; states: number }>(
    `select key, count(*)::int as states from task group by key order by key collate "C"`,
  );

  expect(left).toEqual(
    ['a', 'a:b:c', 'm', 'me;', 'mee', 'you', 'you:me'].map((key) => ({ key, states: 5 })),
  );
});
