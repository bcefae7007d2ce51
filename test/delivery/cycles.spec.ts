import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Tx } from '../../src/common/uow';
import { DeadDeliveryRepository, DeliveryRepository } from '../../src/delivery/delivery.repository';
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
 * A part of a message goes round two times, ten times and at random: after each statement every column is as the
 * model says.
 */

let database: TestDatabase;
let parts: DeliveryRepository;
let dead: DeadDeliveryRepository;

beforeAll(async () => {
  database = await openTestDatabase();
  parts = new DeliveryRepository(database.clock);
  dead = new DeadDeliveryRepository(database.clock);
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Part extends Columns {
  readonly state: 'pending' | 'sending' | 'sent' | 'unknown' | 'dead';
  readonly confirmed: boolean;
  readonly failures: number;
  readonly unknowns: number;
  readonly server_errors: number;
  readonly outage_ms: number | null;
  readonly due_at: number | null;
  readonly sent_at: number | null;
  readonly external_id: string | null;
  readonly error: string | null;
  readonly claimed_by: string | null;
  readonly text: string | null;
  readonly plain: string | null;
}

const CHAT = { channel: 'telegram', chat: '7' };
const isLive = ({ state }: Part): boolean => ['pending', 'sending', 'unknown'].includes(state);
const isSending = ({ state }: Part): boolean => state === 'sending';
const given = { conversationId: '', messageId: '', id: '' };

async function addPart(now: number): Promise<Part> {
  given.conversationId = await addConversation(database);
  given.messageId = randomUUID();
  const { conversationId, messageId } = given;
  await database.sql(
    `insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at)
     values ($1::uuid, $2, 1, 'assistant', 'code', $1::text, 'a|b', $3)`,
    [messageId, conversationId, database.clock.now()],
  );
  const message = { ...CHAT, conversationId, messageId, turnId: null, kind: 'reply' } as const;
  await inTx((tx) =>
    parts.insert(
      tx,
      { ...message, text: 'a|b' },
      [
        { text: '<b>a</b>', plain: 'a' },
        { text: '<b>b</b>', plain: 'b' },
      ],
      'pending',
    ),
  );
  const { id } = await database.one<{ id: string }>(
    'select id from delivery where message_id = $1 and part = 0',
    [messageId],
  );
  given.id = id;
  return {
    state: 'pending',
    confirmed: true,
    failures: 0,
    unknowns: 0,
    server_errors: 0,
    outage_ms: null,
    due_at: now,
    sent_at: null,
    external_id: null,
    error: null,
    claimed_by: null,
    text: '<b>a</b>',
    plain: 'a',
  };
}

/** How a send is to be repeated: what it counts, and whether the part may have arrived. */
function again(name: string, count: 'failures' | 'unknowns' | 'server_errors'): CycleStep<Part> {
  const counted = (row: Part): Part => ({ ...row, [count]: row[count] + 1 });
  const outageMs = count === 'server_errors' ? 900 : null;
  return {
    name,
    may: isSending,
    model: (row, now) => {
      const next = counted(row);
      return {
        [count]: next[count],
        state: next.unknowns + next.server_errors > 0 ? 'unknown' : 'pending',
        error: name,
        outage_ms: outageMs,
        due_at: now + 4000,
      };
    },
    run: (row) => {
      const { failures, unknowns, server_errors: serverErrors } = counted(row);
      const history = { failures, unknowns, serverErrors };
      return inTx((tx) =>
        parts.markAgain(tx, given.id, { ...history, delayMs: 4000, error: name, outageMs }),
      );
    },
  };
}

function deadOf(unconfirmedPartId: string | null) {
  const { conversationId, messageId } = given;
  return { ...CHAT, unconfirmedPartId, messageId, conversationId, isPassed: false };
}

function revived(now: number): Partial<Part> {
  return {
    state: 'pending',
    failures: 0,
    unknowns: 0,
    server_errors: 0,
    error: null,
    outage_ms: null,
    due_at: now,
  };
}

const PART_STEPS: readonly CycleStep<Part>[] = [
  {
    name: 'take',
    may: (row) => isLive(row) && !isSending(row),
    model: () => ({ state: 'sending', claimed_by: 'c:1' }),
    run: () => inTx((tx) => parts.markSending(tx, given.id, 'c:1')),
  },
  again('not sent', 'failures'),
  again('may have arrived', 'unknowns'),
  again('server error', 'server_errors'),
  {
    name: 'hold',
    may: (row) => isLive(row) && !isSending(row),
    model: (_, now) => ({ error: 'held', outage_ms: null, due_at: now + 60_000 }),
    run: () => inTx((tx) => parts.hold(tx, given.id, 60_000)),
  },
  {
    name: 'arrive',
    may: isSending,
    model: (_, now) => ({
      state: 'sent',
      confirmed: true,
      external_id: 'm1',
      text: null,
      plain: null,
      sent_at: now,
      due_at: null,
      error: null,
    }),
    run: () => inTx((tx) => parts.markSent(tx, given.id, 'm1')),
  },
  {
    name: 'stay unconfirmed',
    may: isSending,
    model: (_, now) => ({
      state: 'sent',
      confirmed: false,
      external_id: null,
      sent_at: now,
      due_at: null,
      error: null,
    }),
    run: () => inTx((tx) => parts.markSent(tx, given.id, null)),
  },
  {
    name: 'die',
    may: isLive,
    model: () => ({ state: 'dead', error: 'refused', due_at: null }),
    run: () => inTx((tx) => parts.markDead(tx, { messageId: given.messageId, error: 'refused' })),
  },
  {
    name: 'be blocked',
    may: isLive,
    model: () => ({ state: 'dead', error: 'blocked', due_at: null }),
    run: () => inTx((tx) => parts.markBlocked(tx, CHAT, [given.conversationId])),
  },
  {
    name: 'revive',
    may: ({ state }) => state === 'dead',
    model: (_, now) => revived(now),
    run: () => inTx((tx) => dead.revive(tx, deadOf(null))),
  },
  {
    name: 'send the unconfirmed again',
    may: ({ state, confirmed }) => state === 'sent' && !confirmed,
    model: (_, now) => revived(now),
    run: () => inTx((tx) => dead.revive(tx, deadOf(given.id))),
  },
];

function partCycles(): Cycles<Part> {
  return {
    clock: database.clock,
    steps: PART_STEPS,
    begin: addPart,
    read: () => database.one<Columns>('select * from delivery where id = $1', [given.id]),
  };
}

describe('a part of a message that goes round', () => {
  test.each(
    named([
      ['take', 'not sent'],
      ['take', 'may have arrived'],
      ['take', 'server error', 'hold'],
      ['hold', 'take', 'not sent'],
      ['take', 'not sent', 'take', 'server error', 'die', 'revive'],
      ['take', 'may have arrived', 'be blocked', 'revive'],
      ['take', 'server error', 'take', 'stay unconfirmed', 'send the unconfirmed again'],
      ['hold', 'die', 'revive'],
    ]),
  )('%s: two times and ten times', async (_, cycle) => {
    await walkRound(partCycles(), cycle);
  });

  test('at random, until it has arrived', async () => {
    const names = PART_STEPS.map(({ name }) => name);
    const seen = new Set<string>();
    const list = fc.array(fc.constantFrom(...names), { minLength: 20, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(list, async (steps) => {
        for (const name of await walk(partCycles(), steps)) seen.add(name);
      }),
      { seed: 50, numRuns: 30 },
    );
    expect([...seen].sort()).toEqual([...names].sort());
  });
});
