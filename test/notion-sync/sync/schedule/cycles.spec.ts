import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Tx } from '../../../../src/common/uow';
import type { Claim } from '../../../../src/jobs';
import type { RunEnd } from '../../../../src/notion-sync/sync/board-runner';
import {
  BoardApprovals,
  ScheduleRepository,
} from '../../../../src/notion-sync/sync/schedule.repository';
import { type TestDatabase, openTestDatabase } from '../../../support/app-database';
import {
  type Columns,
  type Cycles,
  type CycleStep,
  named,
  walk,
  walkRound,
} from '../../../support/cycles';

/*
 * The row of a person's board, its approval and the rest of it in the queue go round two times, ten times and at
 * random: after each statement every column is as the model says.
 */

const HOUR_MS = 3_600_000;
const COUNTS = { loaded: 40, processed: 30, updated: 20, dropped: 3, apiCalls: 12 };
const TIMES = { timeToReadyMs: 500, queueWaitMs: 250, runMs: 750 };

let database: TestDatabase;
let schedule: ScheduleRepository;
let approvals: BoardApprovals;
let userId = '';

beforeAll(async () => {
  database = await openTestDatabase();
  schedule = new ScheduleRepository(database.clock);
  approvals = new BoardApprovals(database.clock);
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

/** Counters are bigints, which PostgreSQL gives as text. */
interface Board extends Columns {
  readonly looked_at: number | null;
  readonly last_end: string | null;
  readonly last_reason: string | null;
  readonly last_ended_at: number | null;
  readonly api_calls: number;
  readonly runs: string;
  readonly reruns: string;
  readonly total_loaded: string;
  readonly total_processed: string;
  readonly total_updated: string;
  readonly total_dropped: string;
  readonly total_api_calls: string;
  readonly swept_calls: number | null;
  readonly owed_calls: number;
  /** Until when the board is approved; null: it is not. */
  readonly approved_until: number | null;
  /** An open job of the queue has its rest. */
  readonly hasRest: boolean;
}

function plus(count: string, more: number): string {
  return String(Number(count) + more);
}

/** A claim of the board's queue: a running job. */
async function claim(): Promise<Claim> {
  const { id } = await database.one<{ id: string }>(
    `insert into job (queue, key, state, claim_no, due_at, first_at, single, worker)
     values ('notion-sync', $1, 'running', 1, $2, $2, true, 'w') returning id`,
    [userId, database.clock.now()],
  );
  return { jobId: id, queue: 'notion-sync', key: userId, claimNo: 1 } as Claim;
}

function ended(kind: RunEnd['kind'], approval?: RunEnd['approval']): CycleStep<Board> {
  const name = [kind, approval].filter((word) => word !== undefined).join(', ');
  return {
    name,
    model: (row, now) => {
      const isPartly = kind === 'partly';
      const swept = row.swept_calls;
      return {
        looked_at: now,
        last_end: kind,
        last_reason: name,
        last_ended_at: now,
        api_calls: COUNTS.apiCalls,
        runs: plus(row.runs, 1),
        // Something is left of it, or it was asked for meanwhile.
        reruns: plus(row.reruns, isPartly || row.hasRest ? 1 : 0),
        total_loaded: plus(row.total_loaded, COUNTS.loaded),
        total_processed: plus(row.total_processed, COUNTS.processed),
        total_updated: plus(row.total_updated, COUNTS.updated),
        total_dropped: plus(row.total_dropped, COUNTS.dropped),
        total_api_calls: plus(row.total_api_calls, COUNTS.apiCalls),
        owed_calls: row.owed_calls + (swept === null ? 0 : COUNTS.apiCalls - swept),
        swept_calls: swept !== null && isPartly ? 0 : null,
        hasRest: row.hasRest || isPartly,
        ...(approval === 'used' ? { approved_until: null } : {}),
        ...(approval === 'begun'
          ? { approved_until: Math.max(row.approved_until ?? 0, now + HOUR_MS) }
          : {}),
      };
    },
    run: async () => {
      const of = await claim();
      const end = { kind, counts: COUNTS, reason: name, approval };
      const [stored] = await inTx((tx) => schedule.end(tx, of, { end, ...TIMES }));
      expect(stored).toBeDefined();
      // The same claim again finds its job done, and stores nothing.
      expect(await inTx((tx) => schedule.end(tx, of, { end, ...TIMES }))).toEqual([]);
    },
  };
}

const STEPS: readonly CycleStep<Board>[] = [
  ended('ranked'),
  ended('ranked', 'used'),
  ended('partly', 'begun'),
  ended('braked'),
  ended('refused'),
  {
    name: 'the rest is claimed',
    model: () => ({ hasRest: false }),
    run: () =>
      database.sql(
        `update job set state = 'done', due_at = null where key = $1 and state = 'open'`,
        [userId],
      ),
  },
  {
    name: 'the sweep asks for it',
    may: ({ runs }) => runs !== '0',
    model: (_, now) => ({ looked_at: now, swept_calls: 5 }),
    run: () =>
      database.sql('update notion_user set looked_at = $2, swept_calls = 5 where user_id = $1', [
        userId,
        database.clock.now(),
      ]),
  },
  {
    name: 'approve',
    model: ({ approved_until: until }, now) => ({
      approved_until: Math.max(until ?? 0, now + 24 * HOUR_MS),
    }),
    run: () => inTx((tx) => approvals.approve(tx, userId)),
  },
  {
    name: 'die',
    model: (_, now) => ({
      looked_at: now,
      last_end: 'dead',
      last_reason: 'dead',
      last_ended_at: now,
      swept_calls: null,
    }),
    run: () => inTx((tx) => schedule.storeDead(tx, userId, 'dead')),
  },
];

const NEW: Board = {
  looked_at: null,
  last_end: null,
  last_reason: null,
  last_ended_at: null,
  api_calls: 0,
  runs: '0',
  reruns: '0',
  total_loaded: '0',
  total_processed: '0',
  total_updated: '0',
  total_dropped: '0',
  total_api_calls: '0',
  swept_calls: null,
  owed_calls: 0,
  approved_until: null,
  hasRest: false,
};

async function read(): Promise<Columns> {
  const [row] = await database.sql<Columns>('select * from notion_user where user_id = $1', [
    userId,
  ]);
  const more = await database.one<Columns>(
    `select (select expires_at from notion_board_approval where user_id = $1) as approved_until,
       exists (select from job where key = $1 and state = 'open') as "hasRest"`,
    [userId],
  );
  return { ...NEW, ...row, ...more };
}

function cycles(): Cycles<Board> {
  const begin = async (): Promise<Board> => {
    userId = randomUUID();
    return Promise.resolve(NEW);
  };
  return { clock: database.clock, steps: STEPS, begin, read };
}

describe('a board that goes round', () => {
  test.each(
    named([
      ['ranked'],
      ['partly, begun', 'the rest is claimed', 'ranked, used'],
      ['ranked', 'the sweep asks for it', 'ranked'],
      ['ranked', 'the sweep asks for it', 'partly, begun', 'the rest is claimed', 'ranked, used'],
      ['ranked', 'the sweep asks for it', 'die', 'ranked'],
      ['braked', 'approve', 'partly, begun', 'refused', 'the rest is claimed', 'ranked, used'],
    ]),
  )('%s: two times and ten times', async (_, cycle) => {
    await walkRound(cycles(), cycle);
  });

  test('at random', async () => {
    const names = STEPS.map(({ name }) => name);
    const list = fc.array(fc.constantFrom(...names), { minLength: 10, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(list, async (steps) => {
        await walk(cycles(), steps);
      }),
      { seed: 50, numRuns: 8 },
    );
  });
});
