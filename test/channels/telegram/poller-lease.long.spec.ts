import { Poller } from '../../../src/channels/telegram/intake/poller';
import { PollerLeaseRepository } from '../../../src/channels/telegram/intake/poller-lease.repository';
import type { TestApp } from '../../support/app';
import { FakeClock } from '../../../tools/support/fake-clock';
import { gate } from '../../../tools/http-fake/gate';
import { EN, BotIntake } from './bot-intake';

const LEASE_MS = 60_000;
let setup: BotIntake;
let clock: FakeClock;
let second: TestApp;

function isPolling(app: TestApp): boolean {
  return (app.get(Poller) as unknown as { readonly holdsLease: boolean }).holdsLease;
}

beforeEach(async () => {
  clock = new FakeClock();
  setup = await BotIntake.start({ clock });
  await setup.telegram.until('the first replica polls', () => setup.telegram.isPolled);
  second = await setup.another();
});
afterEach(async () => {
  jest.restoreAllMocks();
  await setup.close();
});

test('one replica polls, the other stands by, and both send replies', async () => {
  const people = Array.from({ length: 5 }, () => setup.telegram.user());
  for (const person of people) person.writes('/help');
  for (const person of people)
    await setup.untilTold(person, EN.help({ voices: false, interviewer: 'script' }));
  const startedMs = clock.monotonicMs();
  await setup.app.until(
    'three leases have passed',
    () => clock.monotonicMs() > startedMs + 3 * LEASE_MS,
  );

  expect([isPolling(setup.app), isPolling(second)]).toEqual([true, false]);
  expect(setup.telegram.journal.refused(409)).toEqual([]);
});

test('a killed poller is replaced within its lease and 2 s', async () => {
  const lease = setup.app.get(PollerLeaseRepository);
  // The poller hangs in this call and does not give its lease back.
  const asking = gate<boolean>();
  const spy = jest.spyOn(lease, 'take').mockReturnValue(asking.opened);
  await setup.telegram.until(
    'the first replica has stopped polling',
    () => !setup.telegram.isPolled,
  );
  const silentMs = clock.monotonicMs();
  const ada = setup.telegram.user();
  ada.writes('/help');
  await setup.app.until('the other replica polls', () => isPolling(second));

  // The other replica checks every third of a lease; the checks of this test take some time, too.
  expect(clock.monotonicMs() - silentMs).toBeLessThanOrEqual(LEASE_MS + LEASE_MS / 3 + 2000);
  await setup.untilTold(ada, EN.help({ voices: false, interviewer: 'script' }));
  expect(setup.told(ada, EN.help({ voices: false, interviewer: 'script' }))).toBe(1);
  // So that the first replica can be closed.
  spy.mockRestore();
  asking.open(false);
});

test('a poller that stops gives its lease back at once', async () => {
  const holders = (): Promise<{ holder: string }[]> =>
    setup.app.sql('select holder from telegram_poller');
  const [first] = await holders();
  await setup.app.get(Poller).stop();

  expect(await holders()).not.toContainEqual(first);
  const givenBackMs = clock.monotonicMs();
  const ada = setup.telegram.user();
  ada.writes('/help');
  await setup.app.until('the other replica polls', () => isPolling(second));

  expect(clock.monotonicMs() - givenBackMs).toBeLessThanOrEqual(LEASE_MS / 3 + 2000);
  await setup.untilTold(ada, EN.help({ voices: false, interviewer: 'script' }));
});
