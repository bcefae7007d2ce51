import type { Update } from 'telegraf/types';
import type { BotApi } from '../../../src/channels/telegram/api/bot-api';
import { BotHealth } from '../../../src/channels/telegram/api/bot-health';
import { PolledUpdates, Poller } from '../../../src/channels/telegram/intake/poller';
import type { UpdateIntake } from '../../../src/channels/telegram/intake/update-intake';
import { PollerLeaseRepository } from '../../../src/channels/telegram/intake/poller-lease.repository';
import { PeerHealth } from '../../../src/common/lifecycle';
import { Metrics } from '../../../src/common/metrics';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { FakeClock } from '../../support/clock';
import { gate } from '../../../tools/http-fake/gate';

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
    const [one, other] = [app, replica].map(({ nest }) =>
      nest.get(PollerLeaseRepository, { strict: false }),
    );

    const held = await one?.take();
    clock.advance(4500);
    const endsInMs = await other?.take();
    clock.advance(LEASE_MS - 4500);
    const taken = await other?.take();
    const lost = await one?.take();

    expect({ held, endsInMs, taken, lost }).toEqual({
      held: 0,
      endsInMs: LEASE_MS - 4500,
      taken: 0,
      lost: LEASE_MS,
    });
  });

  test('that was given back is free at once', async () => {
    const [one, other] = [app, replica].map(({ nest }) =>
      nest.get(PollerLeaseRepository, { strict: false }),
    );
    await other?.giveBack();

    expect(await one?.take()).toBe(0);
  });
});

describe('the poller', () => {
  test('on standby checks again no later than when the lease of the other replica ends', async () => {
    const clock = new FakeClock();
    const answers = [1500, 500, 0];
    const asked: number[] = [];
    const lease = {
      leaseMs: LEASE_MS,
      take: () => {
        asked.push(clock.monotonicMs());
        return Promise.resolve(answers.shift() ?? 0);
      },
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
    const lease = { leaseMs: LEASE_MS, take: () => Promise.resolve(0), giveBack: jest.fn() };
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
    lease as unknown as PollerLeaseRepository,
    new PolledUpdates({ take } as unknown as UpdateIntake, clock),
    clock,
    new Metrics(),
  );
}

function messageOf(id: number): Update {
  const from = { id: 5, is_bot: false, first_name: 'Ada' };
  const chat = { id: 5, type: 'private', first_name: 'Ada' } as const;
  return { update_id: id, message: { message_id: id, date: 0, chat, from, text: 'a' } };
}

async function turnsOfLoop(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
