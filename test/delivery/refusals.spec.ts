import type { SendOutcome } from '../../src/channels';
import { gate } from '../../tools/http-fake/gate';
import { TestDelivery, LATER_MS } from './test-delivery';

let setup: TestDelivery;

beforeAll(async () => {
  setup = await TestDelivery.open();
});
afterEach(() => setup.reset());
afterAll(() => setup.close());

const FAILED: SendOutcome = { kind: 'not_sent', error: 'bad_gateway' };
const REFUSED: SendOutcome = { kind: 'refused', error: 'message_too_long' };
const BLOCKED: SendOutcome = { kind: 'blocked', error: 'forbidden' };
const AWAY: SendOutcome = { kind: 'unavailable', error: 'connection_refused' };

function paused(forMs: number): SendOutcome {
  return { kind: 'paused', forMs };
}

describe('429', () => {
  test('stops every chat of the channel in every process, and counts no failure', async () => {
    const { channel } = setup;
    const other = setup.another();
    const first = await setup.say(await setup.conversation(), 'a|b');
    channel.nextOf('a', paused(40_000));
    await setup.workAll();
    const second = await setup.say(await setup.conversation(), 'c');

    for (let passedMs = 0; passedMs < 39_000; passedMs += 3000) {
      setup.clock.advance(3000);
      await setup.workAll();
      await setup.workAll(other);
    }
    expect(channel.texts).toEqual(['a']);
    setup.clock.advance(1000);
    // The chats resume within a quarter of the pause.
    for (let passedMs = 0; passedMs < 10_000; passedMs += 500) {
      setup.clock.advance(500);
      await setup.workAll(other);
      await setup.workAll();
    }

    expect([...channel.texts].sort()).toEqual(['a', 'a', 'b', 'c']);
    expect([...(await setup.parts(first)), ...(await setup.parts(second))]).toMatchObject([
      { state: 'sent', failures: 0, unknowns: 0 },
      { state: 'sent', failures: 0 },
      { state: 'sent', failures: 0 },
    ]);
    expect(await setup.metrics('delivery_paused_seconds_total', { channel: 'telegram' })).toBe(40);
  });

  test('stops a chat whose job is running, and a shorter pause does not end a longer one', async () => {
    const { channel } = setup;
    await setup.say(await setup.conversation(), 'a|b');
    await setup.say(await setup.conversation(), 'c');
    await setup.say(await setup.conversation(), 'd');
    const gates = { a: gate<SendOutcome>(), c: gate<SendOutcome>(), d: gate<SendOutcome>() };
    channel.nextOf('a', () => gates.a.opened);
    channel.nextOf('c', () => gates.c.opened);
    channel.nextOf('d', () => gates.d.opened);
    await setup.main.rig.worker.tick();
    await setup.untilBegan(3);

    gates.c.open(paused(30_000));
    await setup.until('the pause is stored', async () => {
      return (await setup.sql('select 1 from channel_limiter')).length > 0;
    });
    gates.d.open(paused(2000));
    gates.a.open({ kind: 'sent', externalId: '1' });
    await setup.settled();
    await setup.live(29_000);
    expect(channel.began).toHaveLength(3);

    await setup.live(10_000);
    expect([...channel.texts].sort()).toEqual(['a', 'b', 'c', 'c', 'd', 'd']);
  });

  test('is followed by jitter, so that the chats do not resume all at once', async () => {
    const { channel } = setup;
    for (let chat = 0; chat < 20; chat += 1) {
      await setup.say(await setup.conversation(), `chat ${chat}`);
    }
    await setup.sql(`insert into channel_limiter (channel, paused_until) values ('telegram', $1)`, [
      new Date(setup.clock.now().getTime() + 40_000),
    ]);
    await setup.workAll();
    await setup.live(40_000);
    expect(channel.began).toEqual([]);

    const perStep: number[] = [];
    for (let passedMs = 0; passedMs < 10_000; passedMs += 1000) {
      const began = channel.began.length;
      await setup.live(1000);
      perStep.push(channel.began.length - began);
    }
    expect(perStep.reduce((sum, count) => sum + count)).toBe(20);
    expect(Math.max(...perStep)).toBeLessThan(15);
  });
});

describe('a part whose send failed without arriving', () => {
  test('is tried five times with growing delays; then its message is dead', async () => {
    const { channel } = setup;
    const conversation = await setup.conversation();
    const dead = await setup.say(conversation, 'a|b|c');
    const next = await setup.say(conversation, 'd');
    channel.nextOf('b', FAILED, FAILED, FAILED, FAILED, FAILED);

    await setup.workAll();
    await setup.live(3 * LATER_MS);

    expect(channel.texts).toEqual(['a', 'b', 'b', 'b', 'b', 'b', 'd']);
    expect(await setup.states(dead)).toEqual(['sent', 'dead', 'dead']);
    expect(await setup.states(next)).toEqual(['sent']);
    expect(await setup.eventsOf(conversation)).toEqual([
      { what: 'failed', about: 'bad_gateway' },
      { what: 'delivered', about: next.turnId },
    ]);
  });

  test('waits for its retry without a claim', async () => {
    setup.channel.nextOf('a', FAILED);
    await setup.say(await setup.conversation(), 'a');

    await setup.workAll();

    expect(setup.main.rig.held.all()).toEqual([]);
    const jobs = await setup.sql<{ dueInS: number; failures: number }>(
      `select extract(epoch from due_at - $1::timestamptz)::float8 as "dueInS", failures from job
       where queue = 'deliver' and state = 'open'`,
      [setup.clock.now()],
    );
    expect(jobs).toEqual([{ dueInS: expect.any(Number) as number, failures: 0 }]);
    expect(jobs[0]?.dueInS).toBeGreaterThanOrEqual(0.5);
    expect(jobs[0]?.dueInS).toBeLessThanOrEqual(1);
  });
});

test('a refused part is dead at once, and the next message of the chat is sent', async () => {
  const { channel } = setup;
  const conversation = await setup.conversation();
  const refused = await setup.say(conversation, 'a|b');
  const next = await setup.say(conversation, 'c');
  channel.nextOf('a', REFUSED);

  await setup.workAll();

  expect(channel.texts).toEqual(['a', 'c']);
  expect(await setup.states(refused)).toEqual(['dead', 'dead']);
  expect(await setup.eventsOf(conversation)).toEqual([
    { what: 'failed', about: 'message_too_long' },
    { what: 'delivered', about: next.turnId },
  ]);
});

test('a dead message is replayed from its first unsent part, unless a later one was delivered', async () => {
  const { channel } = setup;
  const { deliveries } = setup.main;
  const conversation = await setup.conversation();
  const said = await setup.say(conversation, 'a|b|c');
  channel.nextOf('b', REFUSED);
  await setup.workAll();
  const id = (await setup.parts(said))[1]?.id ?? '';

  expect(await setup.commit((tx) => deliveries.replay(tx, id))).toBe('resumed');
  await setup.workAll();
  expect(channel.texts).toEqual(['a', 'b', 'b', 'c']);
  expect(await setup.commit((tx) => deliveries.replay(tx, id))).toBe('nothing_to_resume');

  const early = await setup.say(conversation, 'd');
  channel.nextOf('d', REFUSED);
  const late = await setup.say(conversation, 'e');
  await setup.workAll();
  await setup.sql(`update turn set state = 'delivered' where id = $1`, [late.turnId]);
  const passed = (await setup.parts(early))[0]?.id ?? '';
  expect(await setup.commit((tx) => deliveries.replay(tx, passed))).toBe('passed');
});

test('a 403 makes everything of the chat dead, and an unblock resumes each last reply', async () => {
  const { channel } = setup;
  const { deliveries } = setup.main;
  const one = await setup.conversation('chat');
  const two = await setup.conversation('chat');
  const elsewhere = await setup.say(await setup.conversation(), 'z');
  const first = await setup.say(one, 'a');
  const last = await setup.say(one, 'b|c');
  const notice = await setup.say(one, 'n', 'notice');
  const others = await setup.say(two, 'x');
  channel.nextOf('a', BLOCKED);

  await setup.workAll();
  for (const said of [first, last, notice, others]) {
    expect(new Set(await setup.states(said))).toEqual(new Set(['dead']));
  }
  expect(await setup.states(elsewhere)).toEqual(['sent']);
  expect(await setup.eventsOf(one)).toEqual([{ what: 'blocked', about: null }]);
  expect(await setup.eventsOf(two)).toEqual([{ what: 'blocked', about: null }]);
  expect((await setup.sql('select 1 from message')).length).toBe(5);

  const chat = { channel: 'telegram', chat: 'chat' };
  expect(await setup.commit((tx) => deliveries.unblock(tx, chat))).toBe(2);
  await setup.workAll();

  expect(channel.texts.filter((text) => text !== 'z')).toEqual(['a', 'b', 'c', 'x']);
  expect(await setup.eventsOf(one)).toEqual([
    { what: 'blocked', about: null },
    { what: 'unblocked', about: null },
    { what: 'delivered', about: last.turnId },
  ]);
  expect(await setup.states(first)).toEqual(['dead']);
});

describe('a channel whose server is unavailable', () => {
  test('opens the breaker: no other chat is tried, no failure is counted, and all is sent afterwards', async () => {
    const { channel } = setup;
    const said = [
      await setup.say(await setup.conversation(), 'a'),
      await setup.say(await setup.conversation(), 'b'),
    ];
    for (let hour = 0; hour < 200; hour += 1) channel.next(AWAY);
    await setup.work();
    const began = channel.began.length;
    expect(setup.main.rig.breakers.isOpen('deliver')).toBe(true);
    expect(await setup.work()).toBe(0);

    await setup.live(3_600_000, 30_000);
    expect(channel.began.length).toBeGreaterThan(began);
    for (const one of said) {
      expect(await setup.parts(one)).toMatchObject([
        { state: 'pending', failures: 0, unknowns: 0 },
      ]);
      expect(await setup.eventsOf(one.conversationId)).toEqual([]);
    }

    channel.forget();
    await setup.live(60_000, 10_000);
    expect([...channel.texts].sort()).toEqual(['a', 'b']);
    expect(setup.main.rig.breakers.isOpen('deliver')).toBe(false);
  });
});
