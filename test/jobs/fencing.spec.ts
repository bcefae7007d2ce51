import { type Claim, LeaseLostError } from '../../src/jobs';
import { JobEndings } from '../../src/jobs/job-endings';
import { inCommit, queueOf } from '../support/jobs';
import { TestJobs } from './test-jobs';

/** Late writes of a lost claim change nothing. */

let queues: TestJobs;
let endings: JobEndings;

beforeAll(async () => {
  queues = await TestJobs.open();
  endings = new JobEndings(queues.units, queues.rig.rows);
});
afterAll(() => queues.close());
afterEach(() => queues.reset());

const LEASE_MS = 6000;

async function claimed(): Promise<Claim> {
  await queues.add({ queue: 'flush', key: 'k' });
  const { rows } = await queues.rig.claims.claimReady(queueOf('flush'), 1);
  return { ...rows[0], takenOver: false } as Claim;
}

describe('a claim that was given back and not taken again', () => {
  let claim: Claim;
  beforeEach(async () => {
    claim = await claimed();
    await endings.giveBack(claim, 'the peer is unavailable', 60_000);
  });

  test('cannot be fenced', async () => {
    const late = inCommit(queues.units, (tx) => queues.rig.jobs.fence(tx, claim));

    await expect(late).rejects.toBeInstanceOf(LeaseLostError);
  });

  test('cannot be completed', async () => {
    const late = inCommit(queues.units, (tx) => queues.rig.jobs.complete(tx, claim));

    await expect(late).rejects.toBeInstanceOf(LeaseLostError);
    expect(await queues.row(claim.jobId)).toMatchObject({ state: 'retry', claim_no: 1 });
  });
});

describe('claims of many jobs in one commit', () => {
  const keys = ['a', 'b', 'c'];
  let claims: Claim[];
  beforeEach(async () => {
    for (const key of keys) await queues.add({ queue: 'flush', key });
    const { rows } = await queues.rig.claims.claimReady(queueOf('flush'), keys.length);
    claims = rows.map((row) => ({ ...row, takenOver: false }));
    const [lost] = claims;
    await queues.sql('update job set claim_no = claim_no + 1 where id = $1', [lost?.jobId]);
  });

  test('are fenced one by one, and a lost one is left out', async () => {
    const held = await inCommit(queues.units, (tx) => queues.rig.jobs.fenceAll(tx, claims));

    expect([...held]).toEqual(claims.slice(1));
  });

  test('a lost claim is told apart from the claim that has its job now', async () => {
    const [lost] = claims;
    if (lost === undefined) throw new Error('nothing was claimed');
    const successor = { ...lost, claimNo: lost.claimNo + 1 };
    const together = [lost, successor];
    const held = await inCommit(queues.units, (tx) => queues.rig.jobs.fenceAll(tx, together));
    const done = await inCommit(queues.units, (tx) => queues.rig.jobs.completeHeld(tx, together));

    expect([[...held], [...done]]).toEqual([[successor], [successor]]);
  });

  test('are completed all or not at all', async () => {
    const complete = (some: readonly Claim[]) =>
      inCommit(queues.units, (tx) => queues.rig.jobs.completeAll(tx, some));
    const states = (): Promise<unknown> =>
      queues.sql('select state, count(*)::int as n from job group by state order by state');

    await expect(complete(claims)).rejects.toBeInstanceOf(LeaseLostError);
    expect(await states()).toEqual([{ state: 'running', n: 3 }]);
    await complete(claims.slice(1));
    expect(await states()).toEqual([
      { state: 'done', n: 2 },
      { state: 'running', n: 1 },
    ]);
  });
});

describe('the end of a claim that was taken over', () => {
  const ENDS: Record<string, (claim: Claim) => Promise<void>> = {
    failure: (claim) => endings.scheduleRetry(claim, 'too late', 60_000),
    'give-back': (claim) => endings.giveBack(claim, 'too late', 60_000),
    'counted failure': (claim) => endings.countFailure(claim, 'too late'),
  };

  test.each(Object.keys(ENDS))('%s changes nothing of the successor’s job', async (name) => {
    const claim = await claimed();
    queues.clock.advance(LEASE_MS);
    await queues.rig.claims.takeOver(queueOf('flush'), 1);

    await expect(ENDS[name]?.(claim)).rejects.toBeInstanceOf(LeaseLostError);

    expect(await queues.row(claim.jobId)).toMatchObject({
      state: 'running',
      claim_no: 2,
      failures: 0,
      last_error: null,
    });
    expect(await queues.dueInMs(claim.jobId)).toBe(LEASE_MS);
  });
});

test('a takeover does not wait for an earlier row of its key that was replayed', async () => {
  const first = await queues.add({ queue: 'flush', key: 'k' });
  await queues.sql(`update job set state = 'dead', due_at = null where id = $1`, [first]);
  const crashed = await claimed();
  await inCommit(queues.units, (tx) => queues.rig.jobs.replay(tx, first));
  queues.clock.advance(LEASE_MS);

  expect(await queues.rig.claims.takeOver(queueOf('flush'), 10)).toMatchObject([
    { jobId: crashed.jobId, claimNo: 2 },
  ]);
});
