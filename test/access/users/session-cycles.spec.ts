import { randomUUID } from 'node:crypto';
import { UserSessionRepository } from '../../../src/access/users/user-session.repository';
import { hashToken } from '../../../src/common/ids';
import type { Tx } from '../../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';
import { type Columns, type Cycles, type CycleStep, named, walkRound } from '../../support/cycles';
import { settingsForTests } from '../../support/settings';

/*
 * The session of a colleague goes round two times and ten times: after each statement its times are as the model
 * says, and it is live and confirmed for as long.
 */

const MINUTE_MS = 60_000;
const SEEN_EVERY_MS = 5 * MINUTE_MS;
const CONFIRMED_MS = 10 * MINUTE_MS;
const IDLE_MS = 60 * MINUTE_MS;
const LIFETIME_MS = 1000 * MINUTE_MS;

let database: TestDatabase;
let sessions: UserSessionRepository;
let userId = '';
let session = { id: '', token: '' };

beforeAll(async () => {
  database = await openTestDatabase();
  const env = {
    USER_SESSION_IDLE_TIMEOUT: String(IDLE_MS / 1000),
    USER_SESSION_LIFETIME: String(LIFETIME_MS / 1000),
  };
  sessions = new UserSessionRepository(database.clock, settingsForTests(env));
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Session extends Columns {
  readonly created_at: number;
  readonly seen_at: number;
  readonly confirmed_at: number | null;
}

function remainingMs({ created_at: created, seen_at: seen }: Session, now: number): number {
  return Math.min(created + LIFETIME_MS, seen + IDLE_MS) - now;
}

function use(afterMs: number): CycleStep<Session> {
  return {
    name: `use after ${String(afterMs / MINUTE_MS)} min`,
    afterMs,
    model: (row, now) =>
      remainingMs(row, now) > 0 && now - row.seen_at >= SEEN_EVERY_MS ? { seen_at: now } : {},
    run: async (row) => {
      const now = database.clock.now().getTime();
      const shown = await inTx((tx) => sessions.use(tx, hashToken(session.token)));
      const { confirmed_at: at } = row;
      const expected = {
        id: session.id,
        remainingMs: remainingMs(row, now),
        confirmedMs: at === null ? 0 : at + CONFIRMED_MS - now,
      };
      if (expected.remainingMs <= 0) expect(shown).toBeNull();
      else expect(shown).toMatchObject(expected);
    },
  };
}

const STEPS: readonly CycleStep<Session>[] = [
  use(MINUTE_MS),
  use(SEEN_EVERY_MS),
  use(IDLE_MS - MINUTE_MS),
  use(IDLE_MS),
  {
    name: 'confirm',
    afterMs: MINUTE_MS,
    model: (_, now) => ({ confirmed_at: now }),
    run: () => inTx((tx) => sessions.confirm(tx, session.id)),
  },
  {
    name: 'ask for its ends',
    afterMs: 7 * MINUTE_MS,
    model: () => ({}),
    run: async (row) => {
      const now = database.clock.now().getTime();
      const leftMs = remainingMs(row, now);
      const until = (row.confirmed_at ?? 0) + CONFIRMED_MS;
      const ends = await inTx((tx) => sessions.ends(tx, session.id));
      if (leftMs <= 0) expect(ends).toBeNull();
      else {
        expect(ends).toEqual({
          method: 'password',
          confirmedUntil: until > now ? new Date(until) : null,
          endsAt: new Date(now + leftMs),
        });
      }
    },
  },
];

function cycles(isConfirmed: boolean): Cycles<Session> {
  return {
    clock: database.clock,
    steps: STEPS,
    begin: async (now) => {
      userId = randomUUID();
      await database.sql(
        `insert into app_user (id, name, role, created_at, created_by)
         values ($1::uuid, $1::text, 'recruiter', $2, 'test')`,
        [userId, database.clock.now()],
      );
      const of = { userId, method: 'password', device: 'Chrome, Linux', isConfirmed } as const;
      session = await inTx((tx) => sessions.create(tx, of));
      return { created_at: now, seen_at: now, confirmed_at: isConfirmed ? now : null };
    },
    read: () => database.one<Columns>('select * from user_session where id = $1', [session.id]),
  };
}

describe.each([true, false])('a session, confirmed at its start: %s', (isConfirmed) => {
  test.each(
    named([
      ['use after 1 min'],
      ['use after 5 min', 'ask for its ends'],
      ['confirm', 'ask for its ends', 'ask for its ends'],
      ['use after 1 min', 'confirm', 'use after 5 min', 'use after 1 min'],
      // Its lifetime ends within ten rounds, however often it is used.
      ['use after 59 min', 'confirm', 'use after 59 min', 'ask for its ends'],
      ['use after 59 min', 'use after 60 min', 'ask for its ends'],
    ]),
  )('goes round: %s, two times and ten times', async (_, cycle) => {
    await walkRound(cycles(isConfirmed), cycle);
  });
});
