import { WebSessionRepository } from '../../src/candidates';
import type { Tx } from '../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { addConversation } from '../support/conversations';
import { type Columns, type Cycles, type CycleStep, named, walkRound } from '../support/cycles';
import { settingsForTests } from '../support/settings';

/*
 * The session of a browser goes round two times and ten times: after each statement its times are as the model says,
 * and it is live for as long.
 */

const MINUTE_MS = 60_000;
const SEEN_EVERY_MS = 5 * MINUTE_MS;
const IDLE_MS = 60 * MINUTE_MS;
const LIFETIME_MS = 1000 * MINUTE_MS;

let database: TestDatabase;
let sessions: WebSessionRepository;
let conversationId = '';
let token = '';

beforeAll(async () => {
  database = await openTestDatabase();
  const env = {
    SESSION_IDLE_TIMEOUT: String(IDLE_MS / 1000),
    SESSION_LIFETIME: String(LIFETIME_MS / 1000),
  };
  sessions = new WebSessionRepository(database.clock, settingsForTests(env));
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Session extends Columns {
  readonly created_at: number;
  readonly seen_at: number;
}

function isLive({ created_at: created, seen_at: seen }: Session, now: number): boolean {
  return now - seen < IDLE_MS && now - created < LIFETIME_MS;
}

/** The conversation that the session is known to be of, as the model expects it. */
function expected(row: Session): string | null {
  return isLive(row, database.clock.now().getTime()) ? conversationId : null;
}

function use(afterMs: number): CycleStep<Session> {
  return {
    name: `use after ${String(afterMs / MINUTE_MS)} min`,
    afterMs,
    model: (row, now) =>
      isLive(row, now) && now - row.seen_at >= SEEN_EVERY_MS ? { seen_at: now } : {},
    run: async (row) => {
      expect(await inTx((tx) => sessions.use(tx, token))).toBe(expected(row));
    },
  };
}

const STEPS: readonly CycleStep<Session>[] = [
  use(MINUTE_MS),
  use(SEEN_EVERY_MS),
  use(IDLE_MS - MINUTE_MS),
  use(IDLE_MS),
  {
    name: 'read',
    afterMs: 2 * MINUTE_MS,
    model: () => ({}),
    run: async (row) => {
      expect(await inTx((tx) => sessions.resolve(tx, token))).toBe(expected(row));
      const ended = expected(row) === null ? [token] : [];
      expect(await inTx((tx) => sessions.listEnded(tx, [token]))).toEqual(ended);
    },
  },
];

function cycles(): Cycles<Session> {
  return {
    clock: database.clock,
    steps: STEPS,
    begin: async (now) => {
      await database.sql('delete from web_session');
      conversationId = await addConversation(database);
      token = (await inTx((tx) => sessions.create(tx, conversationId))).sessionToken;
      return { created_at: now, seen_at: now };
    },
    read: () =>
      database.one<Columns>('select * from web_session where conversation_id = $1', [
        conversationId,
      ]),
  };
}

test.each(
  named([
    ['use after 1 min'],
    ['use after 5 min', 'read'],
    ['use after 1 min', 'use after 5 min', 'use after 1 min'],
    // Its lifetime ends within ten rounds, however often it is used.
    ['use after 59 min', 'use after 59 min', 'read'],
    ['use after 59 min', 'use after 60 min', 'read'],
  ]),
)('a session that goes round: %s, two times and ten times', async (_, cycle) => {
  await walkRound(cycles(), cycle);
});

test('the sweep deletes exactly those that have ended, ten times', async () => {
  await database.sql('delete from web_session');
  for (let n = 0; n < 10; n += 1) {
    conversationId = await addConversation(database);
    token = (await inTx((tx) => sessions.create(tx, conversationId))).sessionToken;
    database.clock.advance(IDLE_MS - 1);
    expect(await inTx((tx) => sessions.sweepExpired(tx, 10))).toBe(0);
    database.clock.advance(1);
    expect(await inTx((tx) => sessions.resolve(tx, token))).toBeNull();
    expect(await inTx((tx) => sessions.sweepExpired(tx, 10))).toBe(1);
  }
});
