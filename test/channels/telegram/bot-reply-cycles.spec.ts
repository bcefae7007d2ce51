import fc from 'fast-check';
import { BotReplyRepository } from '../../../src/channels/telegram/intake/bot-reply.repository';
import type { Tx } from '../../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';
import {
  type Columns,
  type Cycles,
  type CycleStep,
  named,
  walk,
  walkRound,
} from '../../support/cycles';

/*
 * The row of a reply of the bot goes round two times, ten times and at random: after each statement every column is
 * as the model says.
 */

const CHAT = 7;

let database: TestDatabase;
let replies: BotReplyRepository;
let id = '';

beforeAll(async () => {
  database = await openTestDatabase();
  replies = new BotReplyRepository(database.clock);
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Reply extends Columns {
  readonly tries: number;
  readonly created_at: number;
  readonly unknowns: number;
  readonly server_errors: number;
  readonly due_at: number | null;
  readonly outage_ms: number | null;
  readonly given_up_at: number | null;
}

const isWaiting = ({ given_up_at: at }: Reply): boolean => at === null;

function again(name: string, count: 'unknowns' | 'server_errors', outageMs: number | null) {
  const counted = (row: Reply): Reply => ({ ...row, [count]: row[count] + 1 });
  return {
    name,
    may: isWaiting,
    model: (row, now) => ({
      [count]: counted(row)[count],
      tries: 0,
      outage_ms: outageMs,
      due_at: now + 3000,
    }),
    run: (row) => {
      const { unknowns, server_errors: serverErrors } = counted(row);
      const history = { failures: 0, unknowns, serverErrors };
      return inTx((tx) => replies.again(tx, id, { ...history, delayMs: 3000, outageMs }));
    },
  } satisfies CycleStep<Reply>;
}

const STEPS: readonly CycleStep<Reply>[] = [
  {
    name: 'begin',
    may: isWaiting,
    model: ({ tries }) => ({ tries: tries + 1 }),
    run: () => inTx((tx) => replies.begun(tx, id)),
  },
  {
    name: 'not sent',
    may: isWaiting,
    model: () => ({ tries: 0 }),
    run: () => inTx((tx) => replies.notSent(tx, id)),
  },
  again('may have arrived', 'unknowns', null),
  again('server error', 'server_errors', 700),
  {
    name: 'give up',
    may: isWaiting,
    model: (_, now) => ({ tries: 0, given_up_at: now }),
    run: () => inTx((tx) => replies.giveUp(tx, id)),
  },
  {
    name: 'revive',
    model: (row) =>
      isWaiting(row)
        ? {}
        : { given_up_at: null, unknowns: 0, server_errors: 0, due_at: null, outage_ms: null },
    run: () => inTx((tx) => replies.revive(tx, id)),
  },
];

function cycles(): Cycles<Reply> {
  return {
    clock: database.clock,
    steps: STEPS,
    begin: async (now) => {
      await inTx((tx) => replies.removeAll(tx, CHAT));
      await inTx((tx) => replies.add(tx, CHAT, { method: 'leaveChat', params: { chat_id: CHAT } }));
      ({ id } = await database.one<{ id: string }>('select id from telegram_bot_reply'));
      return {
        tries: 0,
        created_at: now,
        unknowns: 0,
        server_errors: 0,
        due_at: null,
        outage_ms: null,
        given_up_at: null,
      };
    },
    read: () => database.one<Columns>('select * from telegram_bot_reply where id = $1', [id]),
  };
}

test.each(
  named([
    ['begin', 'not sent'],
    ['begin', 'may have arrived'],
    ['begin', 'begin', 'server error', 'begin', 'not sent'],
    ['begin', 'may have arrived', 'server error', 'give up', 'revive'],
    ['give up', 'revive', 'begin'],
    ['revive', 'begin', 'server error'],
  ]),
)('a reply of the bot that goes round: %s, two times and ten times', async (_, cycle) => {
  await walkRound(cycles(), cycle);
});

test('at random', async () => {
  const names = STEPS.map(({ name }) => name);
  const list = fc.array(fc.constantFrom(...names), { minLength: 20, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(list, async (steps) => {
      await walk(cycles(), steps);
    }),
    { seed: 50, numRuns: 8 },
  );
});
