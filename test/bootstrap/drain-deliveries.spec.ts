import type { SendOutcome } from '../../src/channels';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { BufferService } from '../../src/buffer';
import { Clock } from '../../src/common/clock';
import { Settings } from '../../src/common/config';
import { Drain } from '../../src/common/lifecycle';
import { DatabaseUnavailableError, UnitOfWorkFactory } from '../../src/common/uow';
import { DeliveryService } from '../../src/delivery';
import { drainJobs } from '../../src/bootstrap/drain-jobs';
import { ControlConnection } from '../../src/persistence';
import { JobWorker } from '../../src/jobs';
import { DeliveryFixture } from '../delivery/fixture';
import { turnOfLoop } from '../support/model-calls';
import { settingsForTests } from '../support/settings';
import { addJob, jobHandler } from '../support/jobs';
import { gate } from '../../tools/http-fake/gate';

/** What a shutdown does with replies that are still to be sent, on fake time. */

let fixture: DeliveryFixture;

beforeAll(async () => {
  fixture = await DeliveryFixture.open();
});
afterEach(() => fixture.reset());
afterAll(() => fixture.close());

const DEADLINE_MS = 60_000;

/** Drains the main process; its loop runs. Returns how long that took. */
async function drain(): Promise<number> {
  const { db, main } = fixture;
  const drained = new Drain(db.clock, DEADLINE_MS);
  const parts = new Map<unknown, unknown>([
    [Drain, drained],
    [Settings, settingsForTests()],
    [JobWorker, main.rig.worker],
    [ControlConnection, db.control],
    [BufferService, null],
    [DeliveryService, main.deliveries],
    [UnitOfWorkFactory, db.units],
    [Clock, db.clock],
  ]);
  drainJobs({ get: (token: unknown) => parts.get(token) } as unknown as NestFastifyApplication);
  const startedAtMs = db.clock.monotonicMs();
  const state = { isOver: false };
  const draining = drained.begin('SIGTERM').then(() => (state.isOver = true));
  while (!state.isOver) {
    await fixture.sql('select 1');
    db.clock.advance(50);
    await turnOfLoop();
  }
  await draining;
  return db.clock.monotonicMs() - startedAtMs;
}

test('a reply that the last running flow adds is sent before the process ends', async () => {
  const { rig } = fixture.main;
  const conversation = await fixture.conversation();
  const mayReply = gate();
  rig.registry.register(
    jobHandler({
      queue: 'flush',
      run: async (claim) => {
        await mayReply.opened;
        await fixture.say(conversation, 'a|b');
        await fixture.commit((tx) => rig.jobs.complete(tx, claim));
      },
    }),
  );
  await addJob(rig, fixture.db.units, { queue: 'flush', key: 'k' });
  rig.worker.start();
  while (rig.held.count('flush') === 0) await turnOfLoop();

  const draining = drain();
  await turnOfLoop();
  mayReply.open();

  expect(await draining).toBeLessThan(10_000);
  expect(fixture.channel.texts).toEqual(['a', 'b']);
});

test('a waiting chat gets its message when its time comes before the deadline', async () => {
  const said = await fixture.say(await fixture.conversation(), 'a');
  fixture.channel.nextOf('a', { kind: 'paused', forMs: 20_000 });
  await fixture.work();
  fixture.main.rig.worker.start();

  const tookMs = await drain();

  expect(await fixture.states(said)).toEqual(['sent']);
  expect(tookMs).toBeGreaterThanOrEqual(20_000);
  expect(tookMs).toBeLessThan(30_000);
});

test('a chat that waits longer, or for an unreachable server, is left to others at once', async () => {
  const away: SendOutcome = { kind: 'unavailable', error: 'connection_refused' };
  const paused = await fixture.say(await fixture.conversation(), 'a');
  fixture.channel.nextOf('a', { kind: 'paused', forMs: 3_600_000 });
  await fixture.work();
  fixture.main.rig.worker.start();
  expect(await drain()).toBeLessThan(5000);
  expect(await fixture.states(paused)).toEqual(['pending']);

  await fixture.reset();
  const refused = await fixture.say(await fixture.conversation(), 'b');
  fixture.channel.nextOf('b', away, away, away, away, away);
  await fixture.work();
  fixture.main.rig.worker.start();
  expect(await drain()).toBeLessThan(5000);
  expect(await fixture.states(refused)).toEqual(['pending']);
});

test('nothing is waited for when the database cannot be reached', async () => {
  const { db } = fixture;
  await fixture.say(await fixture.conversation(), 'a');
  fixture.main.rig.worker.start();
  jest.spyOn(db.control, 'isLost', 'get').mockReturnValue(true);
  jest.spyOn(db.units, 'run').mockRejectedValue(new DatabaseUnavailableError('away'));

  expect(await drain()).toBeLessThan(10_000);
  jest.restoreAllMocks();
});

test('another replica does not keep a shutdown waiting', async () => {
  const { main } = fixture;
  fixture.main = fixture.another();
  await fixture.say(await fixture.conversation(), 'a');
  fixture.main = main;
  await main.rig.worker.stopClaims(({ queue }) => queue === 'deliver');
  main.rig.worker.start();

  expect(await drain()).toBeLessThan(5000);
  expect(fixture.channel.texts).toEqual([]);
});
