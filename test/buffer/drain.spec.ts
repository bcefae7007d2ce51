import { RunMode } from '../../src/common/run-mode';
import { Drain } from '../../src/common/lifecycle';
import type { DeliveryService } from '../../src/delivery';
import { DeliveryDrain } from '../../src/delivery/delivery-drain';
import { BufferDrain } from '../../src/buffer/buffer-drain';
import { JobDrain, QueueDrain } from '../../src/jobs/job-drain';
import { TestBuffer } from './test-buffer';
import { gate } from '../../tools/http-fake/gate';
import { settingsForTests } from '../support/settings';
import { addJob, completing, jobHandler } from '../support/jobs';
import { turnOfLoop } from '../support/until';

/** What a shutdown does with the jobs of its process, on fake time; passes happen by hand. */

let setup: TestBuffer;
let conversation: string;
let drain: Drain;

beforeAll(async () => {
  setup = await TestBuffer.open();
});
beforeEach(async () => {
  conversation = await setup.conversation();
});
afterEach(() => setup.reset());
afterAll(() => setup.close());

const WINDOW_MS = 4000;
const LEASE_MS = 6000;
const DEADLINE_MS = 60_000;

function openDrain(pending: 'keep' | 'flush'): Drain {
  const { clock, control, main, units } = setup;
  const { worker } = main.rig;
  const settings = settingsForTests({ SHUTDOWN_PENDING: pending });
  const queue = new QueueDrain(worker, units, clock);
  const deliveries = { canSend: false } as DeliveryService;
  drain = new Drain(clock, DEADLINE_MS);
  // Not in the order in which they run.
  new DeliveryDrain(drain, deliveries, queue, worker, control).onModuleInit();
  new JobDrain(drain, worker, control, settings).onModuleInit();
  new BufferDrain(drain, main.buffer, queue, settings, RunMode.server).onModuleInit();
  return drain;
}

/** Moves time no faster than the database responds, and calls `meanwhile`, until the drain is over. */
async function drained(
  meanwhile: () => Promise<unknown> = () => setup.sql('select 1'),
): Promise<void> {
  const over = new AbortController();
  const draining = drain.begin('SIGTERM').then(() => {
    over.abort();
  });
  while (!over.signal.aborted) {
    await meanwhile();
    setup.clock.advance(50);
    await turnOfLoop();
  }
  await draining;
}

/** An answer that is being replied to until the gate opens. */
async function replying(): Promise<{ answerId: string; open(): void }> {
  const { turns } = setup.main;
  const reply = gate();
  turns.whileAsked = () => reply.opened;
  const { answerId } = await setup.append(conversation, 'rye');
  setup.clock.advance(WINDOW_MS);
  await setup.main.rig.worker.tick();
  await setup.until('the model is asked', () => turns.requests.length === 1);
  return { answerId, open: reply.open };
}

test('claims only deliveries while a flow still runs, and nothing afterwards', async () => {
  const { rig } = setup.main;
  const claimed: string[] = [];
  for (const queue of ['deliver', 'score'] as const) {
    const complete = completing(rig, setup.units);
    rig.registry.register(
      jobHandler({
        queue,
        drain: queue === 'deliver' ? 'last' : 'first',
        run: (claim) => (claimed.push(claim.key), complete(claim)),
      }),
    );
  }
  const running = await replying();
  void openDrain('keep').begin('SIGTERM');
  await turnOfLoop();

  for (const queue of ['deliver', 'score'] as const) {
    await addJob(rig, setup.units, { queue, key: `early ${queue}` });
  }
  await rig.worker.tick();
  running.open();
  await setup.until('no job runs', () => rig.held.all().length === 0);
  await drained();
  await addJob(rig, setup.units, { queue: 'deliver', key: 'late deliver' });
  await rig.worker.tick();

  expect(claimed).toEqual(['early deliver']);
  expect((await setup.job(running.answerId)).state).toBe('done');
});

test('heartbeats go on until the last job has ended', async () => {
  const { rig } = setup.main;
  const running = await replying();
  rig.worker.start();
  openDrain('keep');
  const startedAt = setup.clock.now().getTime();
  let leaseMs = 0;

  const draining = drained(async () => {
    const { leased_until: leasedUntil, state } = await setup.job(running.answerId);
    const now = setup.clock.now().getTime();
    if (state !== 'running') return;
    leaseMs = (leasedUntil?.getTime() ?? 0) - now;
    if (now - startedAt > 2 * LEASE_MS) running.open();
  });
  await draining;

  expect(leaseMs).toBeGreaterThan(0);
  expect((await setup.job(running.answerId)).state).toBe('done');
});

describe('with SHUTDOWN_PENDING=flush', () => {
  test('flushes at once only the buffers that this replica was filling', async () => {
    const theirs = await setup.conversation();
    const another = setup.another();
    await setup.append(conversation, 'mine');
    const { answerId } = await setup.commit((tx) =>
      another.buffer.append(tx, {
        conversationId: theirs,
        channel: 'telegram',
        externalId: 'm1',
        text: 'theirs',
      }),
    );
    openDrain('flush');

    await drained(() => setup.tick());

    expect(setup.main.turns.requests).toMatchObject([{ text: 'mine' }]);
    expect(await setup.job(answerId)).toMatchObject({ state: 'open', claim_no: 0 });
  });

  test('keeps claiming while a reply is written, so that a returned answer gets its reply', async () => {
    const first = await replying();
    openDrain('flush');
    let passes = 0;

    await drained(async () => {
      passes += 1;
      await setup.main.rig.worker.tick();
      if (passes === 5) await setup.append(conversation, 'a voice that was heard just now');
      if (passes === 10) first.open();
    });

    const texts = setup.main.turns.requests.map(({ text }) => text);
    expect(texts).toEqual(['rye', 'a voice that was heard just now']);
  });

  test('a voice that is still being transcribed is not waited for', async () => {
    const { clock } = setup;
    await setup.voice(conversation, 'v1');
    openDrain('flush');
    const startedMs = clock.monotonicMs();

    await drained(() => setup.tick());

    expect(clock.monotonicMs() - startedMs).toBeLessThan(DEADLINE_MS / 2);
    expect(await setup.jobs(conversation)).toMatchObject([{ state: 'open', pending: 1 }]);
  });

  test('an answer that cannot be replied to is left after half of the deadline', async () => {
    const { clock } = setup;
    await setup.append(conversation, 'mine');
    openDrain('flush');
    const startedMs = clock.monotonicMs();

    await drained();

    const tookMs = clock.monotonicMs() - startedMs;
    expect(tookMs).toBeGreaterThanOrEqual(DEADLINE_MS / 2);
    expect(tookMs).toBeLessThan(DEADLINE_MS / 2 + 5000);
    expect(await setup.jobs(conversation)).toMatchObject([{ state: 'open' }]);
  });
});
