import type { SendOutcome } from '../../src/channels';
import { gate } from '../../tools/http-fake/gate';
import { DeliveryFixture, LATER_MS } from './fixture';

let fixture: DeliveryFixture;

beforeAll(async () => {
  fixture = await DeliveryFixture.open();
});
afterEach(() => fixture.reset());
afterAll(() => fixture.close());

const FAILED: SendOutcome = { kind: 'not_sent', error: 'bad_gateway' };
const REFUSED: SendOutcome = { kind: 'refused', error: 'message_too_long' };
const BLOCKED: SendOutcome = { kind: 'blocked', error: 'forbidden' };
const AWAY: SendOutcome = { kind: 'unavailable', error: 'connection_refused' };

function paused(forMs: number): SendOutcome {
  return { kind: 'paused', forMs };
}

describe('429', () => {
  test('stops every chat of the channel in every process, and counts no failure', async () => {
    const { channel, db } = fixture;
    const other = fixture.another();
    const first = await fixture.say(await fixture.conversation(), 'a|b');
    channel.nextOf('a', paused(40_000));
    await fixture.workAll();
    const second = await fixture.say(await fixture.conversation(), 'c');

    for (let passedMs = 0; passedMs < 39_000; passedMs += 3000) {
      db.clock.advance(3000);
      await fixture.workAll();
      await fixture.workAll(other);
    }
    expect(channel.texts).toEqual(['a']);
    db.clock.advance(1000);
    // The chats resume within a quarter of the pause.
    for (let passedMs = 0; passedMs < 10_000; passedMs += 500) {
      db.clock.advance(500);
      await fixture.workAll(other);
      await fixture.workAll();
    }

    expect([...channel.texts].sort()).toEqual(['a', 'a', 'b', 'c']);
    expect([...(await fixture.parts(first)), ...(await fixture.parts(second))]).toMatchObject([
      { state: 'sent', failures: 0, unknowns: 0 },
      { state: 'sent', failures: 0 },
      { state: 'sent', failures: 0 },
    ]);
    expect(await fixture.metric('colloquy_delivery_paused_seconds_total{channel="telegram"}')).toBe(
      40,
    );
  });

  test('stops a chat whose job is running, and a shorter pause does not end a longer one', async () => {
    const { channel } = fixture;
    await fixture.say(await fixture.conversation(), 'a|b');
    await fixture.say(await fixture.conversation(), 'c');
    await fixture.say(await fixture.conversation(), 'd');
    const gates = { a: gate<SendOutcome>(), c: gate<SendOutcome>(), d: gate<SendOutcome>() };
    channel.nextOf('a', () => gates.a.opened);
    channel.nextOf('c', () => gates.c.opened);
    channel.nextOf('d', () => gates.d.opened);
    await fixture.main.rig.worker.tick();
    await fixture.untilBegan(3);

    gates.c.open(paused(30_000));
    while ((await fixture.sql('select 1 from channel_limiter')).length === 0);
    gates.d.open(paused(2000));
    gates.a.open({ kind: 'sent', externalId: '1' });
    await fixture.settled();
    await fixture.live(29_000);
    expect(channel.began).toHaveLength(3);

    await fixture.live(10_000);
    expect([...channel.texts].sort()).toEqual(['a', 'b', 'c', 'c', 'd', 'd']);
  });

  test('is followed by jitter, so that the chats do not resume all at once', async () => {
    const { channel } = fixture;
    for (let chat = 0; chat < 20; chat += 1) {
      await fixture.say(await fixture.conversation(), `chat ${chat}`);
    }
    await fixture.sql(
      `insert into channel_limiter (channel, paused_until) values ('telegram', $1)`,
      [new Date(fixture.db.clock.now().getTime() + 40_000)],
    );
    await fixture.workAll();
    await fixture.live(40_000);
    expect(channel.began).toEqual([]);

    const perStep: number[] = [];
    for (let passedMs = 0; passedMs < 10_000; passedMs += 1000) {
      const began = channel.began.length;
      await fixture.live(1000);
      perStep.push(channel.began.length - began);
    }
    expect(perStep.reduce((sum, count) => sum + count)).toBe(20);
    expect(Math.max(...perStep)).toBeLessThan(15);
  });
});

describe('a part whose send failed without arriving', () => {
  test('is tried five times with growing delays; then its message is dead', async () => {
    const { channel } = fixture;
    const conversation = await fixture.conversation();
    const dead = await fixture.say(conversation, 'a|b|c');
    const next = await fixture.say(conversation, 'd');
    channel.nextOf('b', FAILED, FAILED, FAILED, FAILED, FAILED);

    await fixture.workAll();
    await fixture.live(3 * LATER_MS);

    expect(channel.texts).toEqual(['a', 'b', 'b', 'b', 'b', 'b', 'd']);
    expect(await fixture.states(dead)).toEqual(['sent', 'dead', 'dead']);
    expect(await fixture.states(next)).toEqual(['sent']);
    expect(await fixture.eventsOf(conversation)).toEqual([
      { what: 'failed', about: 'bad_gateway' },
      { what: 'delivered', about: next.turnId },
    ]);
  });

  test('waits for its retry without a claim', async () => {
    fixture.channel.nextOf('a', FAILED);
    await fixture.say(await fixture.conversation(), 'a');

    await fixture.workAll();

    expect(fixture.main.rig.held.all()).toEqual([]);
    const jobs = await fixture.sql<{ dueInS: number; failures: number }>(
      `select extract(epoch from due_at - $1::timestamptz)::float8 as "dueInS", failures from job
       where queue = 'deliver' and state = 'open'`,
      [fixture.db.clock.now()],
    );
    expect(jobs).toEqual([{ dueInS: expect.any(Number) as number, failures: 0 }]);
    expect(jobs[0]?.dueInS).toBeGreaterThanOrEqual(0.5);
    expect(jobs[0]?.dueInS).toBeLessThanOrEqual(1);
  });
});

test('a refused part is dead at once, and the next message of the chat is sent', async () => {
  const { channel } = fixture;
  const conversation = await fixture.conversation();
  const refused = await fixture.say(conversation, 'a|b');
  const next = await fixture.say(conversation, 'c');
  channel.nextOf('a', REFUSED);

  await fixture.workAll();

  expect(channel.texts).toEqual(['a', 'c']);
  expect(await fixture.states(refused)).toEqual(['dead', 'dead']);
  expect(await fixture.eventsOf(conversation)).toEqual([
    { what: 'failed', about: 'message_too_long' },
    { what: 'delivered', about: next.turnId },
  ]);
});

test('a dead message is replayed from its first unsent part, unless a later one was delivered', async () => {
  const { channel } = fixture;
  const { deliveries } = fixture.main;
  const conversation = await fixture.conversation();
  const said = await fixture.say(conversation, 'a|b|c');
  channel.nextOf('b', REFUSED);
  await fixture.workAll();
  const id = (await fixture.parts(said))[1]?.id ?? '';

  expect(await fixture.commit((tx) => deliveries.replay(tx, id))).toBe('resumed');
  await fixture.workAll();
  expect(channel.texts).toEqual(['a', 'b', 'b', 'c']);
  expect(await fixture.commit((tx) => deliveries.replay(tx, id))).toBe('nothing_to_resume');

  const early = await fixture.say(conversation, 'd');
  channel.nextOf('d', REFUSED);
  const late = await fixture.say(conversation, 'e');
  await fixture.workAll();
  await fixture.sql(`update turn set state = 'delivered' where id = $1`, [late.turnId]);
  const passed = (await fixture.parts(early))[0]?.id ?? '';
  expect(await fixture.commit((tx) => deliveries.replay(tx, passed))).toBe('passed');
});

test('a 403 makes everything of the chat dead, and an unblock resumes each last reply', async () => {
  const { channel } = fixture;
  const { deliveries } = fixture.main;
  const one = await fixture.conversation('chat');
  const two = await fixture.conversation('chat');
  const elsewhere = await fixture.say(await fixture.conversation(), 'z');
  const first = await fixture.say(one, 'a');
  const last = await fixture.say(one, 'b|c');
  const notice = await fixture.say(one, 'n', 'notice');
  const others = await fixture.say(two, 'x');
  channel.nextOf('a', BLOCKED);

  await fixture.workAll();
  for (const said of [first, last, notice, others]) {
    expect(new Set(await fixture.states(said))).toEqual(new Set(['dead']));
  }
  expect(await fixture.states(elsewhere)).toEqual(['sent']);
  expect(await fixture.eventsOf(one)).toEqual([{ what: 'blocked', about: null }]);
  expect(await fixture.eventsOf(two)).toEqual([{ what: 'blocked', about: null }]);
  expect((await fixture.sql('select 1 from message')).length).toBe(5);

  const chat = { channel: 'telegram', chat: 'chat' };
  expect(await fixture.commit((tx) => deliveries.unblock(tx, chat))).toBe(2);
  await fixture.workAll();

  expect(channel.texts.filter((text) => text !== 'z')).toEqual(['a', 'b', 'c', 'x']);
  expect(await fixture.eventsOf(one)).toEqual([
    { what: 'blocked', about: null },
    { what: 'unblocked', about: null },
    { what: 'delivered', about: last.turnId },
  ]);
  expect(await fixture.states(first)).toEqual(['dead']);
});

describe('a channel whose server is unavailable', () => {
  test('opens the breaker: no other chat is tried, no failure is counted, and all is sent afterwards', async () => {
    const { channel } = fixture;
    const said = [
      await fixture.say(await fixture.conversation(), 'a'),
      await fixture.say(await fixture.conversation(), 'b'),
    ];
    for (let hour = 0; hour < 200; hour += 1) channel.next(AWAY);
    await fixture.work();
    const began = channel.began.length;
    expect(fixture.main.rig.breakers.isOpen('deliver')).toBe(true);
    expect(await fixture.work()).toBe(0);

    await fixture.live(3_600_000, 30_000);
    expect(channel.began.length).toBeGreaterThan(began);
    for (const one of said) {
      expect(await fixture.parts(one)).toMatchObject([
        { state: 'pending', failures: 0, unknowns: 0 },
      ]);
      expect(await fixture.eventsOf(one.conversationId)).toEqual([]);
    }

    channel.forget();
    await fixture.live(60_000, 10_000);
    expect([...channel.texts].sort()).toEqual(['a', 'b']);
    expect(fixture.main.rig.breakers.isOpen('deliver')).toBe(false);
  });
});
