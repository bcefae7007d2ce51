import fc from 'fast-check';
import { LlmLedgerRepository } from '../../src/llm';
import type { AttemptOutcome } from '../../src/llm/errors';
import type { Tx } from '../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import {
  type Columns,
  type Cycles,
  type CycleStep,
  named,
  walk,
  walkRound,
} from '../support/cycles';
import { settingsForTests } from '../support/settings';

/*
 * The requests of one answer and their attempts go round two times, ten times and at random: after each statement all
 * rows are as the model says, and so are the sums that are read from them.
 */

const MINUTE_MS = 60_000;
const WINDOW_MS = 10 * MINUTE_MS;
const UNCOUNTED = 50;
const SUBJECT = 'flush:1';

let database: TestDatabase;
let ledger: LlmLedgerRepository;
/** The ids of the attempts, in order. */
let ids: string[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  const prices = { OPENAI_INPUT_PRICE: '1', OPENAI_OUTPUT_PRICE: '2' };
  ledger = new LlmLedgerRepository(settingsForTests(prices), database.clock);
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Attempt {
  readonly n: number;
  readonly requestedAt: number;
  readonly epoch: number;
  readonly outcome: string;
  readonly tokens: number | null;
  readonly costUsd: number | null;
  readonly latencyMs: number | null;
  readonly error: string | null;
  readonly sentAt: number;
  readonly endedAt: number | null;
}

interface Ledger extends Columns {
  readonly attempts: readonly Attempt[];
}

const SENT = {
  outcome: 'sent',
  tokens: null,
  costUsd: null,
  latencyMs: null,
  error: null,
  endedAt: null,
};

/** An interview has one request for an answer, asked again in each epoch. */
function opening(name: string): CycleStep<Ledger> {
  const n = 1;
  return {
    name,
    model: ({ attempts }, now) => {
      const requestedAt = attempts[0]?.requestedAt ?? now;
      const added = { ...SENT, n, requestedAt, epoch: attempts.length + 1, sentAt: now };
      return { attempts: [...attempts, added] };
    },
    run: async ({ attempts }) => {
      const epoch = attempts.length + 1;
      const of = { subject: SUBJECT, purpose: 'interview', n, epoch, model: 'm' } as const;
      ids.push((await inTx((tx) => ledger.open(tx, of))).attemptId);
    },
  };
}

function settling(name: string, which: 0 | -1, outcome: AttemptOutcome): CycleStep<Ledger> {
  const tokens = outcome === 'ok' ? { inputTokens: 30, outputTokens: 10 } : {};
  const error = outcome === 'ok' ? {} : { error: 'status_500' };
  return {
    name,
    may: ({ attempts }) => attempts.length > 0,
    model: ({ attempts }, now) => {
      const of = attempts.at(which);
      const settled = {
        outcome,
        tokens: outcome === 'ok' ? 40 : null,
        costUsd: outcome === 'ok' ? 0.00005 : null,
        latencyMs: 7,
        error: outcome === 'ok' ? null : 'status_500',
        endedAt: now,
      };
      const isIt = (one: Attempt): boolean => one === of && one.endedAt === null;
      return { attempts: attempts.map((one) => (isIt(one) ? { ...one, ...settled } : one)) };
    },
    run: () =>
      inTx((tx) =>
        ledger.settle(tx, ids.at(which) ?? '', { outcome, latencyMs: 7, ...tokens, ...error }),
      ),
  };
}

const STEPS: readonly CycleStep<Ledger>[] = [
  opening('ask'),
  settling('succeed', -1, 'ok'),
  settling('fail', -1, 'error'),
  settling('settle the first late', 0, 'error'),
  {
    name: 'sum after 4 min',
    afterMs: 4 * MINUTE_MS,
    model: () => ({}),
    run: async ({ attempts }) => {
      const now = database.clock.now().getTime();
      const recent = attempts.filter(({ sentAt }) => now - sentAt < WINDOW_MS);
      const spent = recent.reduce((sum, { tokens }) => sum + (tokens ?? UNCOUNTED), 0);
      const failed = attempts.filter(({ outcome }) => outcome === 'error').length;
      const of = { purpose: 'interview', windowMs: WINDOW_MS, uncounted: UNCOUNTED } as const;
      expect(await inTx((tx) => ledger.tokensSpent(tx, of))).toBe(spent);
      expect(await inTx((tx) => ledger.failuresOf(tx, SUBJECT))).toMatchObject({ count: failed });
    },
  },
];

const READ = `
select r.n, r.created_at as "requestedAt", a.epoch, a.outcome,
  a.input_tokens + a.output_tokens as tokens, a.cost_usd::float8 as "costUsd",
  a.latency_ms as "latencyMs", a.error, a.sent_at as "sentAt", a.ended_at as "endedAt"
from llm_attempt a join llm_request r on r.id = a.request_id where r.subject = $1 order by a.id`;

async function read(): Promise<Columns> {
  const rows = await database.sql<Columns>(READ, [SUBJECT]);
  return {
    attempts: rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          value instanceof Date ? value.getTime() : value,
        ]),
      ),
    ),
  };
}

function cycles(): Cycles<Ledger> {
  return {
    clock: database.clock,
    steps: STEPS,
    begin: async () => {
      await database.sql('delete from llm_request');
      ids = [];
      return { attempts: [] };
    },
    read,
  };
}

describe('the requests of an answer that go round', () => {
  test.each(
    named([
      ['ask', 'fail'],
      ['ask', 'succeed', 'fail', 'sum after 4 min'],
      ['ask', 'ask', 'settle the first late', 'succeed'],
      ['ask', 'fail', 'ask', 'sum after 4 min', 'succeed', 'sum after 4 min'],
    ]),
  )('%s: two times and ten times', async (_, cycle) => {
    await walkRound(cycles(), cycle);
  });

  test('at random', async () => {
    const list = fc.array(fc.constantFrom(...STEPS.map(({ name }) => name)), {
      minLength: 10,
      maxLength: 20,
    });
    await fc.assert(
      fc.asyncProperty(list, async (steps) => {
        await walk(cycles(), steps);
      }),
      { seed: 50, numRuns: 5 },
    );
  });
});
