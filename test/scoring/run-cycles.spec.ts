import fc from 'fast-check';
import { newId } from '../../src/common/ids';
import type { Tx } from '../../src/common/uow';
import type { Scorecard } from '../../src/scoring/scorecard';
import { ScoringRepository, type StoredSample } from '../../src/scoring/scoring.repository';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { addConversation } from '../support/conversations';
import {
  type Columns,
  type Cycles,
  type CycleStep,
  named,
  walk,
  walkRound,
} from '../support/cycles';

/*
 * The scorings of one interview go round two times, ten times and at random: after each statement every run, the number
 * of its samples, and whether the interview counts as scored are as the model says.
 */

const CARD = { isEmpty: true } as unknown as Scorecard;

let database: TestDatabase;
let scores: ScoringRepository;
let conversationId = '';
/** The ids of the runs, in order. */
let ids: string[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  scores = new ScoringRepository(database.clock);
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Run {
  readonly state: 'running' | 'done' | 'failed';
  readonly card: unknown;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The numbers of its samples. */
  readonly samples: readonly number[];
}

interface Runs extends Columns {
  readonly runs: readonly Run[];
  readonly isScored: boolean;
}

function scored(runs: readonly Run[]): Runs {
  return { runs, isScored: runs.some(({ state }) => state === 'done') };
}

function sample(n: number): StoredSample {
  return {
    questionId: 'why',
    kind: 'criterion',
    item: 'reason',
    n,
    rubricHash: 'r',
    model: 'm',
    parameters: {},
    promptName: 'p',
    promptVersion: 1,
    promptHash: 'h',
    input: [],
    inputHash: `i${String(n)}`,
    outcome: 'ok',
    output: '{}',
    reading: {} as never,
  };
}

/** Changes the last run but `back`. */
function withRun({ runs }: Runs, back: 1 | 2, change: (run: Run) => Partial<Run>): Runs {
  return scored(
    runs.map((run, at) => (at === runs.length - back ? { ...run, ...change(run) } : run)),
  );
}

function ending(name: string, back: 1 | 2, card: Scorecard | null): CycleStep<Runs> {
  return {
    name,
    may: ({ runs }) => runs.length >= back,
    model: (row, now) =>
      withRun(row, back, ({ state }) =>
        state === 'running' ? { state: card === null ? 'failed' : 'done', card, endedAt: now } : {},
      ),
    run: () => inTx((tx) => scores.endRun(tx, ids.at(-back) ?? '', card)),
  };
}

function sampling(name: string, n: number): CycleStep<Runs> {
  return {
    name,
    may: ({ runs }) => runs.length > 0,
    model: (row) =>
      withRun(row, 1, ({ samples }) => ({ samples: [...new Set([...samples, n])].toSorted() })),
    run: () => inTx((tx) => scores.addSample(tx, ids.at(-1) ?? '', sample(n))),
  };
}

const STEPS: readonly CycleStep<Runs>[] = [
  {
    name: 'open',
    model: (row, now) =>
      row.runs.at(-1)?.state === 'running'
        ? {}
        : scored([
            ...row.runs,
            { state: 'running', card: null, startedAt: now, endedAt: null, samples: [] },
          ]),
    run: async (row) => {
      const id = newId();
      const opened = await inTx((tx) => scores.openRun(tx, id, conversationId));
      const isNew = row.runs.at(-1)?.state !== 'running';
      if (isNew) ids.push(id);
      expect(opened).toMatchObject({ id: ids.at(-1), state: 'running' });
    },
  },
  sampling('sample 1', 1),
  sampling('sample 2', 2),
  ending('end', 1, CARD),
  ending('fail', 1, null),
  ending('end the run before it late', 2, CARD),
  {
    name: 'copy from the run before it',
    may: ({ runs }) => runs.length > 1,
    model: (row) => {
      const earlier = row.runs.at(-2)?.samples ?? [];
      return withRun(row, 1, ({ samples }) => ({
        samples: [...new Set([...samples, ...earlier.filter((n) => n === 1)])].toSorted(),
      }));
    },
    run: () => {
      const [runId = '', to = ''] = ids.slice(-2);
      return inTx((tx) => scores.copySamples(tx, to, { runId, samples: [sample(1)] }));
    },
  },
  {
    name: 'delete the run before it',
    may: ({ runs }) => runs.length > 1,
    model: ({ runs }) => scored(runs.filter((_, at) => at !== runs.length - 2)),
    run: () => {
      const [id = ''] = ids.splice(-2, 1);
      return inTx((tx) => scores.deleteRun(tx, id));
    },
  },
];

async function read(): Promise<Columns> {
  const runs = await inTx((tx) => scores.runsOf(tx, [conversationId]));
  const rows = [];
  for (const { id, state, card, startedAt, endedAt } of runs) {
    const samples = (await inTx((tx) => scores.samples(tx, id))).map(({ n }) => n).toSorted();
    const times = { startedAt: startedAt.getTime(), endedAt: endedAt?.getTime() ?? null };
    rows.push({ state, card, ...times, samples });
  }
  const { isScored } = await database.one<{ isScored: boolean }>(
    'select is_scored as "isScored" from conversation where id = $1',
    [conversationId],
  );
  return { runs: rows, isScored };
}

function cycles(): Cycles<Runs> {
  return {
    clock: database.clock,
    steps: STEPS,
    begin: async () => {
      conversationId = await addConversation(database);
      ids = [];
      return scored([]);
    },
    read,
  };
}

describe('the scorings of an interview that go round', () => {
  test.each(
    named([
      ['open', 'open', 'sample 1', 'sample 1', 'fail'],
      ['open', 'sample 1', 'end', 'fail', 'open', 'copy from the run before it', 'sample 2', 'end'],
      ['open', 'sample 2', 'fail', 'end', 'open', 'end the run before it late', 'fail'],
      ['open', 'end', 'open', 'fail', 'delete the run before it'],
    ]),
  )('%s: two times and ten times', async (_, cycle) => {
    await walkRound(cycles(), cycle);
  });

  test('at random', async () => {
    const names = STEPS.map(({ name }) => name);
    const list = fc.array(fc.constantFrom(...names), { minLength: 15, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(list, async (steps) => {
        await walk(cycles(), steps);
      }),
      { seed: 50, numRuns: 5 },
    );
  });
});
