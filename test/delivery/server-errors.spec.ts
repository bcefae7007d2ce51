import type { SendOutcome } from '../../src/channels';
import { ChannelLimiterRepository } from '../../src/delivery';
import { TestDelivery, type Said } from './test-delivery';

let setup: TestDelivery;

beforeAll(async () => {
  setup = await TestDelivery.open();
});
afterEach(() => setup.reset());
afterAll(() => setup.close());

const BAD_GATEWAY: SendOutcome = { kind: 'server_error', error: 'status_502' };
const LATE: SendOutcome = { kind: 'unknown' };

/** Works in steps of 250 ms; returns after how many milliseconds each further send began. */
async function sendTimes(totalMs: number): Promise<number[]> {
  const times: number[] = [];
  const stepMs = 250;
  for (let passedMs = stepMs; passedMs <= totalMs; passedMs += stepMs) {
    const before = setup.channel.began.length;
    setup.clock.advance(stepMs);
    await setup.workAll();
    if (setup.channel.began.length > before) times.push(passedMs);
  }
  return times;
}

async function saidTo(text: string): Promise<Said> {
  return setup.say(await setup.conversation(), text);
}

function resends(): Promise<{ outcome: string; unconfirmed: boolean }[]> {
  return setup.sql('select outcome, unconfirmed from delivery_attempt order by id');
}

describe('a send that the server responds to with a 5xx', () => {
  test('is repeated after 1, 5, 30 and 120 s, each flagged unconfirmed; then the part is unconfirmed', async () => {
    const said = await saidTo('a|b');
    setup.channel.nextOf('a', ...Array.from({ length: 5 }, () => BAD_GATEWAY));
    await setup.workAll();

    expect(await sendTimes(160_000)).toEqual([1000, 6000, 36_000, 156_000]);
    expect(setup.channel.texts).toEqual(['a', 'a', 'a', 'a', 'a', 'b']);
    expect(await resends()).toEqual([
      { outcome: 'server_error', unconfirmed: false },
      ...Array.from({ length: 4 }, () => ({ outcome: 'server_error', unconfirmed: true })),
      { outcome: 'sent', unconfirmed: false },
    ]);
    expect(await setup.parts(said)).toMatchObject([
      { state: 'sent', confirmed: false },
      { state: 'sent', confirmed: true },
    ]);
    expect(await setup.eventsOf(said.conversationId)).toMatchObject([
      { what: 'unconfirmed' },
      { what: 'delivered' },
    ]);
  });

  test('is confirmed when the server accepts a resend', async () => {
    const said = await saidTo('a');
    setup.channel.nextOf('a', BAD_GATEWAY, BAD_GATEWAY);
    await setup.workAll();
    await sendTimes(10_000);

    expect(await setup.parts(said)).toMatchObject([
      { state: 'sent', confirmed: true, server_errors: 2, unknowns: 0 },
    ]);
    expect(await setup.eventsOf(said.conversationId)).toMatchObject([{ what: 'delivered' }]);
    expect(await setup.metrics('delivery_unknown_total', { channel: 'telegram' })).toBe(2);
  });

  test('ends unconfirmed for a notice too, for example the greeting', async () => {
    const conversation = await setup.conversation();
    await setup.say(conversation, 'welcome', 'notice');
    setup.channel.nextOf('welcome', ...Array.from({ length: 5 }, () => BAD_GATEWAY));
    await setup.workAll();
    await sendTimes(160_000);

    expect(await setup.eventsOf(conversation)).toMatchObject([{ what: 'unconfirmed' }]);
  });
});

describe.each([
  ['5xx', BAD_GATEWAY],
  ['timeout', LATE],
])('after a %s, while the server does not respond', (_what, outcome) => {
  test('no process sends to any chat, and pauses stand still', async () => {
    const { channel } = setup;
    const failed = await saidTo('a');
    const other = await saidTo('b');
    channel.nextOf('a', () => {
      channel.isAway = true;
      return outcome;
    });
    channel.nextOf('b', () => outcome);
    const replica = setup.another();
    await setup.workAll();
    const sent = channel.began.length;

    for (let minute = 0; minute < 10; minute += 1) {
      setup.clock.advance(60_000);
      await setup.workAll();
      await setup.workAll(replica);
    }
    expect(channel.began).toHaveLength(sent);
    expect(channel.asked).toBeGreaterThan(5);
    expect(channel.asked).toBeLessThan(40);
    expect(await setup.states(failed)).toEqual(['unknown']);

    channel.isAway = false;
    const [first, ...later] = await sendTimes(40_000);
    expect(first).toBeLessThan(32_000);
    // Each chat fails once and is sent again once: one more send if only one chat was tried before.
    expect(sent + later.length + 1).toBeLessThanOrEqual(4);
    expect(later.length).toBeLessThan(sent === 2 ? 2 : 3);
    expect(await setup.states(failed)).toEqual(['sent']);
    expect(await setup.states(other)).toEqual(['sent']);
  });
});

test('a pause that began before an outage stands still during it and then continues', async () => {
  const { channel } = setup;
  await saidTo('a');
  channel.nextOf('a', BAD_GATEWAY, BAD_GATEWAY, BAD_GATEWAY);
  await setup.workAll();
  expect(await sendTimes(6000)).toEqual([1000, 6000]);

  // After 10 s of the 30 s pause, another chat's send starts an outage of five minutes.
  await sendTimes(10_000);
  await saidTo('b');
  channel.nextOf('b', () => {
    channel.isAway = true;
    return BAD_GATEWAY;
  });
  await setup.workAll();
  await sendTimes(300_000);
  expect(channel.texts).toEqual(['a', 'a', 'a', 'b']);
  channel.isAway = false;
  setup.clock.advance(30_000);
  await setup.workAll();

  expect(await sendTimes(19_000)).toEqual([1000]);
  expect(channel.texts).toEqual(['a', 'a', 'a', 'b', 'b']);
  expect(await sendTimes(2000)).toEqual([1000]);
  expect(channel.texts).toEqual(['a', 'a', 'a', 'b', 'b', 'a']);
});

test('an outage continues when a send fails after the server was asked', async () => {
  const limiter = new ChannelLimiterRepository(setup.clock);
  const state = () => setup.commit((tx) => limiter.state(tx, 'telegram'));
  await setup.commit((tx) => limiter.fail(tx, 'telegram'));
  const { failureNo } = await state();

  await setup.commit((tx) => limiter.fail(tx, 'telegram'));
  await setup.commit((tx) => limiter.recover(tx, 'telegram', failureNo ?? ''));
  const later = await state();
  expect(later.failureNo).not.toBeNull();
  await setup.commit((tx) => limiter.recover(tx, 'telegram', later.failureNo ?? ''));

  expect((await state()).failureNo).toBeNull();
});

test('a send that this process aborts starts no outage', async () => {
  await saidTo('a');
  setup.channel.nextOf('a', { kind: 'unknown', isOurs: true });
  await setup.workAll();

  expect(setup.channel.asked).toBe(0);
  expect(await setup.sql('select 1 from channel_limiter')).toEqual([]);
});

test('a person can send an unconfirmed part again: only that part, flagged unconfirmed', async () => {
  const { channel } = setup;
  const said = await saidTo('a|b');
  channel.nextOf('a', LATE, LATE);
  await setup.workAll();
  await sendTimes(3000);
  const [part] = await setup.parts(said);
  const replay = () => setup.commit((tx) => setup.main.deliveries.replay(tx, part?.id ?? ''));

  expect(await replay()).toBe('resumed');
  await setup.workAll();
  expect(channel.texts).toEqual(['a', 'a', 'b', 'a']);
  expect((await resends()).at(-1)).toEqual({ outcome: 'sent', unconfirmed: true });
  expect(await setup.parts(said)).toMatchObject([{ state: 'sent', confirmed: true }, {}]);
  expect(await replay()).toBe('nothing_to_resume');
});
