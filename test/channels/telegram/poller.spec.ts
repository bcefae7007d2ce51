import type { Update } from 'telegraf/types';
import type { BotApi } from '../../../src/channels/telegram/api/bot-api';
import { BotHealth } from '../../../src/channels/telegram/api/bot-health';
import { PolledUpdates } from '../../../src/channels/telegram/intake/polled-updates';
import { Poller } from '../../../src/channels/telegram/intake/poller';
import type { UpdateIntake } from '../../../src/channels/telegram/intake/update-intake';
import { PollerLeaseRepository } from '../../../src/channels/telegram/intake/poller-lease.repository';
import { PeerHealth } from '../../../src/common/lifecycle';
import { type Tx, UnitOfWorkFactory } from '../../../src/common/uow';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { FakeClock } from '../../../tools/support/fake-clock';
import { gate } from '../../../tools/http-fake/gate';
import { turnOfLoop } from '../../support/until';

const LEASE_MS = 6000;
const TELEGRAM = { TELEGRAM_BOT_TOKEN: '7:abc', TELEGRAM_API_ROOT: 'http://127.0.0.1:1' };

describe('the lease of the poller', () => {
  let app: TestApp;
  let replica: TestApp;
  const clock = new FakeClock();

  beforeAll(async () => {
    const options = { clock, isWorking: false, env: TELEGRAM };
    app = await startTestApp(options);
    replica = await startReplica(app, options);
  });
  afterAll(async () => {
    await replica.close();
    await app.close();
  });

  test('tells another replica when it ends, and is free from then on', async () => {
    const one = leaseOf(app);
    const other = leaseOf(replica);

    const held = await one.take();
    clock.advance(4500);
    const early = { isTaken: await other.take(), endsInMs: await other.endsInMs() };
    clock.advance(LEASE_MS - 4500);
    const taken = await other.take();
    const lost = { isTaken: await one.take(), endsInMs: await one.endsInMs() };

    expect({ held, early, taken, lost }).toEqual({
      held: true,
      early: { isTaken: false, endsInMs: LEASE_MS - 4500 },
      taken: true,
      lost: { isTaken: false, endsInMs: LEASE_MS },
    });
  });

  test('that was given back is free at once', async () => {
    await leaseOf(replica).giveBack();

    expect(await leaseOf(app).take()).toBe(true);
  });
});

/** The lease as one replica sees it, each step in a commit of its own. */
function leaseOf(app: TestApp): {
  take(): Promise<boolean>;
  endsInMs(): Promise<number>;
  giveBack(): Promise<void>;
} {
  const lease = app.get(PollerLeaseRepository);
  const { units } = app;
  const commit = <T>(work: (tx: Tx) => Promise<T>): Promise<T> =>
    units.run('test', (uow) => uow.commitOne('test', work));
  return {
    take: () => commit((tx) => lease.take(tx)),
    endsInMs: () => commit((tx) => lease.endsInMs(tx)),
    giveBack: () => commit((tx) => lease.giveBack(tx)),
  };
}

describe('the poller', () => {
  test('on standby checks again no later than when the lease of the other replica ends', async () => {
    const clock = new FakeClock();
    const ends = [1500, 500];
    const asked: number[] = [];
    const lease = {
      leaseMs: LEASE_MS,
      take: () => {
        asked.push(clock.monotonicMs());
        return Promise.resolve(ends.length === 0);
      },
      endsInMs: () => Promise.resolve(ends.shift() ?? 0),
      giveBack: () => Promise.resolve(),
    };
    const poller = pollerOf({ clock, lease, updates: [], take: () => Promise.resolve() });

    poller.start();
    for (let step = 0; step < 40; step += 1) {
      await turnsOfLoop();
      clock.advance(100);
    }
    await poller.stop();

    expect(asked.slice(0, 3)).toEqual([0, 1500, 2000]);
  });

  test('that is stopped finishes the update that it stores, and leaves the rest with Telegram', async () => {
    const clock = new FakeClock();
    const stored = gate();
    const taken: number[] = [];
    const lease = { leaseMs: LEASE_MS, take: () => Promise.resolve(true), giveBack: jest.fn() };
    lease.giveBack.mockResolvedValue(undefined);
    const take = async ({ update_id: id }: Update): Promise<void> => {
      await stored.opened;
      taken.push(id);
    };
    const poller = pollerOf({ clock, lease, updates: [messageOf(1), messageOf(2)], take });

    poller.start();
    await turnsOfLoop();
    const stopped = poller.stop();
    await turnsOfLoop();
    const givenBackEarly = lease.giveBack.mock.calls.length;
    stored.open();
    await stopped;

    expect({ taken, givenBackEarly }).toEqual({ taken: [1], givenBackEarly: 0 });
    expect(lease.giveBack).toHaveBeenCalledTimes(1);
  });
});

/** Units of work without a database. */
const UNITS = {
  run: <T>(_flow: string, work: (uow: object) => Promise<T>): Promise<T> =>
    work({ commitOne: (_label: string, write: (tx: object) => Promise<unknown>) => write({}) }),
};

/** A poller to which Telegram returns these updates once. */
function pollerOf(parts: {
  readonly clock: FakeClock;
  readonly lease: object;
  readonly updates: Update[];
  readonly take: (update: Update) => Promise<void>;
}): Poller {
  const { clock, lease, updates, take } = parts;
  const api = {
    call: async (method: string, _params: object, { signal }: { signal: AbortSignal }) => {
      if (method !== 'getUpdates') return true;
      if (updates.length > 0) return updates.splice(0);
      await clock.sleep(1000, signal);
      return [];
    },
  };
  return new Poller(
    api as unknown as BotApi,
    new BotHealth(new PeerHealth(), clock),
    UNITS as unknown as UnitOfWorkFactory,
    lease as unknown as PollerLeaseRepository,
    new PolledUpdates(
      UNITS as unknown as UnitOfWorkFactory,
      { take: (_uow: object, update: Update) => take(update) } as unknown as UpdateIntake,
      clock,
    ),
    clock,
  );
}

function messageOf(id: number): Update {
  const from = { id: 5, is_bot: false, first_name: 'Ada' };
  const chat = { id: 5, type: 'private', first_name: 'Ada' } as const;
  return { update_id: id, message: { message_id: id, date: 0, chat, from, text: 'a' } };
}

async function turnsOfLoop(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    await turnOfLoop();
  }
}
