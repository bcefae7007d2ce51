import type { Statement } from '../../src/tasks/statement';
import * as sql from '../../src/tasks/claim-sql';
import { sweepDone } from '../../src/tasks/task-sql';
import { TaskFixture } from './fixture';

/** With many due and many done rows, every statement of the loop reads a partial index. */
let fixture: TaskFixture;

beforeAll(async () => {
  fixture = await TaskFixture.open();
  await fixture.sql(
    `insert into task (lane, key, state, first_at, ended_at)
     select 'flush', n::text, 'done', now(), now() from generate_series(1, 20000) n`,
  );
  // Statistics from a quiet hour: the planner knows of no due row when the burst comes.
  await fixture.sql('analyze task');
  await fixture.sql(
    `insert into task (lane, key, state, first_at, due_at)
     select 'flush', n::text, 'open', $1, $1 from generate_series(1, 5000) n`,
    [fixture.db.clock.now()],
  );
  await fixture.sql(
    `insert into task (lane, key, state, first_at, due_at, worker)
     select 'flush', 'r' || n, 'running', now(), 'infinity', 'w' from generate_series(1, 200) n`,
  );
});
afterAll(() => fixture.close());

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
  ['null', () => null],
  ['given', () => fixture.db.clock.now()],
])('with now %s', (_name, nowOf) => {
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
    expect(plan).not.toContain('Seq Scan on task');
  });

  test('a look reads the first row of each index', async () => {
    const plan = await planOf(sql.lookAt({ lanes: ['flush'], now: nowOf() }));

    expect(plan).toContain('using task_lease on task r');
    expect(plan).toContain('using task_due on task c');
    expect(plan).toContain('using task_due on task n');
    expect(plan).toMatch(PROBE);
    expect(plan).not.toContain('Seq Scan on task');
  });

  test('the sweep reads the done rows from the oldest', async () => {
    const plan = await planOf(sweepDone({ keptMs: 1000, limit: 1000, now: nowOf() }));

    expect(plan).toContain('Index Scan using task_done on task d');
  });
});
