import type { SendOutcome } from '../../src/channels';
import { queueOf } from '../support/jobs';
import { PartCommits } from '../../src/delivery/part-commits';
import { DeliveryRepository } from '../../src/delivery/delivery.repository';
import { gate } from '../../tools/http-fake/gate';
import { TestDelivery, LATER_MS, LEASE_MS, TIMEOUT_MS } from './test-delivery';

let setup: TestDelivery;

beforeAll(async () => {
  setup = await TestDelivery.open();
});
afterEach(() => {
  jest.restoreAllMocks();
  return setup.reset();
});
afterAll(() => setup.close());

const UNKNOWN: SendOutcome = { kind: 'unknown' };
const SENT: SendOutcome = { kind: 'sent', externalId: 'late' };

describe('a send with an unknown outcome', () => {
  test('is repeated once, and is confirmed when the repeat arrives', async () => {
    const { channel } = setup;
    const said = await setup.say(await setup.conversation(), 'a|b');
    channel.nextOf('a', UNKNOWN);

    await setup.workAll();
    expect(await setup.states(said)).toEqual(['unknown', 'pending']);
    await setup.live(LATER_MS);

    expect(channel.texts).toEqual(['a', 'a', 'b']);
    expect(await setup.parts(said)).toMatchObject([
      { state: 'sent', confirmed: true, external_id: 'm2', unknowns: 1, failures: 0 },
      { state: 'sent', confirmed: true },
    ]);
    expect(await setup.eventsOf(said.conversationId)).toMatchObject([{ what: 'delivered' }]);
    expect(await setup.metrics('delivery_unknown_total', { channel: 'telegram' })).toBe(1);
  });

  test('is repeated at most once: then the part ends unconfirmed and the next part is sent', async () => {
    const { channel } = setup;
    const said = await setup.say(await setup.conversation(), 'a|b');
    channel.nextOf('a', UNKNOWN, UNKNOWN);

    await setup.workAll();
    await setup.live(LATER_MS);

    const [first] = await setup.parts(said);
    expect(channel.texts).toEqual(['a', 'a', 'b']);
    expect(first).toMatchObject({ state: 'sent', confirmed: false, external_id: null });
    expect(await setup.eventsOf(said.conversationId)).toEqual([
      { what: 'unconfirmed', about: first?.id },
      { what: 'delivered', about: said.turnId },
    ]);
    const ended = { channel: 'telegram', end: 'unconfirmed' };
    expect(await setup.metrics('delivery_parts_total', ended)).toBe(1);
    expect(await setup.attempts()).toEqual([
      { plain: 'a', outcome: 'unknown' },
      { plain: 'a', outcome: 'unknown' },
      { plain: 'b', outcome: 'sent' },
    ]);
  });

  test('never ends dead, because it may have arrived before its retries failed', async () => {
    const said = await setup.say(await setup.conversation(), 'a');
    const failed: SendOutcome = { kind: 'not_sent', error: 'bad_gateway' };
    setup.channel.nextOf('a', UNKNOWN, failed, failed, failed, failed, failed);

    await setup.workAll();
    await setup.live(3 * LATER_MS);

    expect(await setup.parts(said)).toMatchObject([{ state: 'sent', confirmed: false }]);
    expect(await setup.eventsOf(said.conversationId)).toMatchObject([
      { what: 'unconfirmed' },
      { what: 'delivered' },
    ]);
  });

  test('is what a timeout causes; the timeout aborts the call, and the lease is kept', async () => {
    const { channel } = setup;
    const said = await setup.say(await setup.conversation(), 'a');
    const signals: AbortSignal[] = [];
    channel.nextOf('a', (_part, signal) => {
      signals.push(signal);
      return new Promise<never>(() => undefined);
    });
    await setup.main.rig.worker.tick();
    await setup.untilBegan(1);

    for (let passedMs = 0; passedMs < TIMEOUT_MS; passedMs += 1000) {
      expect(signals[0]?.aborted).toBe(false);
      setup.clock.advance(1000);
      await setup.main.rig.worker.tick();
    }
    await setup.settled();

    expect(signals[0]?.aborted).toBe(true);
    expect(await setup.states(said)).toEqual(['unknown']);
  });
});

describe('a process that crashes between a send and its commit', () => {
  test('leaves a part that the next claim marks as unknown and sends once more', async () => {
    const { channel } = setup;
    const said = await setup.say(await setup.conversation(), 'a|b');
    channel.nextOf('a', channel.crash);
    await setup.work();

    setup.crash();
    await setup.work();
    expect(await setup.states(said)).toEqual(['unknown', 'pending']);
    expect(channel.texts).toEqual(['a']);
    await setup.live(LATER_MS);

    expect(channel.texts).toEqual(['a', 'a', 'b']);
    expect(await setup.states(said)).toEqual(['sent', 'sent']);
    expect(await setup.attempts()).toEqual([
      { plain: 'a', outcome: 'started' },
      { plain: 'a', outcome: 'sent' },
      { plain: 'b', outcome: 'sent' },
    ]);
  });

  test('leaves the part unconfirmed when it happens twice', async () => {
    const { channel } = setup;
    const said = await setup.say(await setup.conversation(), 'a');
    channel.nextOf('a', channel.crash, channel.crash);

    await setup.work();
    setup.crash();
    await setup.work();
    setup.clock.advance(LATER_MS);
    await setup.work();
    setup.crash();
    await setup.work();

    expect(channel.texts).toEqual(['a', 'a']);
    expect(await setup.parts(said)).toMatchObject([{ state: 'sent', confirmed: false }]);
    expect(await setup.metrics('delivery_unknown_total', { channel: 'telegram' })).toBe(1);
  });
});

describe('a process whose lease has ended', () => {
  test('sends nothing more, and the next claim reads from the log how its last send ended', async () => {
    const { channel } = setup;
    const said = await setup.say(await setup.conversation(), 'a|b');
    const gated = gate<SendOutcome>();
    channel.nextOf('a', () => gated.opened);
    const zombie = setup.main;
    await zombie.rig.worker.tick();
    await setup.untilBegan(1);

    setup.clock.advance(LEASE_MS);
    const successor = setup.another();
    await setup.work(successor);
    expect(await setup.states(said)).toEqual(['unknown', 'pending']);
    gated.open(SENT);
    await setup.settled(zombie);
    expect(channel.texts).toEqual(['a']);

    setup.clock.advance(LATER_MS);
    await setup.workAll(successor);
    expect(channel.texts).toEqual(['a', 'b']);
    expect(await setup.parts(said)).toMatchObject([
      { state: 'sent', confirmed: true, external_id: 'late' },
      { state: 'sent' },
    ]);
  });

  test('logs that its send arrived, and a later claim reads it also behind a send that was put off', async () => {
    const { channel } = setup;
    const said = await setup.say(await setup.conversation(), 'a');
    const gated = gate<SendOutcome>();
    channel.nextOf('a', () => gated.opened, { kind: 'paused', forMs: LATER_MS });
    const zombie = setup.main;
    await zombie.rig.worker.tick();
    await setup.untilBegan(1);

    setup.clock.advance(LEASE_MS);
    const successor = setup.another();
    await setup.work(successor);
    setup.clock.advance(LATER_MS);
    await setup.work(successor);
    expect(channel.texts).toEqual(['a', 'a']);
    gated.open(SENT);
    await setup.settled(zombie);

    setup.clock.advance(2 * LATER_MS);
    await setup.workAll(successor);
    expect(channel.texts).toEqual(['a', 'a']);
    expect(await setup.parts(said)).toMatchObject([
      { state: 'sent', confirmed: true, external_id: 'late' },
    ]);
  });

  test('stores no further send once its job is taken over', async () => {
    const said = await setup.say(await setup.conversation(), 'a');
    const successor = setup.another();
    jest
      .spyOn(DeliveryRepository.prototype, 'lockConversation')
      .mockImplementationOnce(async () => {
        setup.clock.advance(LEASE_MS);
        expect(await successor.rig.claims.takeOver(queueOf('deliver'), 1)).toHaveLength(1);
        return undefined;
      });

    await setup.work();

    expect(setup.channel.texts).toEqual([]);
    expect(await setup.states(said)).toEqual(['pending']);
    expect(await setup.attempts()).toEqual([]);
  });

  test('does not begin a send that it has already stored', async () => {
    const said = await setup.say(await setup.conversation(), 'a');
    jest.spyOn(DeliveryRepository.prototype, 'lockConversation').mockImplementationOnce(() => {
      setup.clock.advance(LEASE_MS);
      return Promise.resolve(undefined);
    });

    await setup.work();
    expect(setup.channel.texts).toEqual([]);
    expect(await setup.attempts()).toEqual([{ plain: 'a', outcome: 'not_sent' }]);

    await setup.workAll();
    expect(setup.channel.texts).toEqual(['a']);
    expect(await setup.parts(said)).toMatchObject([{ state: 'sent', unknowns: 0 }]);
  });

  test('sends nothing that it has logged as not sent, also if its lease is renewed meanwhile', async () => {
    await setup.say(await setup.conversation(), 'a');
    jest.spyOn(DeliveryRepository.prototype, 'lockConversation').mockImplementationOnce(() => {
      setup.clock.advance(LEASE_MS);
      return Promise.resolve(undefined);
    });
    jest.spyOn(PartCommits.prototype, 'log').mockImplementationOnce(async function (
      this: PartCommits,
      ...given
    ) {
      // The second call is the real one.
      await this.log(...given);
      for (const held of setup.main.rig.held.all()) held.extendTo(Infinity);
    });

    await setup.work();

    expect(await setup.attempts()).toEqual([{ plain: 'a', outcome: 'not_sent' }]);
    expect(setup.channel.texts).toEqual([]);
  });
});

test('the text of a part is deleted when it arrives, and kept while it may be sent again', async () => {
  const said = await setup.say(await setup.conversation(), 'a|b');
  const texts = async (): Promise<unknown> =>
    (await setup.parts(said)).map(({ state, text, plain }) => ({ state, text, plain }));
  expect(await texts()).toEqual([
    { state: 'pending', text: '<b>a</b>', plain: 'a' },
    { state: 'pending', text: '<b>b</b>', plain: 'b' },
  ]);

  setup.channel.nextOf('b', UNKNOWN, UNKNOWN);
  await setup.workAll();
  await setup.live(LATER_MS);

  expect(await texts()).toEqual([
    { state: 'sent', text: null, plain: null },
    { state: 'sent', text: '<b>b</b>', plain: 'b' },
  ]);
});

test('a part that is its whole message stores no text, and is sent with its markup', async () => {
  const said = await setup.say(await setup.conversation(), 'a');
  expect(await setup.parts(said)).toMatchObject([{ state: 'pending', text: null, plain: null }]);

  setup.channel.next(UNKNOWN);
  await setup.workAll();
  await setup.live(LATER_MS);

  expect(setup.channel.began.map(({ text, plain }) => ({ text, plain }))).toEqual([
    { text: '<b>a</b>', plain: 'a' },
    { text: '<b>a</b>', plain: 'a' },
  ]);
});
