import {
  type ClaimedRequest,
  IdempotencyRepository,
  LEASE_MS,
} from '../../../src/common/idempotency/idempotency.repository';
import type { Tx } from '../../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';
import { type Columns, type CycleStep, named, walkRound } from '../../support/cycles';

/*
 * The row of one Idempotency-Key goes round two times and ten times: after each statement it is as the model says.
 * Who holds the key is told by the number of its claim.
 */

const DAY_MS = 24 * 3_600_000;
const KEY = 'a'.repeat(64);
const BODIES = { a: 'b'.repeat(64), b: 'c'.repeat(64) };
const RESPONSE = Buffer.from('sealed');

let database: TestDatabase;
let requests: IdempotencyRepository;
/** All claims so far, in order. */
let claims: ClaimedRequest[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  requests = new IdempotencyRepository(database.clock);
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Request extends Columns {
  /** The number of the claim that holds the key; null: the key is free. */
  readonly holder: number | null;
  readonly body: keyof typeof BODIES | null;
  readonly isStored: boolean;
  readonly claimed_until: number | null;
  readonly created_at: number | null;
}

const FREE: Request = {
  holder: null,
  body: null,
  isStored: false,
  claimed_until: null,
  created_at: null,
};

function outcomeOf(row: Request, body: Request['body'], now: number) {
  const isOld = row.created_at !== null && now - row.created_at >= DAY_MS;
  const isLapsed = !row.isStored && (row.claimed_until ?? 0) <= now && row.body === body;
  if (row.holder === null || isOld || isLapsed) return 'claimed';
  if (row.body !== body) return 'other_body';
  return row.isStored ? 'stored' : 'running';
}

function ask(body: keyof typeof BODIES, after: string, afterMs: number): CycleStep<Request> {
  return {
    name: `ask ${body} ${after}`,
    afterMs,
    model: (row, now) =>
      outcomeOf(row, body, now) === 'claimed'
        ? {
            holder: claims.length,
            body,
            isStored: false,
            claimed_until: now + LEASE_MS,
            created_at: now,
          }
        : {},
    run: async (row) => {
      const bodyHash = BODIES[body];
      const outcome = await inTx((tx) => requests.claim(tx, { keyHash: KEY, bodyHash }));
      expect(outcome.state).toBe(outcomeOf(row, body, database.clock.now().getTime()));
      if (outcome.state === 'claimed') claims.push(outcome.request);
      if (outcome.state === 'stored') expect(outcome.response).toEqual(RESPONSE);
    },
  };
}

/** By the claim that was the last one (0), or the one before it (1). */
function store(name: string, back: 0 | 1): CycleStep<Request> {
  const isHolder = ({ holder }: Request): boolean =>
    holder !== null && holder === claims.length - 1 - back;
  return {
    name,
    may: () => claims.length > back,
    model: (row) => (isHolder(row) ? { isStored: true } : {}),
    run: async (row) => {
      const claim = claims.at(-1 - back);
      if (claim === undefined) throw new Error('there is no such claim');
      expect(await inTx((tx) => requests.store(tx, claim, RESPONSE))).toBe(isHolder(row));
    },
  };
}

const STEPS: readonly CycleStep<Request>[] = [
  ask('a', 'at once', 1),
  ask('b', 'at once', 1),
  ask('a', 'after the lease', LEASE_MS),
  ask('b', 'after the lease', LEASE_MS),
  ask('b', 'after a day', DAY_MS),
  ask('a', 'after a day', DAY_MS),
  store('store', 0),
  store('store late', 1),
  {
    name: 'fail',
    may: () => claims.length > 0,
    model: (row) => (row.holder === claims.length - 1 && !row.isStored ? FREE : {}),
    run: async () => {
      const claim = claims.at(-1);
      if (claim !== undefined) await inTx((tx) => requests.release(tx, claim));
    },
  },
  {
    name: 'sweep',
    model: (row, now) => (row.created_at !== null && now - row.created_at > DAY_MS ? FREE : {}),
    run: () => inTx((tx) => requests.deleteOld(tx, 10)),
  },
];

interface Stored {
  readonly claim: string;
  readonly bodyHash: string;
  readonly response: Buffer | null;
  readonly claimed_until: Date;
  readonly created_at: Date;
}

async function read(): Promise<Columns> {
  const [row] = await database.sql<Stored>(
    'select *, body_hash as "bodyHash" from idempotent_request',
  );
  if (row === undefined) return FREE;
  return {
    holder: claims.findIndex(({ claim }) => claim === row.claim),
    body: row.bodyHash === BODIES.a ? 'a' : 'b',
    isStored: row.response !== null,
    claimed_until: row.claimed_until,
    created_at: row.created_at,
  };
}

test.each(
  named([
    ['ask a at once', 'ask a at once', 'fail'],
    ['ask a at once', 'store', 'ask a at once', 'ask b at once', 'ask b after a day'],
    ['ask a after the lease', 'ask b after the lease', 'ask a after the lease'],
    ['ask a after the lease', 'ask a after the lease', 'store late', 'store', 'fail'],
    ['ask a after a day', 'store', 'sweep', 'ask b after a day', 'fail', 'sweep'],
  ]),
)('a key that goes round: %s, two times and ten times', async (_, cycle) => {
  const begin = async (): Promise<Request> => {
    await database.sql('delete from idempotent_request');
    claims = [];
    return FREE;
  };
  await walkRound({ clock: database.clock, steps: STEPS, begin, read }, cycle);
});
