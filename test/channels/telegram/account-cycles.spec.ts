import fc from 'fast-check';
import { TelegramAccountRepository } from '../../../src/channels/telegram/account.repository';
import type { Dialog } from '../../../src/channels/telegram/account';
import type { Tx } from '../../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';
import { addConversation } from '../../support/conversations';
import {
  type Columns,
  type Cycles,
  type CycleStep,
  named,
  walk,
  walkRound,
} from '../../support/cycles';

/*
 * A person of the bot goes into interviews and out of them two times, ten times and at random: after each statement
 * every column is as the model says.
 */

const USER = 7;
const OTHER = 8;
const DAY_MS = 24 * 3_600_000;

let database: TestDatabase;
let accounts: TelegramAccountRepository;
let conversations: string[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  accounts = new TelegramAccountRepository(database.clock);
  conversations = [await addConversation(database), await addConversation(database)];
  for (const user of [USER, OTHER]) {
    await database.sql('insert into account (name, created_at) values ($1, now())', [
      `telegram:${String(user)}`,
    ]);
  }
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Account extends Columns {
  /** Which of the two interviews; null: none. */
  readonly interview: 0 | 1 | null;
  readonly has_agreed: boolean;
  readonly account: string | null;
  readonly dialog: Dialog;
  readonly paused_at: number | null;
  readonly blocked_at: number | null;
  readonly language: 'en' | 'ru';
  readonly created_at: number;
}

const OUT = { interview: null, has_agreed: false } as const;

function entering(interview: 0 | 1, hasAgreed: boolean): CycleStep<Account> {
  return {
    name: `${hasAgreed ? 'come back to' : 'enter'} ${String(interview)}`,
    model: () => ({
      interview,
      has_agreed: hasAgreed,
      account: `telegram:${String(USER)}`,
      dialog: { kind: 'none' },
      paused_at: null,
    }),
    run: () =>
      inTx((tx) => accounts.enter(tx, USER, conversations[interview] ?? '', { hasAgreed })),
  };
}

function leaving(interview: 0 | 1): CycleStep<Account> {
  return {
    name: `leave ${String(interview)}`,
    model: (row) => (row.interview === interview ? OUT : {}),
    run: () => inTx((tx) => accounts.leave(tx, USER, conversations[interview] ?? '')),
  };
}

function marking(name: string, change: 'paused_at' | 'blocked_at', isSet: boolean) {
  return {
    name,
    model: (_, now) => ({ [change]: isSet ? now : null }),
    run: () =>
      inTx((tx) =>
        change === 'paused_at'
          ? accounts.setPaused(tx, USER, isSet)
          : accounts.setBlocked(tx, USER, isSet),
      ),
  } satisfies CycleStep<Account>;
}

const STEPS: readonly CycleStep<Account>[] = [
  entering(0, false),
  entering(1, true),
  leaving(0),
  leaving(1),
  marking('pause', 'paused_at', true),
  marking('go on', 'paused_at', false),
  marking('block the bot', 'blocked_at', true),
  marking('unblock the bot', 'blocked_at', false),
  {
    name: 'agree',
    model: () => ({ has_agreed: true }),
    run: () => inTx((tx) => accounts.agreed(tx, USER)),
  },
  {
    name: 'search',
    model: () => ({ dialog: { kind: 'search', isDone: true } }),
    run: () => inTx((tx) => accounts.setDialog(tx, USER, { kind: 'search', isDone: true })),
  },
  {
    name: 'speak Russian',
    model: () => ({ language: 'ru' }),
    run: () => inTx((tx) => accounts.setLanguage(tx, USER, 'ru')),
  },
  {
    name: 'come again',
    model: () => ({}),
    run: async ({ interview, has_agreed: hasAgreed, paused_at: pausedAt }) => {
      const account = await inTx((tx) => accounts.lock(tx, USER, 'en'));
      const conversationId = interview === null ? null : conversations[interview];
      expect(account).toMatchObject({ conversationId, hasAgreed, isPaused: pausedAt !== null });
    },
  },
  {
    name: 'lose 0 to another person',
    model: ({ interview }) => (interview === 0 ? OUT : {}),
    run: async () => {
      const of = conversations[0] ?? '';
      await inTx((tx) => accounts.enter(tx, OTHER, of, { hasAgreed: true }));
      await inTx((tx) => accounts.leave(tx, OTHER, of));
    },
  },
  {
    name: 'be unused for a day',
    afterMs: DAY_MS,
    // It was in interviews, so it is kept, however old it is.
    model: () => ({}),
    run: () =>
      inTx((tx) => accounts.deleteUnused(tx, { class: 'account', keptDays: 2, limit: 10 })),
  },
];

function cycles(): Cycles<Account> {
  return {
    clock: database.clock,
    steps: STEPS,
    begin: async (now) => {
      await database.sql('delete from account_conversation');
      await database.sql('delete from telegram_account');
      for (const user of [USER, OTHER]) await inTx((tx) => accounts.ensure(tx, user, 'en'));
      // The interviews that a person was in are recorded by the caller of `enter`.
      await database.sql(
        `insert into account_conversation (account, conversation_id, origin, created_at)
         select $1, unnest($2::uuid[]), 'begun', now()`,
        [`telegram:${String(USER)}`, conversations],
      );
      return {
        ...OUT,
        account: null,
        dialog: { kind: 'none' },
        paused_at: null,
        blocked_at: null,
        language: 'en',
        created_at: now,
      };
    },
    read: async () => {
      const row = await database.one<Columns>('select * from telegram_account where user_id = $1', [
        USER,
      ]);
      const at = conversations.indexOf(String(row['conversation_id']));
      return { ...row, interview: at === -1 ? null : at };
    },
  };
}

describe('a person of the bot who goes round', () => {
  test.each(
    named([
      ['enter 0', 'agree', 'pause', 'leave 0', 'go on'],
      ['enter 0', 'agree', 'enter 0', 'come again'],
      ['search', 'come back to 1', 'pause', 'search', 'enter 0', 'leave 1'],
      ['come back to 1', 'block the bot', 'leave 1', 'come again', 'unblock the bot', 'pause'],
      ['enter 0', 'agree', 'lose 0 to another person', 'agree', 'come back to 1'],
      ['speak Russian', 'enter 0', 'be unused for a day', 'leave 0', 'be unused for a day'],
    ]),
  )('%s: two times and ten times', async (_, cycle) => {
    await walkRound(cycles(), cycle);
  });

  test('at random', async () => {
    const names = STEPS.map(({ name }) => name);
    const list = fc.array(fc.constantFrom(...names), { minLength: 15, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(list, async (steps) => {
        await walk(cycles(), steps);
      }),
      { seed: 50, numRuns: 5 },
    );
  });
});
