import { randomUUID } from 'node:crypto';
import type { Tx } from '../../src/common/uow';
import { ChannelLimiterRepository } from '../../src/delivery/channel-limiter.repository';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { type Columns, type CycleStep, named, walkRound } from '../support/cycles';

/*
 * The pause and the breaker of a channel go round two times and ten times: after each statement every column is as
 * the model says. All times are multiples of a quarter of a second, so that they are exact as numbers, too.
 */

let database: TestDatabase;
let limiter: ChannelLimiterRepository;

beforeAll(async () => {
  database = await openTestDatabase();
  limiter = new ChannelLimiterRepository(database.clock);
});
afterAll(() => database.close());

function inTx<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.commit(work);
}

interface Limiter extends Columns {
  readonly paused_until: number;
  readonly outage_no: string;
  readonly outage_since: number | null;
  readonly outage_ms: number;
}

let channel = '';

async function addLimiter(now: number): Promise<Limiter> {
  channel = randomUUID();
  await inTx((tx) => limiter.pause(tx, channel, 0));
  return { paused_until: now, outage_no: '0', outage_since: null, outage_ms: 0 };
}

function pauseFor(ms: number): CycleStep<Limiter> {
  return {
    name: `pause for ${String(ms)} ms`,
    afterMs: 250,
    model: ({ paused_until: until }, now) => ({ paused_until: Math.max(until, now + ms) }),
    run: () => inTx((tx) => limiter.pause(tx, channel, ms)),
  };
}

const LIMITER_STEPS: readonly CycleStep<Limiter>[] = [
  pauseFor(5000),
  pauseFor(10),
  {
    name: 'fail',
    afterMs: 500,
    model: ({ outage_no: no, outage_since: since }, now) => ({
      outage_no: String(Number(no) + 1),
      outage_since: since ?? now,
    }),
    run: async ({ outage_ms: ms, outage_since: since }) => {
      const now = database.clock.now().getTime();
      expect(await inTx((tx) => limiter.fail(tx, channel))).toBe(ms + now - (since ?? now));
    },
  },
  {
    name: 'recover',
    afterMs: 250,
    may: ({ outage_since: since }) => since !== null,
    model: ({ outage_ms: ms, outage_since: since }, now) => ({
      outage_since: null,
      outage_ms: ms + now - (since ?? now),
    }),
    run: ({ outage_no: no }) => inTx((tx) => limiter.recover(tx, channel, no)),
  },
  {
    name: 'recover from an earlier failure',
    afterMs: 250,
    model: () => ({}),
    run: ({ outage_no: no }) => inTx((tx) => limiter.recover(tx, channel, String(Number(no) - 1))),
  },
];

test.each(
  named([
    ['fail', 'recover'],
    ['fail', 'fail', 'recover from an earlier failure', 'recover'],
    ['pause for 5000 ms', 'fail', 'pause for 10 ms', 'recover'],
    ['fail', 'recover', 'recover from an earlier failure'],
  ]),
)('a channel that goes round: %s, two times and ten times', async (_, cycle) => {
  const read = () =>
    database.one<Columns>('select * from channel_limiter where channel = $1', [channel]);
  await walkRound({ clock: database.clock, steps: LIMITER_STEPS, begin: addLimiter, read }, cycle);
});
