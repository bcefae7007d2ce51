import { PeerUnavailableError } from '../../src/jobs';
import { type JobRig, completing, jobHandler } from '../support/jobs';
import { TestJobs } from './test-jobs';

let queues: TestJobs;

beforeAll(async () => {
  queues = await TestJobs.open();
});
afterAll(() => queues.close());
afterEach(() => queues.reset());

const HOUR_MS = 3_600_000;
const FORBIDDEN = { mayConcernJobOnly: true };

interface PeerOptions {
  readonly maxFailures?: number;
  readonly error?: () => Error;
  /** What a failing flow does before it fails. */
  readonly before?: (flow: { peerResponded(): void }) => void;
}

/** A queue whose peer fails for keys that begin with `bad` and responds to the others. */
function peerQueue(rig: JobRig, options: PeerOptions = {}): string[] {
  const runs: string[] = [];
  const complete = completing(rig, queues.units);
  rig.registry.register(
    jobHandler({
      queue: 'flush',
      concurrency: 100,
      maxFailures: options.maxFailures ?? 3,
      run: (claim, flow) => {
        runs.push(claim.key);
        if (claim.key.startsWith('bad')) {
          options.before?.(flow);
          return Promise.reject(options.error?.() ?? new PeerUnavailableError('403', FORBIDDEN));
        }
        flow.peerResponded();
        return complete(claim);
      },
    }),
  );
  return runs;
}

async function pass(rig: JobRig): Promise<void> {
  await rig.worker.tick();
  await rig.worker.waitUntilSettled(HOUR_MS);
}

/** A pass at the time when the waiting row is due and its queue's breaker lets it through. */
async function passWhenDue(rig: JobRig, id: string): Promise<void> {
  queues.clock.advance(Math.max(0, await queues.dueInMs(id)) + 1);
  await pass(rig);
}

/** Another job of the queue, to which the peer responds. */
async function succeed(rig: JobRig): Promise<void> {
  await queues.add({ queue: 'flush', key: `good ${queues.clock.monotonicMs()}` });
  queues.clock.advance(1000);
  await pass(rig);
  expect(rig.breakers.state('flush')).toBe('closed');
}

describe('a job whose peer fails for it alone', () => {
  test('counts its own failures and is dead after the maximum', async () => {
    const rig = queues.another();
    peerQueue(rig);
    const id = await queues.add({ queue: 'flush', key: 'bad' });
    await pass(rig);
    expect(await queues.row(id)).toMatchObject({ state: 'retry', failures: 0, given_back: 1 });

    for (let failures = 1; failures <= 3; failures += 1) {
      // The peer responds to another job while the bad one waits, so the bad one then fails alone.
      await queues.sql(`update job set due_at = due_at + interval '1 hour' where id = $1`, [id]);
      await succeed(rig);
      await queues.sql(`update job set due_at = due_at - interval '1 hour' where id = $1`, [id]);
      await passWhenDue(rig, id);
      expect(await queues.row(id)).toMatchObject({ failures, given_back: 1 });
      expect(rig.breakers.state('flush')).toBe('closed');
    }

    const row = await queues.row(id);
    expect(row.state).toBe('dead');
    expect(row.last_error).toBe(
      'the peer responds to other jobs and fails only for this one: peer_unavailable: 403',
    );
  });

  test('is recognised within one attempt', async () => {
    const rig = queues.another();
    peerQueue(rig);
    const id = await queues.add({ queue: 'flush', key: 'bad' });
    await queues.add({ queue: 'flush', key: 'good' });

    await pass(rig);

    expect(await queues.row(id)).toMatchObject({ failures: 1, given_back: 0 });
    expect(rig.breakers.state('flush')).toBe('closed');
  });

  test('is recognised by a replica on which other jobs succeed', async () => {
    const [here, there] = [queues.another(), queues.another()];
    peerQueue(here);
    peerQueue(there);
    const id = await queues.add({ queue: 'flush', key: 'bad' });
    await pass(here);
    await queues.add({ queue: 'flush', key: 'good' });
    await pass(there);

    await passWhenDue(there, id);

    expect(await queues.row(id)).toMatchObject({ failures: 1, given_back: 1 });
  });
});

describe('no failure of the job is counted', () => {
  test('when the other jobs succeeded only before its last failure', async () => {
    const rig = queues.another();
    peerQueue(rig);
    await queues.add({ queue: 'flush', key: 'good' });
    await pass(rig);
    queues.clock.advance(1);
    const id = await queues.add({ queue: 'flush', key: 'bad' });

    await pass(rig);

    expect(await queues.row(id)).toMatchObject({ failures: 0, given_back: 1 });
  });

  test('when the peer responded to this job only', async () => {
    const rig = queues.another();
    peerQueue(rig, {
      before: (flow) => {
        flow.peerResponded();
      },
    });
    const id = await queues.add({ queue: 'flush', key: 'bad' });

    await pass(rig);
    queues.clock.advance(2000);
    await pass(rig);

    expect(await queues.row(id)).toMatchObject({ failures: 0, given_back: 2 });
  });

  test('when the peer asks every caller to slow down (429)', async () => {
    const rig = queues.another();
    peerQueue(rig, { error: () => new PeerUnavailableError('429') });
    const id = await queues.add({ queue: 'flush', key: 'bad' });
    await queues.add({ queue: 'flush', key: 'good' });

    await pass(rig);

    expect(await queues.row(id)).toMatchObject({ failures: 0, given_back: 1 });
    expect(rig.breakers.isOpen('flush')).toBe(true);
  });
});

describe('the breaker', () => {
  test('stays closed at one failure if the peer responded to others in the last 10 s', async () => {
    const rig = queues.another();
    peerQueue(rig);
    await succeed(rig);
    await queues.add({ queue: 'flush', key: 'bad' });
    queues.clock.advance(9000);
    await pass(rig);

    expect(rig.breakers.state('flush')).toBe('closed');
  });

  test('opens at once when a second job fails', async () => {
    const rig = queues.another();
    peerQueue(rig);
    await succeed(rig);
    queues.clock.advance(1);
    for (const key of ['bad 1', 'bad 2']) await queues.add({ queue: 'flush', key });
    await pass(rig);

    expect(rig.breakers.state('flush')).toBe('open');
  });

  test('opens at one failure if the peer responded to no job for 10 s', async () => {
    const rig = queues.another();
    peerQueue(rig);
    await succeed(rig);
    queues.clock.advance(10_001);
    await queues.add({ queue: 'flush', key: 'bad' });
    await pass(rig);

    expect(rig.breakers.state('flush')).toBe('open');
  });

  test('delays a new job by at most 1 s, however often one job alone has failed', async () => {
    const rig = queues.another();
    const runs = peerQueue(rig);
    await queues.add({ queue: 'flush', key: 'bad' });
    for (let n = 0; n < 8; n += 1) {
      await pass(rig);
      queues.clock.advance(30_000);
    }
    await pass(rig);
    await queues.add({ queue: 'flush', key: 'good' });
    queues.clock.advance(1000);
    await pass(rig);

    expect(runs.at(-1)).toBe('good');
  });
});

test('a job that is given back waits longer each time, up to 30 s', async () => {
  const rig = queues.another();
  peerQueue(rig);
  const id = await queues.add({ queue: 'flush', key: 'bad' });
  const since = queues.clock.now();
  const waits: number[] = [];
  await pass(rig);
  for (let n = 0; n < 8; n += 1) {
    waits.push(await queues.dueInMs(id));
    queues.clock.advance(30_000);
    await pass(rig);
  }

  const longest = [1, 2, 4, 8, 16, 30, 30, 30].map((seconds) => seconds * 1000);
  for (const [n, wait] of waits.entries()) {
    expect(wait).toBeGreaterThanOrEqual((longest[n] ?? 0) / 2 - 1);
    expect(wait).toBeLessThanOrEqual(longest[n] ?? 0);
  }
  const row = await queues.row(id);
  expect(row.given_back).toBe(9);
  expect(row.given_back_since).toEqual(since);
});

describe('with one job that always fails', () => {
  const STEP_MS = 100;
  const STEPS = 250;
  /** Response time of the peer; the waits of the queue are added to it. */
  const REPLY_MS = 1000;

  /** The time from due to done of every good job, in milliseconds, sorted. */
  async function times(rig: JobRig, withBadJob: boolean): Promise<number[]> {
    const runs = peerQueue(rig, { maxFailures: 1_000_000 });
    if (withBadJob) await queues.add({ queue: 'flush', key: 'bad' });
    const addedAtMs = new Map<string, number>();
    const tookMs: number[] = [];
    for (let step = 0; step < STEPS; step += 1) {
      const key = `good ${step}`;
      // The first pass has the bad one alone.
      if (step > 0) {
        addedAtMs.set(key, queues.clock.monotonicMs());
        await queues.add({ queue: 'flush', key });
      }
      await pass(rig);
      for (const done of runs.splice(0)) {
        const atMs = addedAtMs.get(done);
        if (atMs !== undefined) tookMs.push(queues.clock.monotonicMs() - atMs + REPLY_MS);
      }
      queues.clock.advance(STEP_MS);
    }
    return tookMs.sort((a, b) => a - b);
  }

  function p95(sorted: readonly number[]): number {
    return sorted[Math.floor(sorted.length * 0.95)] ?? NaN;
  }

  test('the p95 of the other jobs is at most 20 % higher than without it', async () => {
    const without = await times(queues.another(), false);
    await queues.reset();
    const withIt = await times(queues.another(), true);

    expect(p95(withIt)).toBeLessThanOrEqual(1.2 * p95(without));
    expect(withIt).toHaveLength(STEPS - 1);
  });
});
