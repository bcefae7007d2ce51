import fc from 'fast-check';
import type { Update } from 'telegraf/types';
import { UpdateRepository } from '../../../src/channels/telegram/intake/update.repository';
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
 * An update that Telegram sends again and again goes round two times, ten times and at random: after each statement
 * its row is as the model says.
 */

const BOT = 1;
const CHAT = 7;
const UPDATE_ID = 70;
const KEPT_MS = 48 * 3_600_000;
const update = { update_id: UPDATE_ID } as Update;

let database: TestDatabase;
let updates: UpdateRepository;

beforeAll(async () => {
  database = await openTestDatabase();
  updates = new UpdateRepository(database.clock);
  await database.sql(`insert into telegram_account (user_id, language) values ($1, 'en')`, [CHAT]);
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Stored extends Columns {
  readonly state: 'handled' | 'waiting' | 'dead' | null;
  readonly hasContent: boolean;
  readonly received_at: number | null;
}

const NONE: Stored = { state: null, hasContent: false, received_at: null };

function arrived(state: 'handled' | 'waiting', now: number): Stored {
  return { state, hasContent: state === 'waiting', received_at: now };
}

function arrive(name: string, mustWait: boolean): CycleStep<Stored> {
  const state = mustWait ? 'waiting' : 'handled';
  return {
    name,
    model: (row, now) => (row.state === null ? arrived(state, now) : {}),
    run: async (row) => {
      const of = { update, chatId: CHAT, messageId: 5, accountId: CHAT, mustWait };
      const stored = await inTx((tx) => updates.add(tx, BOT, of));
      expect(stored).toBe(row.state === null ? state : null);
    },
  };
}

function ending(name: string, end: (tx: Tx) => Promise<unknown>): CycleStep<Stored> {
  return {
    name,
    model: ({ state }) => (state === 'waiting' ? { state: 'handled', hasContent: false } : {}),
    run: () => inTx(end),
  };
}

const STEPS: readonly CycleStep<Stored>[] = [
  arrive('arrive', false),
  arrive('arrive and wait', true),
  {
    name: 'arrive under the lock',
    model: (row, now) => (row.state === null ? arrived('handled', now) : {}),
    run: async ({ state }) => {
      const of = { update, chatId: CHAT, messageId: 5 };
      const taken = await inTx((tx) => updates.take(tx, BOT, of));
      // Behind one that waits it is left to the caller; one that is known is not stored again.
      if (state === 'waiting') expect(taken).toBeNull();
      else expect(taken?.state).toBe(state === null ? 'handled' : null);
    },
  },
  {
    name: 'arrive among many',
    model: (row, now) => (row.state === null ? arrived('waiting', now) : {}),
    run: async ({ state }) => {
      const of = { update, accountId: CHAT, messageId: 5 };
      const kept = await inTx((tx) => updates.addWaiting(tx, BOT, [of, of]));
      expect(kept).toEqual([state === null ? 'waiting' : 'known', 'known']);
    },
  },
  ending('be handled', (tx) => updates.end(tx, { chatId: CHAT, updateId: String(UPDATE_ID) })),
  ending('be handled with others', (tx) =>
    updates.endAll(tx, [
      { botId: String(BOT), updateId: String(UPDATE_ID), update, hasReplies: false },
    ]),
  ),
  {
    name: 'be given up',
    model: ({ state }) => (state === 'waiting' ? { state: 'dead' } : {}),
    run: () => inTx((tx) => updates.giveUp(tx, { chatId: CHAT, updateId: String(UPDATE_ID) })),
  },
  {
    name: 'be replayed',
    model: ({ state }) => (state === 'dead' ? { state: 'waiting' } : {}),
    run: async ({ state }) => {
      const of = { botId: String(BOT), updateId: String(UPDATE_ID) };
      const chat = await inTx((tx) => updates.revive(tx, of));
      expect(chat).toBe(state === 'dead' ? String(CHAT) : null);
    },
  },
  ...[1, KEPT_MS].map((afterMs): CycleStep<Stored> => ({
    name: afterMs === 1 ? 'be swept' : 'be swept after two days',
    afterMs,
    model: ({ state, received_at: at }, now) =>
      state === 'handled' && now - (at ?? now) > KEPT_MS ? NONE : {},
    run: () => inTx((tx) => updates.sweep(tx)),
  })),
];

async function read(): Promise<Columns> {
  const [row] = await database.sql<Columns>(
    'select state, payload is not null as "hasContent", received_at from telegram_update',
  );
  return row ?? NONE;
}

function cycles(): Cycles<Stored> {
  return {
    clock: database.clock,
    steps: STEPS,
    begin: async () => {
      await database.sql('delete from telegram_update');
      return NONE;
    },
    read,
  };
}

describe('an update that goes round', () => {
  test.each(
    named([
      ['arrive', 'arrive and wait', 'be swept'],
      ['arrive', 'be swept after two days', 'be swept', 'arrive under the lock'],
      ['arrive and wait', 'be given up', 'be replayed', 'arrive among many'],
      ['arrive among many', 'be handled', 'be swept after two days'],
      ['arrive and wait', 'be swept after two days', 'be handled with others', 'be swept'],
      ['arrive and wait', 'be given up', 'be handled', 'be swept after two days', 'be replayed'],
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
