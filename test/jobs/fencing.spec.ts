import { type Claim, LeaseLostError } from '../../src/jobs';
import { JobEndings } from '../../src/jobs/job-runner';
import { inCommit, queueOf } from '../support/jobs';
import { JobFixture } from './fixture';

/** Late writes of a lost claim change nothing. */

let fixture: JobFixture;
let endings: JobEndings;

beforeAll(async () => {
  fixture = await JobFixture.open();
  endings = new JobEndings(fixture.db.units, fixture.db.clock);
});
afterAll(() => fixture.close());
afterEach(() => fixture.reset());

const LEASE_MS = 6000;

async function claimed(): Promise<Claim> {
  await fixture.add({ queue: 'flush', key: 'k' });
  const [row] = await fixture.rig.claims.claimReady(queueOf('flush'), 1);
  return { ...row, takenOver: false } as Claim;
}

describe('a claim that was given back and not taken again', () => {
  let claim: Claim;
  beforeEach(async () => {
    claim = await claimed();
    await endings.giveBack(claim, 'the peer is unavailable', 60_000);
  });

  test('cannot be fenced', async () => {
    const late = inCommit(fixture.db.units, (tx) => fixture.rig.jobs.fence(tx, claim));

    await expect(late).rejects.toBeInstanceOf(LeaseLostError);
  });

  test('cannot be completed', async () => {
    const late = inCommit(fixture.db.units, (tx) => fixture.rig.jobs.complete(tx, claim));

    await expect(late).rejects.toBeInstanceOf(LeaseLostError);
    expect(await fixture.row(claim.jobId)).toMatchObject({ state: 'retry', claim_no: 1 });
  });
});

describe('claims of many jobs in one commit', () => {
  const keys = ['a', 'b', 'c'];
  let claims: Claim[];
  beforeEach(async () => {
    for (const key of keys) await fixture.add({ queue: 'flush', key });
    const rows = await fixture.rig.claims.claimReady(queueOf('flush'), keys.length);
    claims = rows.map((row) => ({ ...row, takenOver: false }));
    const [lost] = claims;
    await fixture.sql('update job set claim_no = claim_no + 1 where id = $1', [lost?.jobId]);
  });

  test('are fenced one by one, and a lost one is left out', async () => {
    const held = await inCommit(fixture.db.units, (tx) => fixture.rig.jobs.fenceAll(tx, claims));

    expect([...held]).toEqual(claims.slice(1));
  });

  test('are completed all or not at all', async () => {
    const complete = (some: readonly Claim[]) =>
      inCommit(fixture.db.units, (tx) => fixture.rig.jobs.completeAll(tx, some));
    const states = (): Promise<unknown> =>
      fixture.sql('select state, count(*)::int as n from job group by state order by state');

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
    failure: (claim) => endings.fail(claim, 'too late', 60_000),
    'give-back': (claim) => endings.giveBack(claim, 'too late', 60_000),
    'counted failure': (claim) => endings.countFailure(claim, 'too late'),
  };

  test.each(Object.keys(ENDS))('%s changes nothing of the successor’s job', async (name) => {
    const claim = await claimed();
    fixture.db.clock.advance(LEASE_MS);
    await fixture.rig.claims.takeOver(queueOf('flush'), 1);

    await expect(ENDS[name]?.(claim)).rejects.toBeInstanceOf(LeaseLostError);

    expect(await fixture.row(claim.jobId)).toMatchObject({
      state: 'running',
      claim_no: 2,
      failures: 0,
      last_error: null,
    });
    expect(await fixture.dueInMs(claim.jobId)).toBe(LEASE_MS);
  });
});

test('a takeover does not wait for an earlier row of its key that was replayed', async () => {
  const first = await fixture.add({ queue: 'flush', key: 'k' });
  await fixture.sql(`update job set state = 'dead', due_at = null where id = $1`, [first]);
  const crashed = await claimed();
  await inCommit(fixture.db.units, (tx) => fixture.rig.jobs.replay(tx, first));
  fixture.db.clock.advance(LEASE_MS);

  expect(await fixture.rig.claims.takeOver(queueOf('flush'), 10)).toMatchObject([
    { jobId: crashed.jobId, claimNo: 2 },
  ]);
});
