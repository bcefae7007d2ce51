import { type Claim, CompletionBatcher } from '../../src/jobs';
import { type JobRig, jobHandler } from '../support/jobs';
import { TestJobs } from './test-jobs';

let queues: TestJobs;

beforeAll(async () => {
  queues = await TestJobs.open();
  await queues.sql(`create table test_effect (key text primary key)`);
});
afterAll(() => queues.close());
afterEach(async () => {
  await queues.reset();
  await queues.sql('truncate test_effect');
});

const HOUR_MS = 3_600_000;

/** A queue whose effect is one row; returns the sizes of its commits. `before` runs in each flow. */
function sharedQueue(
  rig: JobRig,
  before: (claim: Claim) => Promise<unknown> = () => Promise.resolve(),
): number[] {
  const sizes: number[] = [];
  const ends = new CompletionBatcher<string>(queues.units, rig.jobs, 'test', (tx, keys) => {
    sizes.push(keys.length);
    return tx.query('insert into test_effect (key) select unnest($1::text[])', [keys]);
  });
  rig.registry.register(
    jobHandler({
      queue: 'test-shared',
      concurrency: 100,
      sharesCommits: true,
      async run(claim) {
        await before(claim);
        await ends.complete(claim, claim.key);
      },
    }),
  );
  return sizes;
}

async function addAll(keys: readonly string[]): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (const key of keys) ids.set(key, await queues.add({ queue: 'test-shared', key }));
  return ids;
}

async function pass(rig: JobRig): Promise<number> {
  const claimed = await rig.worker.tick();
  await rig.worker.waitUntilSettled(HOUR_MS);
  return claimed;
}

async function effects(): Promise<string[]> {
  const rows = await queues.sql<{ key: string }>('select key from test_effect order by key');
  return rows.map(({ key }) => key);
}

describe('jobs that share their commits', () => {
  test('are claimed at once and completed with their effects in one commit', async () => {
    const rig = queues.another();
    const sizes = sharedQueue(rig);
    const keys = Array.from({ length: 60 }, (_, n) => `key ${n + 10}`);
    await addAll(keys);

    expect(await pass(rig)).toBe(60);

    expect(sizes).toEqual([60]);
    expect(await effects()).toEqual(keys);
    expect(await queues.sql('select distinct state from job')).toEqual([{ state: 'done' }]);
  });

  test('a lost lease stores neither the effect nor the completion of its job', async () => {
    const rig = queues.another();
    sharedQueue(rig, ({ key, jobId }) =>
      key === 'lost'
        ? queues.sql('update job set claim_no = claim_no + 1 where id = $1', [jobId])
        : Promise.resolve(),
    );
    const ids = await addAll(['a', 'b', 'lost']);
    await pass(rig);

    expect(await effects()).toEqual(['a', 'b']);
    expect(await queues.row(ids.get('lost') ?? '')).toMatchObject({
      state: 'running',
      failures: 0,
    });
    expect(await queues.row(ids.get('a') ?? '')).toMatchObject({ state: 'done' });
  });

  test('an effect that cannot be written fails its own job only', async () => {
    await queues.sql(`insert into test_effect values ('stored before')`);
    const rig = queues.another();
    sharedQueue(rig);
    const ids = await addAll(['a', 'b', 'stored before']);
    await pass(rig);

    expect(await effects()).toEqual(['a', 'b', 'stored before']);
    expect(await queues.row(ids.get('b') ?? '')).toMatchObject({ state: 'done', failures: 0 });
    expect(await queues.row(ids.get('stored before') ?? '')).toMatchObject({
      state: 'retry',
      failures: 1,
    });
  });
});
