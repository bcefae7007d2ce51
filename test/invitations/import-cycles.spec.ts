import type { Tx } from '../../src/common/uow';
import { newId } from '../../src/common/ids';
import type { RowProblem } from '../../src/invitations/file/problems';
import { InvitationImportRepository } from '../../src/invitations/invitation-import.repository';
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
 * An import settles its rows in batches, two and ten of them: after each statement its counters and what its rows are
 * is as the model says.
 */

const ROWS = 60;
/** Rows 1 and 4 are refused by the file itself. */
const REFUSED = [1, 4];
const DAY_MS = 24 * 3_600_000;
const CLOSED = { code: 'vacancy_closed', column: null } as unknown as RowProblem;

let database: TestDatabase;
let imports: InvitationImportRepository;
let vacancyId = '';
let candidateId = '';
let id = '';

beforeAll(async () => {
  database = await openTestDatabase();
  imports = new InvitationImportRepository(database.clock);
  await addConversation(database);
  ({ id: vacancyId } = await database.one<{ id: string }>('select id from vacancy'));
  ({ id: candidateId } = await database.one<{ id: string }>('select id from candidate'));
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Import extends Columns {
  readonly created: number;
  readonly refused: number;
  readonly settled_to: number;
  readonly created_at: number;
  readonly finished_at: number | null;
  /** Rows by what they are, and those that still keep what the file says of a person. */
  readonly createdRows: number;
  readonly refusedRows: number;
  readonly withPerson: number;
}

/** `created` of the next rows become invitations, `refused` after them do not. */
function settling(name: string, created: number, refused: number): CycleStep<Import> {
  const count = created + refused;
  return {
    name,
    may: (row) => row.withPerson >= count,
    model: (row, now) => {
      const isLast = row.withPerson === count;
      return {
        created: row.created + created,
        refused: row.refused + refused,
        createdRows: row.createdRows + created,
        refusedRows: row.refusedRows + refused,
        withPerson: row.withPerson - count,
        settled_to: isLast ? ROWS : (nextOf(row, count).at(-1) ?? 0),
        finished_at: isLast ? now : null,
      };
    },
    run: async (row) => {
      const known = await inTx((tx) => imports.find(tx, id));
      if (known === null) throw new Error('the import is missing');
      const waiting = await inTx((tx) => imports.next(tx, known, count));
      expect(waiting.map(({ n }) => n)).toEqual(nextOf(row, count));
      const rows = waiting.map(({ n }, index) =>
        index < created
          ? { n, candidateId, invitationId: newId(), links: Buffer.from('sealed') }
          : { n, problems: [CLOSED] },
      );
      const isLast = row.withPerson === count;
      await inTx((tx) => imports.settle(tx, id, { rows, isLast }));
    },
  };
}

/** The numbers of the next rows that wait. */
function nextOf({ settled_to: to }: Import, count: number): number[] {
  const after = Array.from({ length: ROWS - to }, (_, index) => to + index + 1);
  return after.filter((n) => !REFUSED.includes(n)).slice(0, count);
}

const STEPS: readonly CycleStep<Import>[] = [
  settling('create two', 2, 0),
  settling('create one and refuse one', 1, 1),
  settling('refuse three', 0, 3),
  {
    name: 'refuse the rest',
    model: (row, now) => ({
      refused: row.refused + row.withPerson,
      refusedRows: row.refusedRows + row.withPerson,
      withPerson: 0,
      settled_to: ROWS,
      finished_at: now,
    }),
    run: () => inTx((tx) => imports.refuseRest(tx, id, CLOSED)),
  },
  {
    name: 'be kept for 2 days',
    afterMs: 2 * DAY_MS,
    model: () => ({}),
    run: async () => {
      expect(await inTx((tx) => imports.deleteOld(tx, { keptDays: 30, limit: 10 }))).toBe(0);
    },
  },
];

function cycles(): Cycles<Import> {
  return {
    clock: database.clock,
    steps: STEPS,
    begin: async (now) => {
      id = newId();
      await database.sql('delete from invitation_import');
      const rows = Array.from({ length: ROWS }, (_, index) => ({
        n: index + 1,
        line: index + 2,
        externalId: null,
        given: REFUSED.includes(index + 1) ? null : { name: 'Ada', metadata: {} },
        problems: REFUSED.includes(index + 1) ? [CLOSED] : [],
      }));
      const sealingKey = Buffer.alloc(32);
      await inTx((tx) => imports.create(tx, { id, vacancyId, sealingKey, rows }));
      const refused = REFUSED.length;
      return {
        created: 0,
        refused,
        settled_to: 0,
        created_at: now,
        finished_at: null,
        createdRows: 0,
        refusedRows: refused,
        withPerson: ROWS - refused,
      };
    },
    read: () =>
      database.one<Columns>(
        `select i.*, r.* from invitation_import i cross join lateral (
           select count(*) filter (where invitation_id is not null and links is not null)::int
               as "createdRows",
             count(*) filter (where problems is not null)::int as "refusedRows",
             count(*) filter (where given is not null)::int as "withPerson"
           from invitation_import_row where import_id = i.id) r
         where i.id = $1`,
        [id],
      ),
  };
}

test.each(
  named([
    ['create two'],
    ['create one and refuse one', 'create two', 'be kept for 2 days'],
    ['refuse three', 'create one and refuse one'],
  ]),
)('an import that goes round: %s, two times and ten times', async (_, cycle) => {
  await walkRound(cycles(), cycle);
});

test.each(
  named([
    Array<string>(29).fill('create two'),
    [...Array<string>(18).fill('refuse three'), 'create two', 'create one and refuse one'],
    ['create two', ...Array<string>(10).fill('refuse the rest')],
  ]),
)('an import to its end: %s', async (_, steps) => {
  expect(await walk(cycles(), steps)).toEqual(steps);
  const ended = await inTx((tx) => imports.find(tx, id));
  expect(ended).toMatchObject({ settledTo: ROWS, finishedAt: database.clock.now() });
});
