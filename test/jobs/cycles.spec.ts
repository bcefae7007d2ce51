import fc from 'fast-check';
import type { Tx } from '../../src/common/uow';
import type { ClaimRef } from '../../src/jobs/job';
import { DebounceRepository } from '../../src/jobs/debounce.repository';
import { inCommit, queueOf } from '../support/jobs';
import { TestJobs } from './test-jobs';

/*
 * The row of a job has counters and times that some statements add to and others reset. Here it walks its
 * ways two times, ten times and at random, and after each statement every column is what a model says.
 */

const QUEUE = 'score';
const KEY = 'k';
const LEASE_MS = 6000;
const WINDOW_MS = 4000;
const LIMITS = { maxWaitMs: 60_000, maxSize: 5, maxChars: 1000 };

let queues: TestJobs;
let timers: DebounceRepository;

beforeAll(async () => {
  queues = await TestJobs.open();
  timers = new DebounceRepository(queues.clock, queues.rig.replica, queues.rig.jobs);
});
afterAll(() => queues.close());
beforeEach(() => queues.reset());

/** The columns that change, with times in milliseconds; null as in the row. */
interface Row {
  readonly state: 'open' | 'running' | 'retry' | 'done' | 'dead';
  readonly claim_no: number;
  readonly claims_without_progress: number;
  readonly failures: number;
  readonly given_back: number;
  readonly given_back_since: number | null;
  readonly failed_at: number | null;
  readonly last_error: string | null;
  readonly worker: string | null;
  readonly due_at: number | null;
  readonly leased_until: number | null;
  readonly ended_at: number | null;
  readonly first_at: number;
  readonly quiet_at: number;
  readonly count: number;
  readonly chars: number;
  readonly pending: number;
  readonly finished: boolean;
}

/** One statement: when it may come, what it does to the row, and the statement itself. */
interface Step {
  readonly name: string;
  readonly from: readonly Row['state'][];
  /** Before it, time passes until this. */
  readonly at?: (row: Row) => number;
  readonly model: (row: Row, now: number) => Partial<Row>;
  readonly run: (claim: ClaimRef, row: Row) => Promise<unknown>;
}

const here = () => queues.rig.replica.value;
const ended = (now: number) => ({ due_at: null, ended_at: now });

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return inCommit(queues.units, work);
}

/** When an open job is due, as functions/debounce_due_at.sql has it. */
function dueOf(row: Row, now: number): number {
  const isFull = row.count >= LIMITS.maxSize || row.chars >= LIMITS.maxChars;
  const quiet = row.pending > 0 ? Infinity : isFull ? now : row.quiet_at;
  return Math.min(row.first_at + LIMITS.maxWaitMs, quiet);
}

/** Columns of the timer, and the due time that follows from them. */
function timed(row: Row, change: Partial<Row>, now: number): Partial<Row> {
  return { ...change, due_at: dueOf({ ...row, ...change }, now) };
}

const STEPS: readonly Step[] = [
  {
    name: 'add',
    from: ['open'],
    model: (row, now) =>
      timed(
        row,
        {
          count: row.count + 1,
          chars: row.chars + 7,
          finished: false,
          worker: here(),
          quiet_at: Math.max(row.quiet_at, now + WINDOW_MS),
        },
        now,
      ),
    run: () => add(),
  },
  {
    name: 'finish',
    from: ['open'],
    model: (row, now) =>
      timed(row, { finished: true, quiet_at: row.finished ? row.quiet_at : now + 500 }, now),
    run: () =>
      inTx((tx) =>
        timers.finish(tx, { queue: QUEUE, key: KEY }, { windowMs: 500, limits: LIMITS }),
      ),
  },
  {
    name: 'resize',
    from: ['open'],
    model: (row, now) =>
      timed(
        row,
        {
          chars: row.chars + 3,
          quiet_at: row.finished ? row.quiet_at : Math.max(row.quiet_at, now + 900),
        },
        now,
      ),
    run: ({ jobId }) =>
      inTx((tx) =>
        timers.resize(tx, jobId, {
          charsChange: 3,
          pendingReleased: 0,
          windowMs: 900,
          limits: LIMITS,
        }),
      ),
  },
  {
    name: 'make open jobs due',
    from: ['open'],
    // Not one that is due, nor one that this replica did not add to or claim last.
    model: (row, now) =>
      (row.due_at ?? 0) > now && row.worker === here() ? { quiet_at: now, due_at: now } : {},
    run: () => inTx((tx) => timers.makeOpenDue(tx, QUEUE, { ownOnly: true })),
  },
  {
    name: 'make due',
    from: ['open', 'retry'],
    model: (row, now) => ({ due_at: now, quiet_at: Math.min(row.quiet_at, now) }),
    run: ({ jobId }) => inTx((tx) => timers.makeDue(tx, { queue: QUEUE, jobId })),
  },
  {
    name: 'claim',
    from: ['open', 'retry'],
    at: (row) => row.due_at ?? 0,
    model: claimed,
    run: () => queues.rig.claims.claimReady(queueOf(QUEUE), 1),
  },
  {
    name: 'claim at the first quiet time',
    from: ['open', 'retry'],
    at: (row) => row.first_at + WINDOW_MS,
    model: (row, now) => ((row.due_at ?? 0) > now ? {} : claimed(row, now)),
    run: () => queues.rig.claims.claimReady(queueOf(QUEUE), 1),
  },
  {
    name: 'renew',
    from: ['running'],
    model: (_, now) => ({ leased_until: now + LEASE_MS }),
    run: (claim) => queues.rig.claims.renew([claim]),
  },
  {
    name: 'take over',
    from: ['running'],
    at: (row) => Math.max(row.due_at ?? 0, row.leased_until ?? 0),
    model: claimed,
    run: () => queues.rig.claims.takeOver(queueOf(QUEUE), 1),
  },
  {
    name: 'fail',
    from: ['running'],
    model: (row, now) => ({
      state: 'retry',
      failures: row.failures + 1,
      claims_without_progress: 0,
      last_error: 'failed',
      failed_at: now,
      due_at: now + 1000,
    }),
    run: (claim) =>
      inTx((tx) =>
        queues.rig.rows.retry(tx, claim, { ownFailures: 1, delayMs: 1000, error: 'failed' }),
      ),
  },
  {
    name: 'give back',
    from: ['running'],
    model: (row, now) => ({
      state: 'retry',
      given_back: row.given_back + 1,
      given_back_since: row.given_back_since ?? now,
      claims_without_progress: 0,
      last_error: 'peer away',
      failed_at: now,
      due_at: now + 2000,
    }),
    run: (claim) =>
      inTx((tx) =>
        queues.rig.rows.retry(tx, claim, { ownFailures: 0, delayMs: 2000, error: 'peer away' }),
      ),
  },
  ...[false, true].map((isClosed): Step => ({
    name: isClosed ? 'put back, closed' : 'put back',
    from: ['running'],
    model: (_, now) => ({
      state: isClosed ? 'retry' : 'open',
      claims_without_progress: 0,
      due_at: now + 3000,
    }),
    run: (claim) =>
      inTx((tx) =>
        timers.putBack(tx, { ...claim, queue: QUEUE, key: KEY }, { delayMs: 3000, isClosed }),
      ),
  })),
  {
    name: 'release what was put back',
    from: ['open', 'retry'],
    model: (row, now) =>
      row.claim_no > 0 &&
      (row.state === 'open' || (row.failures === 0 && row.given_back_since === null))
        ? { due_at: dueOf(row, now) }
        : {},
    run: () => inTx((tx) => timers.releasePutBack(tx, { queue: QUEUE, keys: [KEY] }, LIMITS)),
  },
  {
    name: 'hand back',
    from: ['running'],
    model: (row, now) => ({ ...handedBack(row), due_at: now }),
    run: (claim) => queues.rig.claims.handBack([claim], 0),
  },
  {
    name: 'hand back a failure',
    from: ['running'],
    model: (row, now) => ({
      ...handedBack(row),
      failures: row.failures + 1,
      last_error: 'unstored',
      due_at: now + 100,
    }),
    run: (claim, row) => {
      const ownFailure = { failures: row.failures + 1, error: 'unstored' };
      return queues.rig.claims.handBack([{ ...claim, ownFailure }], 100);
    },
  },
  {
    name: 'count a failure',
    from: ['running'],
    model: (row) => ({ failures: row.failures + 1, last_error: 'counted' }),
    run: (claim) => inTx((tx) => queues.rig.rows.countFailure(tx, claim, 'counted')),
  },
  {
    name: 'complete',
    from: ['running'],
    model: (_, now) => ({ ...ended(now), state: 'done', claims_without_progress: 0 }),
    run: (claim) => inTx((tx) => queues.rig.rows.complete(tx, claim)),
  },
  {
    name: 'die',
    from: ['running'],
    model: (row, now) => ({
      ...ended(now),
      state: 'dead',
      failures: row.failures + 1,
      last_error: 'dead',
    }),
    run: (claim, row) =>
      inTx((tx) =>
        queues.rig.rows.markDead(tx, claim, { failures: row.failures + 1, error: 'dead' }),
      ),
  },
  {
    name: 'replay',
    from: ['dead'],
    model: (_, now) => ({
      state: 'retry',
      due_at: now,
      ended_at: null,
      failures: 0,
      claims_without_progress: 0,
      given_back: 0,
      given_back_since: null,
      failed_at: null,
    }),
    run: ({ jobId }) => inTx((tx) => queues.rig.rows.replay(tx, jobId)),
  },
  {
    name: 'abandon',
    from: ['retry', 'dead'],
    model: (_, now) => ({ ...ended(now), state: 'dead' }),
    run: ({ jobId }) => inTx((tx) => queues.rig.rows.abandon(tx, jobId)),
  },
];

function claimed(row: Row, now: number): Partial<Row> {
  return {
    state: 'running',
    claim_no: row.claim_no + 1,
    claims_without_progress: row.claims_without_progress + 1,
    worker: here(),
    due_at: now + LEASE_MS,
    leased_until: null,
  };
}

function handedBack(row: Row): Partial<Row> {
  return {
    claim_no: row.claim_no + 1,
    claims_without_progress: 0,
    worker: null,
    leased_until: null,
  };
}

function add(): Promise<string> {
  return inTx((tx) =>
    timers.add(tx, { queue: QUEUE, key: KEY }, { chars: 7, windowMs: WINDOW_MS, limits: LIMITS }),
  );
}

function begun(now: number): Row {
  const row: Row = {
    state: 'open',
    claim_no: 0,
    claims_without_progress: 0,
    failures: 0,
    given_back: 0,
    given_back_since: null,
    failed_at: null,
    last_error: null,
    worker: here(),
    due_at: null,
    leased_until: null,
    ended_at: null,
    first_at: now,
    quiet_at: now + WINDOW_MS,
    count: 1,
    chars: 7,
    pending: 0,
    finished: false,
  };
  return { ...row, due_at: dueOf(row, now) };
}

async function stored(jobId: string): Promise<Row> {
  const row = { ...(await queues.row(jobId)) } as unknown as Record<string, unknown>;
  const columns = Object.keys(begun(0)).map((column) => {
    const value = row[column];
    return [column, value instanceof Date ? value.getTime() : value];
  });
  return Object.fromEntries(columns) as Row;
}

/** Walks these steps from a new job; a step that cannot come in the state is left out. Returns those taken. */
async function walk(names: readonly string[]): Promise<string[]> {
  let row = begun(queues.clock.now().getTime());
  const jobId = await add();
  expect(await stored(jobId)).toEqual(row);
  const taken: string[] = [];
  for (const name of names) {
    const step = STEPS.find((one) => one.name === name);
    if (step === undefined) throw new Error(`there is no step ${name}`);
    if (!step.from.includes(row.state)) continue;
    // Each statement at a time of its own, so that no time can pass for another.
    queues.clock.advance(Math.max(1, (step.at?.(row) ?? 0) - queues.clock.now().getTime()));
    const next = { ...row, ...step.model(row, queues.clock.now().getTime()) };
    await step.run({ jobId, claimNo: row.claim_no }, row);
    taken.push(name);
    expect({ taken, row: await stored(jobId) }).toEqual({ taken, row: next });
    row = next;
  }
  return taken;
}

const CYCLES: readonly (readonly string[])[] = [
  ['claim', 'put back'],
  ['claim', 'put back', 'add'],
  ['claim', 'put back, closed'],
  ['claim', 'put back, closed', 'release what was put back', 'abandon', 'replay'],
  ['claim', 'put back', 'finish', 'add'],
  ['claim', 'give back'],
  ['claim', 'give back', 'release what was put back'],
  ['claim', 'fail'],
  ['claim', 'fail', 'make due'],
  ['claim', 'give back', 'claim', 'fail'],
  ['claim', 'take over', 'put back'],
  ['claim', 'take over', 'take over', 'fail'],
  ['claim', 'renew', 'take over', 'renew', 'give back'],
  ['claim', 'hand back', 'take over', 'put back'],
  ['claim', 'hand back a failure', 'take over', 'fail'],
  ['claim', 'count a failure', 'take over', 'die', 'replay'],
  ['claim', 'give back', 'claim', 'fail', 'claim', 'die', 'replay'],
  ['claim', 'fail', 'abandon', 'replay'],
];

describe('a job that goes round', () => {
  test.each(CYCLES.map((cycle) => [cycle.join(', '), cycle] as const))(
    '%s: two times and ten times, and every column is as in the model',
    async (_, cycle) => {
      for (const times of [2, 10]) {
        await queues.reset();
        const steps = Array.from({ length: times }, () => cycle).flat();
        expect(await walk(steps)).toEqual(steps);
      }
    },
  );

  test('at random, until it is done', async () => {
    const names = STEPS.map(({ name }) => name);
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...names), { minLength: 20, maxLength: 40 }),
        async (steps) => {
          await queues.reset();
          for (const name of await walk(steps)) seen.add(name);
        },
      ),
      { seed: 50, numRuns: 25 },
    );
    expect([...seen].sort()).toEqual([...names].sort());
  });
});
