import { KeyRepository } from '../../../src/access/keys/key.repository';
import type { Tx } from '../../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';
import { type Columns, type Cycles, type CycleStep, named, walkRound } from '../../support/cycles';

/*
 * A key goes round two times and ten times: after each statement its times are as the model says, and it is live,
 * expired or revoked.
 */

const MINUTE_MS = 60_000;
const USED_EVERY_MS = 5 * MINUTE_MS;
const LIFETIME_MS = 45 * MINUTE_MS;
const TOKEN = 'f'.repeat(64);

let database: TestDatabase;
let keys: KeyRepository;
let id = '';

beforeAll(async () => {
  database = await openTestDatabase();
  keys = new KeyRepository(database.clock);
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Key extends Columns {
  readonly created_at: number;
  readonly expires_at: number;
  readonly used_at: number | null;
  readonly revoked_at: number | null;
}

function stateOf({ revoked_at: revoked, expires_at: expires }: Key, now: number): string {
  if (revoked !== null) return 'revoked';
  return expires <= now ? 'expired' : 'live';
}

function newKey(now: number) {
  return {
    name: 'hiring',
    tokenHash: TOKEN,
    scopes: ['attention:read'] as const,
    vacancyIds: null,
    createdBy: 'Nora',
    expiresAt: new Date(now + LIFETIME_MS),
  };
}

const nowMs = (): number => database.clock.now().getTime();

function use(afterMs: number): CycleStep<Key> {
  return {
    name: `use after ${String(afterMs / MINUTE_MS)} min`,
    afterMs,
    model: (row, now) =>
      stateOf(row, now) === 'live' && now - (row.used_at ?? 0) >= USED_EVERY_MS
        ? { used_at: now }
        : {},
    run: async (row) => {
      const state = stateOf(row, nowMs());
      const shown = await inTx((tx) => keys.use(tx, TOKEN));
      expect(shown).toMatchObject({ id, state, remainingMs: row.expires_at - nowMs() });
    },
  };
}

const STEPS: readonly CycleStep<Key>[] = [
  use(MINUTE_MS),
  use(USED_EVERY_MS),
  {
    name: 'revoke',
    model: ({ revoked_at: revoked }, now) => ({ revoked_at: revoked ?? now }),
    run: async ({ revoked_at: revoked }) => {
      const changed = await inTx((tx) => keys.revoke(tx, id));
      expect(changed?.state ?? null).toBe(revoked === null ? 'revoked' : null);
    },
  },
  {
    name: 'make another one of its name',
    model: () => ({}),
    run: async () => {
      expect(await inTx((tx) => keys.create(tx, newKey(nowMs())))).toBeNull();
    },
  },
  {
    name: 'read',
    model: () => ({}),
    run: async (row) => {
      const state = stateOf(row, nowMs());
      expect(await inTx((tx) => keys.find(tx, { id }))).toMatchObject({ state });
      const ended = state === 'live' ? [] : [{ id, state }];
      expect(await inTx((tx) => keys.listEnded(tx, [id]))).toEqual(ended);
    },
  },
];

function cycles(): Cycles<Key> {
  return {
    clock: database.clock,
    steps: STEPS,
    begin: async (now) => {
      await database.sql('delete from api_key');
      id = (await inTx((tx) => keys.create(tx, newKey(now))))?.id ?? '';
      return { created_at: now, expires_at: now + LIFETIME_MS, used_at: null, revoked_at: null };
    },
    read: () => database.one<Columns>('select * from api_key where id = $1', [id]),
  };
}

test.each(
  named([
    ['use after 1 min'],
    // It expires within ten rounds, however often it is used.
    ['use after 5 min', 'read'],
    ['use after 1 min', 'use after 5 min', 'use after 1 min', 'read'],
    ['use after 5 min', 'make another one of its name', 'use after 1 min'],
    ['use after 1 min', 'revoke', 'use after 5 min', 'read', 'make another one of its name'],
  ]),
)('a key that goes round: %s, two times and ten times', async (_, cycle) => {
  await walkRound(cycles(), cycle);
});
