import { type Claim, type JobFlow, callUnderLease } from '../../src/jobs';
import type { UnitOfWork } from '../../src/common/uow';
import { type JobRig, jobHandler } from '../support/jobs';
import { TestJobs } from './test-jobs';

let queues: TestJobs;

beforeAll(async () => {
  queues = await TestJobs.open();
});
afterAll(() => queues.close());
afterEach(() => queues.reset());

const LEASE_MS = 6000;

/** Runs the only due job with `run`; returns the unit that its flow had. */
async function runOne(
  run: (claim: Claim, flow: JobFlow, rig: JobRig) => Promise<void>,
): Promise<UnitOfWork | undefined> {
  const rig = queues.another();
  let unit: UnitOfWork | undefined;
  rig.registry.register(
    jobHandler({
      queue: 'score',
      run: (claim, flow) => {
        unit = flow.uow;
        return run(claim, flow, rig);
      },
    }),
  );
  await queues.add({ queue: 'score', key: 'k' });
  await rig.worker.tick();
  await rig.worker.waitUntilSettled(LEASE_MS);
  return unit;
}

describe('a job has one unit of work', () => {
  test('through which all its commits go, open until its flow has ended', async () => {
    const openBefore = queues.units.openUnits;
    const openDuring: number[] = [];

    await runOne(async (claim, { uow }, rig) => {
      await uow.commit('test.first', (tx) => rig.jobs.fence(tx, claim));
      openDuring.push(queues.units.openUnits - openBefore);
      await uow.commit('test.last', (tx) => rig.jobs.complete(tx, claim));
    });

    expect(openDuring).toEqual([1]);
    expect(queues.units.openUnits).toBe(openBefore);
    expect(await queues.sql('select state from job')).toEqual([{ state: 'done' }]);
  });

  const ENDS: Record<string, (claim: Claim, flow: JobFlow, rig: JobRig) => Promise<void>> = {
    completed: (claim, { uow }, rig) =>
      uow.commit('test.complete', (tx) => rig.jobs.complete(tx, claim)),
    failed: () => Promise.reject(new Error('the test fails it')),
    'left uncompleted': () => Promise.resolve(),
    'taken over': async (claim, { uow }, rig) => {
      await queues.sql('update job set claim_no = claim_no + 1');
      await uow.commit('test.complete', (tx) => rig.jobs.complete(tx, claim));
    },
  };

  test.each(Object.keys(ENDS))('that is closed when the job is %s', async (end) => {
    const openBefore = queues.units.openUnits;

    const unit = await runOne((...flow) => ENDS[end]?.(...flow) ?? Promise.reject(new Error(end)));

    expect(queues.units.openUnits).toBe(openBefore);
    await expect(unit?.commit('test.late', () => Promise.resolve())).rejects.toMatchObject({
      code: 'unit_of_work_closed',
    });
  });

  test('that is closed when the job is dead before it runs', async () => {
    const openBefore = queues.units.openUnits;
    const id = await queues.add({ queue: 'score', key: 'k' });
    await queues.sql('update job set failures = 3');

    expect(await runOne(() => Promise.reject(new Error('it must not run')))).toBeUndefined();

    expect((await queues.row(id)).state).toBe('dead');
    expect(queues.units.openUnits).toBe(openBefore);
  });
});

describe('callUnderLease', () => {
  function flowOf(calls: string[], holdsLease = true) {
    return {
      assertLease: () => {
        calls.push('lease');
        if (!holdsLease) throw new Error('the lease is lost');
      },
      peerResponded: () => {
        calls.push('responded');
      },
    };
  }

  test('checks the lease before the call and reports the response after it', async () => {
    const calls: string[] = [];

    const result = await callUnderLease(flowOf(calls), () => {
      calls.push('call');
      return Promise.resolve(7);
    });

    expect(result).toBe(7);
    expect(calls).toEqual(['lease', 'call', 'responded']);
  });

  test('reports no response when the result of the call says that there was none', async () => {
    const calls: string[] = [];

    await callUnderLease(flowOf(calls), () => Promise.resolve('unavailable'), {
      hasResponded: (result) => result !== 'unavailable',
    });

    expect(calls).toEqual(['lease']);
  });

  test('makes no call without the lease', async () => {
    const calls: string[] = [];
    const calling = callUnderLease(flowOf(calls, false), () => {
      calls.push('call');
      return Promise.resolve();
    });

    await expect(calling).rejects.toThrow('the lease is lost');
    expect(calls).toEqual(['lease']);
  });

  test.each([
    ['an error that the peer responded with', true, ['lease', 'responded']],
    ['an error without a response', false, ['lease']],
  ])('throws %s', async (_what, isResponse, expected) => {
    const calls: string[] = [];
    const error = new Error('the call fails');

    const calling = callUnderLease(flowOf(calls), () => Promise.reject(error), {
      isResponse: (thrown) => thrown === error && isResponse,
    });

    await expect(calling).rejects.toBe(error);
    expect(calls).toEqual(expected);
  });
});
