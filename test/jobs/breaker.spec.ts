import {
  type Claim,
  type JobHandlerClass,
  PeerUnavailableError,
  type JobFlow,
} from '../../src/jobs';
import { type JobRig, completing, jobHandler } from '../support/jobs';
import { type Gate, gate } from '../../tools/http-fake/gate';
import { TestJobs } from './test-jobs';

let queues: TestJobs;

beforeAll(async () => {
  queues = await TestJobs.open();
});
afterAll(() => queues.close());
afterEach(() => queues.reset());

const HOUR_MS = 3_600_000;

/** Registers a queue whose runs throw what `peer` returns; null: the peer responds. */
function peerQueue(rig: JobRig, peer: (claim: Claim) => Error | null): Claim[] {
  const runs: Claim[] = [];
  const complete = completing(rig, queues.units);
  rig.registry.register(
    jobHandler({
      queue: 'flush',
      concurrency: 100,
      run: (claim, flow) => {
        runs.push(claim);
        const error = peer(claim);
        if (!(error instanceof PeerUnavailableError)) flow.peerResponded();
        return error === null ? complete(claim) : Promise.reject(error);
      },
    }),
  );
  return runs;
}

async function pass(rig: JobRig): Promise<void> {
  await rig.worker.tick();
  await rig.worker.waitUntilSettled(HOUR_MS);
}

describe('a peer that fails as a whole', () => {
  test('gives the claim back, counts no failure, and pauses the queue', async () => {
    const rig = queues.another();
    const runs = peerQueue(rig, () => new PeerUnavailableError('refused'));
    const id = await queues.add({ queue: 'flush', key: 'a' });

    await pass(rig);
    expect(await queues.row(id)).toMatchObject({
      state: 'retry',
      failures: 0,
      claims_without_progress: 0,
      last_error: 'peer_unavailable: refused',
    });
    expect(rig.breakers.isOpen('flush')).toBe(true);

    await queues.add({ queue: 'flush', key: 'b' });
    await pass(rig);
    expect(runs).toHaveLength(1);
  });

  test('leaves other queues alone', async () => {
    const rig = queues.another();
    peerQueue(rig, () => new PeerUnavailableError('refused'));
    const complete = completing(rig, queues.units);
    rig.registry.register(jobHandler({ queue: 'score', run: complete }));
    await queues.add({ queue: 'flush', key: 'a' });
    await pass(rig);
    const id = await queues.add({ queue: 'score', key: 'a' });

    await pass(rig);

    expect((await queues.row(id)).state).toBe('done');
  });

  test('one claim is the probe, and its success lets all jobs run, oldest first', async () => {
    const rig = queues.another();
    let isDown = true;
    const runs = peerQueue(rig, () => (isDown ? new PeerUnavailableError('refused') : null));
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      ids.push(await queues.add({ queue: 'flush', key: `k${n}`, dueInMs: n }));
    }
    queues.clock.advance(10);
    await pass(rig);
    expect(runs).toHaveLength(5);

    queues.clock.advance(1000);
    await pass(rig);
    expect(runs).toHaveLength(6);
    expect(rig.breakers.isOpen('flush')).toBe(true);

    isDown = false;
    queues.clock.advance(2000);
    await pass(rig);
    expect(runs).toHaveLength(7);
    expect(rig.breakers.isOpen('flush')).toBe(false);
    await pass(rig);
    expect(runs).toHaveLength(11);
    const rows = await Promise.all(ids.map((id) => queues.row(id)));
    expect(rows.map((row) => row.state)).toEqual(ids.map(() => 'done'));
  });

  test('no call is made before a Retry-After is over', async () => {
    const rig = queues.another();
    const runs = peerQueue(rig, () => new PeerUnavailableError('429', { retryAfterMs: 45_000 }));
    await queues.add({ queue: 'flush', key: 'a' });
    await pass(rig);

    queues.clock.advance(44_999);
    await pass(rig);
    expect(runs).toHaveLength(1);
    queues.clock.advance(1);
    await pass(rig);
    expect(runs).toHaveLength(2);
  });

  test('a probe that ends with its own failure closes the breaker', async () => {
    const rig = queues.another();
    const errors = [new PeerUnavailableError('refused'), new Error('a bug')];
    peerQueue(rig, () => errors.shift() ?? null);
    const id = await queues.add({ queue: 'flush', key: 'a' });
    await pass(rig);
    queues.clock.advance(1000);
    await pass(rig);

    expect(rig.breakers.isOpen('flush')).toBe(false);
    expect((await queues.row(id)).failures).toBe(1);
  });

  test('after a probe that made no call the next claim is the probe', async () => {
    const rig = queues.another();
    const complete = completing(rig, queues.units);
    const runs: string[] = [];
    let isDown = true;
    const run: JobHandlerClass['run'] = (claim, flow) => {
      runs.push(claim.key);
      if (claim.key.startsWith('code')) return complete(claim);
      if (isDown) return Promise.reject(new PeerUnavailableError('refused'));
      flow.peerResponded();
      return complete(claim);
    };
    rig.registry.register(jobHandler({ queue: 'flush', concurrency: 100, run }));
    await queues.add({ queue: 'flush', key: 'a' });
    await pass(rig);
    for (const key of ['code 1', 'b', 'c']) {
      queues.clock.advance(1);
      await queues.add({ queue: 'flush', key });
    }
    await queues.sql(`update job set due_at = due_at - interval '1 minute' where key = 'code 1'`);

    queues.clock.advance(2000);
    await pass(rig);
    expect(runs).toEqual(['a', 'code 1']);
    expect(rig.breakers.state('flush')).toBe('half_open');

    isDown = false;
    await pass(rig);
    expect(runs).toHaveLength(3);
    expect(rig.breakers.state('flush')).toBe('closed');
  });

  test('the breaker closes at the first response of the peer, before the probe ends', async () => {
    const rig = queues.another();
    const responding: Gate<JobFlow> = gate();
    const end = gate();
    let isDown = true;
    const run: JobHandlerClass['run'] = (_, flow) => {
      if (isDown) return Promise.reject(new PeerUnavailableError('refused'));
      responding.open(flow);
      return end.opened.then(() => Promise.reject(new Error('the end of the test')));
    };
    rig.registry.register(jobHandler({ queue: 'flush', concurrency: 100, run }));
    await queues.add({ queue: 'flush', key: 'a' });
    await pass(rig);
    isDown = false;
    queues.clock.advance(2000);

    await rig.worker.tick();
    const probe = await responding.opened;
    expect(rig.breakers.state('flush')).toBe('half_open');
    probe.peerResponded();

    expect(rig.breakers.state('flush')).toBe('closed');
    end.open();
    await rig.worker.waitUntilSettled(HOUR_MS);
  });

  test('the probes rotate, so that one failing job does not block the others', async () => {
    const rig = queues.another();
    const runs = peerQueue(rig, ({ key }) =>
      key === 'bad' ? new PeerUnavailableError('500') : null,
    );
    await queues.add({ queue: 'flush', key: 'bad' });
    queues.clock.advance(1);
    await pass(rig);
    const good = await queues.add({ queue: 'flush', key: 'good' });
    await queues.sql(`update job set due_at = due_at - interval '1 second' where id = $1`, [good]);

    queues.clock.advance(1000);
    await pass(rig);

    expect(runs.map((claim) => claim.key)).toEqual(['bad', 'good']);
  });

  test('listeners are called at each change of state', async () => {
    const rig = queues.another();
    const changes: string[] = [];
    const stop = rig.breakers.onChange(({ queue, from, to, retryInMs }) => {
      changes.push(`${queue}: ${from} to ${to}`);
      expect(retryInMs > 0).toBe(to === 'open');
    });
    let isDown = true;
    peerQueue(rig, () => (isDown ? new PeerUnavailableError('refused') : null));
    await queues.add({ queue: 'flush', key: 'a' });

    await pass(rig);
    isDown = false;
    queues.clock.advance(1000);
    await pass(rig);
    stop();
    isDown = true;
    await queues.add({ queue: 'flush', key: 'b' });
    await pass(rig);

    expect(changes).toEqual([
      'flush: closed to open',
      'flush: open to half_open',
      'flush: half_open to closed',
    ]);
  });

  test('an outage of an hour makes no job dead and causes few calls', async () => {
    const rig = queues.another();
    let isDown = true;
    const runs = peerQueue(rig, () => (isDown ? new PeerUnavailableError('refused') : null));
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push(await queues.add({ queue: 'flush', key: `k${n}` }));

    for (let seconds = 0; seconds < 3600; seconds += 10) {
      await pass(rig);
      queues.clock.advance(10_000);
    }
    expect(runs.length).toBeGreaterThan(100);
    expect(runs.length).toBeLessThan(300);
    for (const id of ids) {
      expect(await queues.row(id)).toMatchObject({ state: 'retry', failures: 0 });
    }

    isDown = false;
    await pass(rig);
    queues.clock.advance(30_000);
    await pass(rig);
    await pass(rig);
    for (const id of ids) expect((await queues.row(id)).state).toBe('done');
  });
});

test('a failure of the database counts neither for the job nor for the peer', async () => {
  const { DatabaseUnavailableError } = await import('../../src/common/uow');
  const rig = queues.another();
  peerQueue(rig, () => new DatabaseUnavailableError('gone'));
  const id = await queues.add({ queue: 'flush', key: 'a' });

  await pass(rig);

  expect(await queues.row(id)).toMatchObject({ state: 'retry', failures: 0 });
  expect(rig.breakers.isOpen('flush')).toBe(false);
});
