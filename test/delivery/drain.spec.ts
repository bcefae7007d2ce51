import type { SendOutcome } from '../../src/channels';
import { Drain } from '../../src/common/lifecycle';
import { DatabaseUnavailableError } from '../../src/common/uow';
import { DeliveryDrain } from '../../src/delivery/delivery-drain';
import { JobDrain, QueueDrain } from '../../src/jobs/job-drain';
import { TestDelivery } from './test-delivery';
import { settingsForTests } from '../support/settings';
import { addJob, jobHandler } from '../support/jobs';
import { gate } from '../../tools/http-fake/gate';
import { turnOfLoop, untilInProcess } from '../support/until';

/** What a shutdown does with replies that are still to be sent, on fake time. */

let setup: TestDelivery;

beforeAll(async () => {
  setup = await TestDelivery.open();
});
afterEach(() => setup.reset());
afterAll(() => setup.close());

const DEADLINE_MS = 60_000;

/** A step of the fake clock, so short that a busy machine completes a commit within few of them. */
const STEP_MS = 20;

/** Drains the main process; its loop runs. Returns how long that took on the fake clock. */
async function drain(): Promise<number> {
  const { clock, control, main, units } = setup;
  const { worker } = main.rig;
  const drained = new Drain(clock, DEADLINE_MS);
  const queue = new QueueDrain(worker, units, clock);
  // Not in the order in which they run.
  new DeliveryDrain(drained, main.deliveries, queue, worker, control).onModuleInit();
  new JobDrain(drained, worker, control, settingsForTests()).onModuleInit();
  const startedAtMs = setup.clock.monotonicMs();
  const state = { isOver: false };
  const draining = drained.begin('SIGTERM').then(() => (state.isOver = true));
  while (!state.isOver) {
    await setup.sql('select 1');
    setup.clock.advance(STEP_MS);
    await turnOfLoop();
  }
  await draining;
  return setup.clock.monotonicMs() - startedAtMs;
}

test('a reply that the last running flow adds is sent before the process ends', async () => {
  const { rig } = setup.main;
  const conversation = await setup.conversation();
  const mayReply = gate();
  rig.registry.register(
    jobHandler({
      queue: 'flush',
      run: async (claim) => {
        await mayReply.opened;
        await setup.say(conversation, 'a|b');
        await setup.commit((tx) => rig.jobs.complete(tx, claim));
      },
    }),
  );
  await addJob(rig, setup.units, { queue: 'flush', key: 'k' });
  rig.worker.start();
  await untilInProcess('the flush runs', () => rig.held.count('flush') > 0);

  const draining = drain();
  await turnOfLoop();
  mayReply.open();

  expect(await draining).toBeLessThan(10_000);
  expect(setup.channel.texts).toEqual(['a', 'b']);
});

test('a waiting chat gets its message when its time comes before the deadline', async () => {
  const said = await setup.say(await setup.conversation(), 'a');
  setup.channel.nextOf('a', { kind: 'paused', forMs: 20_000 });
  await setup.work();
  setup.main.rig.worker.start();

  const tookMs = await drain();

  expect(await setup.states(said)).toEqual(['sent']);
  expect(tookMs).toBeGreaterThanOrEqual(20_000);
  expect(tookMs).toBeLessThan(30_000);
});

test('a chat that waits longer, or for an unreachable server, is left to others at once', async () => {
  const away: SendOutcome = { kind: 'unavailable', error: 'connection_refused' };
  const paused = await setup.say(await setup.conversation(), 'a');
  setup.channel.nextOf('a', { kind: 'paused', forMs: 3_600_000 });
  await setup.work();
  setup.main.rig.worker.start();
  expect(await drain()).toBeLessThan(5000);
  expect(await setup.states(paused)).toEqual(['pending']);

  await setup.reset();
  const refused = await setup.say(await setup.conversation(), 'b');
  setup.channel.nextOf('b', away, away, away, away, away);
  await setup.work();
  setup.main.rig.worker.start();
  expect(await drain()).toBeLessThan(5000);
  expect(await setup.states(refused)).toEqual(['pending']);
});

test('nothing is waited for when the database cannot be reached', async () => {
  await setup.say(await setup.conversation(), 'a');
  setup.main.rig.worker.start();
  jest.spyOn(setup.control, 'isLost', 'get').mockReturnValue(true);
  jest.spyOn(setup.units, 'run').mockRejectedValue(new DatabaseUnavailableError('away'));

  expect(await drain()).toBeLessThan(10_000);
  jest.restoreAllMocks();
});

test('another replica does not keep a shutdown waiting', async () => {
  const { main } = setup;
  setup.main = setup.another();
  await setup.say(await setup.conversation(), 'a');
  setup.main = main;
  await main.rig.worker.stopClaims(({ queue }) => queue === 'deliver');
  main.rig.worker.start();

  expect(await drain()).toBeLessThan(5000);
  expect(setup.channel.texts).toEqual([]);
});

test('a command, whose worker never starts, leaves what it has added to the application', async () => {
  const said = await setup.say(await setup.conversation(), 'a');

  expect(await drain()).toBeLessThan(1000);
  expect(await setup.states(said)).toEqual(['pending']);
});
