import { SystemClock } from '../../src/common/clock';
import { Metrics } from '../../src/common/metrics';
import { type Tx, UnitOfWorkFactory, UnitOfWorkMetrics } from '../../src/common/uow';
import { type Claim, CompletionBatcher } from '../../src/jobs';
import { createDataSource } from '../../src/persistence';
import { CuttingProxy } from '../../tools/fake-network/cutting-proxy';
import { gate } from '../../tools/http-fake/gate';
import { type JobRig, jobHandler } from '../support/jobs';
import { untilInProcess } from '../support/until';
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

interface SharedQueue {
  /** Runs in each flow. */
  readonly before?: (claim: Claim) => Promise<unknown>;
  /** Runs in each commit. */
  readonly within?: (tx: Tx, keys: readonly string[]) => Promise<unknown>;
  readonly units?: UnitOfWorkFactory;
}

/** A queue whose effect is one row; returns the sizes of its commits. */
function sharedQueue(
  rig: JobRig,
  { before, within, units = queues.units }: SharedQueue = {},
): number[] {
  const sizes: number[] = [];
  const ends = new CompletionBatcher<string>(units, rig.jobs, 'test', async (tx, keys) => {
    sizes.push(keys.length);
    await within?.(tx, keys);
    await tx.query('insert into test_effect (key) select unnest($1::text[])', [keys]);
  });
  rig.registry.register(
    jobHandler({
      queue: 'test-shared',
      concurrency: 100,
      sharesCommits: true,
      async run(claim) {
        await before?.(claim);
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
    sharedQueue(rig, {
      before: ({ key, jobId }) =>
        key === 'lost'
          ? queues.sql('update job set claim_no = claim_no + 1 where id = $1', [jobId])
          : Promise.resolve(),
    });
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
    const { body } = await rig.metrics.exposition();
    expect(body).toContain('colloquy_job_completions_total{queue="test-shared"} 2');
    expect(body).toContain('colloquy_job_failures_total{queue="test-shared"} 1');
  });

  test('an effect that waits too long for the database holds its own job up only', async () => {
    const rig = queues.another();
    const within = (tx: Tx, keys: readonly string[]): Promise<unknown> =>
      keys.includes('slow')
        ? tx.query(`do 'begin raise sqlstate ''57014''; end'`)
        : Promise.resolve();
    sharedQueue(rig, { within });
    const ids = await addAll(['a', 'b', 'slow']);
    await pass(rig);

    expect(await effects()).toEqual(['a', 'b']);
    expect(await queues.row(ids.get('a') ?? '')).toMatchObject({ state: 'done' });
    expect(await queues.row(ids.get('slow') ?? '')).toMatchObject({
      state: 'retry',
      failures: 0,
      given_back: 1,
    });
    const { body } = await rig.metrics.exposition();
    expect(body).toContain('colloquy_job_given_back_total{queue="test-shared"} 1');
  });

  test('one job alone is completed without a wait for others', async () => {
    const rig = queues.another();
    const sizes = sharedQueue(rig);
    await addAll(['a']);
    const atMs = queues.clock.monotonicMs();
    await pass(rig);

    expect(sizes).toEqual([1]);
    expect(await effects()).toEqual(['a']);
    expect(queues.clock.monotonicMs()).toBe(atMs);
  });

  test('a drain waits for the commit that runs and for the one that waits behind it', async () => {
    const rig = queues.another();
    const [committing, ending] = [gate(), gate()];
    sharedQueue(rig, {
      async within() {
        committing.open();
        await ending.opened;
      },
    });
    const keys = ['a', 'b', 'c', 'd'];
    for (const key of keys) {
      await addAll([key]);
      await rig.worker.tick();
    }
    await committing.opened;
    await rig.worker.stopClaims();
    const state = { isOver: false };
    const draining = rig.worker.handBack().finally(() => (state.isOver = true));
    await untilInProcess('all flows are asked back', () =>
      rig.held.all().every(({ wasAskedBack }) => wasAskedBack),
    );
    expect(state.isOver).toBe(false);
    ending.open();

    expect(await draining).toBe(0);
    expect(await effects()).toEqual(keys);
    expect(await queues.sql('select distinct state from job')).toEqual([{ state: 'done' }]);
  });
});

describe.each(['before', 'after'] as const)(
  'a connection that is lost %s the server has stored the shared commit',
  (cut) => {
    let proxy: CuttingProxy;
    let dataSource: ReturnType<typeof createDataSource>;
    beforeEach(async () => {
      proxy = await CuttingProxy.start(queues.url);
      dataSource = createDataSource({ url: proxy.url, poolSize: 2 });
      await dataSource.initialize();
    });
    afterEach(async () => {
      await dataSource.destroy();
      await proxy.close();
    });

    test('leaves each job with one effect, and no job failed', async () => {
      const rig = queues.another();
      const metrics = new UnitOfWorkMetrics(new Metrics());
      const units = new UnitOfWorkFactory(dataSource, new SystemClock(), metrics);
      const sizes = sharedQueue(rig, { units });
      const keys = ['a', 'b', 'c'];
      await addAll(keys);
      proxy.cutNextCommit(cut);
      await pass(rig);
      expect(proxy.cuts).toBe(1);
      expect(await effects()).toEqual(cut === 'after' ? keys : []);
      queues.clock.advance(HOUR_MS);
      await pass(rig);

      expect(await effects()).toEqual(keys);
      expect(await queues.sql('select distinct state, failures from job')).toEqual([
        { state: 'done', failures: 0 },
      ]);
      expect(sizes).toEqual(cut === 'after' ? [3] : [3, 3]);
    });
  },
);
