import { randomUUID } from 'node:crypto';
import { AttentionRepository } from '../../src/attention';
import type { Tx } from '../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { type Columns, type Cycles, type CycleStep, named, walkRound } from '../support/cycles';

/*
 * The times of an attention item, and of the alerts about it, go round two times and ten times: after each statement
 * every column of the newest item of the subject is as the model says.
 */

let database: TestDatabase;
let items: AttentionRepository;
let subject = '';
/** Of the newest item of the subject. */
let id = '';
/** An item above it is open. */
let isUnder = false;

beforeAll(async () => {
  database = await openTestDatabase();
  items = new AttentionRepository(database.clock);
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Item extends Columns {
  readonly created_at: number;
  readonly alert_due_at: number | null;
  readonly alerted_at: number | null;
  readonly closed_at: number | null;
  readonly closed_by: string | null;
  readonly resolution: string | null;
}

const isOpen = ({ closed_at: at }: Item): boolean => at === null;
const ABOVE = { kind: 'model', subject: 'model:unavailable', reason: 'the model is away' } as const;

/** False: one is open. */
async function addItem(): Promise<boolean> {
  const item = { kind: 'dead', subject, reason: 'why', under: ABOVE.subject } as const;
  const isNew = (await inTx((tx) => items.add(tx, item))) !== null;
  if (isNew) {
    const newest = 'select max(id)::text as id from attention where subject = $1';
    ({ id } = await database.one<{ id: string }>(newest, [subject]));
  }
  return isNew;
}

/** A new item; under an open one it counts as alerted. */
function fresh(now: number): Item {
  return {
    created_at: now,
    alert_due_at: null,
    alerted_at: isUnder ? now : null,
    closed_at: null,
    closed_by: null,
    resolution: null,
  };
}

async function begin(now: number): Promise<Item> {
  // No item of an earlier cycle is announced or alerted in this one.
  await database.sql('delete from attention');
  subject = `job:${randomUUID()}`;
  isUnder = false;
  expect(await addItem()).toBe(true);
  return fresh(now);
}

function expectAdded(isNew: boolean): () => Promise<void> {
  return async () => {
    expect(await addItem()).toBe(isNew);
  };
}

const HOLD_MS = 5000;

function announce(hasWebhook: boolean): CycleStep<Item> {
  return {
    name: hasWebhook ? 'announce' : 'announce without a webhook',
    may: ({ alerted_at: alerted, alert_due_at: due }) => alerted === null && due === null,
    model: (_, now) => ({ alert_due_at: now, alerted_at: hasWebhook ? null : now }),
    run: () => inTx((tx) => items.takeNew(tx, { hasWebhook })),
  };
}

const STEPS: readonly CycleStep<Item>[] = [
  {
    name: 'raise again',
    may: isOpen,
    model: () => ({}),
    run: expectAdded(false),
  },
  announce(true),
  announce(false),
  {
    name: 'claim the alert',
    // Not before it is due: an alert that another replica sends is held for so long.
    afterMs: HOLD_MS,
    may: (row) => isOpen(row) && row.alerted_at === null && row.alert_due_at !== null,
    model: ({ alert_due_at: due }, now) =>
      (due ?? 0) <= now ? { alert_due_at: now + HOLD_MS } : {},
    run: () => inTx((tx) => items.claimAlert(tx, HOLD_MS)),
  },
  {
    name: 'postpone the alert',
    may: ({ alerted_at: alerted }) => alerted === null,
    model: ({ created_at: created }, now) => {
      const halfAge = (now - created) / 2;
      return { alert_due_at: now + Math.min(600_000, Math.max(10_000, halfAge)) };
    },
    run: () => inTx((tx) => items.postponeAlert(tx, id)),
  },
  {
    name: 'be alerted',
    model: (_, now) => ({ alerted_at: now }),
    run: () => inTx((tx) => items.alertSent(tx, id)),
  },
  {
    name: 'close',
    may: isOpen,
    model: (_, now) => ({ closed_at: now, closed_by: 'Nora', resolution: 'done' }),
    run: () => inTx((tx) => items.close(tx, id, { by: 'Nora', resolution: 'done' })),
  },
  {
    name: 'close again',
    may: (row) => !isOpen(row),
    model: () => ({}),
    run: async () => {
      const closed = await inTx((tx) => items.close(tx, id, { by: 'Ben', resolution: 'x' }));
      expect(closed).toBeNull();
    },
  },
  {
    name: 'settle the subject',
    model: (row, now) =>
      isOpen(row) ? { closed_at: now, closed_by: 'colloquy', resolution: 'settled' } : {},
    run: () => inTx((tx) => items.closeSubject(tx, { subject, resolution: 'settled' })),
  },
  {
    name: 'raise anew',
    may: (row) => !isOpen(row),
    model: (_, now) => fresh(now),
    run: expectAdded(true),
  },
];

function cycles(): Cycles<Item> {
  return {
    clock: database.clock,
    steps: STEPS,
    begin,
    read: () => database.one<Columns>('select * from attention where id = $1', [id]),
  };
}

test.each(
  named([
    ['close', 'raise anew'],
    ['raise again', 'settle the subject', 'raise anew'],
    ['announce', 'claim the alert', 'be alerted', 'close', 'close again', 'raise anew'],
    ['announce', 'claim the alert', 'postpone the alert', 'close', 'raise anew'],
    ['announce without a webhook', 'settle the subject', 'raise anew'],
    ['postpone the alert', 'raise again'],
  ]),
)('an item that goes round: %s, two times and ten times', async (_, cycle) => {
  await walkRound(cycles(), cycle);
});

test('an item that comes under an open one each time counts as alerted, and else it does not', async () => {
  for (let n = 0; n < 10; n += 1) {
    await begin(database.clock.now().getTime());
    isUnder = n % 2 === 1;
    await inTx((tx) => items.add(tx, ABOVE));
    const settled = { subject: ABOVE.subject, resolution: 'back' };
    if (!isUnder) await inTx((tx) => items.closeSubject(tx, settled));
    await inTx((tx) => items.closeSubject(tx, { subject, resolution: 'settled' }));
    database.clock.advance(1);
    expect(await addItem()).toBe(true);

    const row = await database.one<Columns>('select * from attention where id = $1', [id]);
    expect(row['alerted_at']).toEqual(isUnder ? database.clock.now() : null);
  }
});
