import { gate } from '../../tools/http-fake/gate';
import type { SendOutcome } from '../../src/channels';
import { DeliveryFixture, LATER_MS } from './fixture';

let fixture: DeliveryFixture;

beforeAll(async () => {
  fixture = await DeliveryFixture.open();
});
afterEach(() => fixture.reset());
afterAll(() => fixture.close());

const SENT: SendOutcome = { kind: 'sent', externalId: 'late' };

test('the parts of a chat are sent one at a time, in order', async () => {
  const { channel } = fixture;
  const conversation = await fixture.conversation('one');
  const first = await fixture.say(conversation, 'a|b');
  const second = await fixture.say(conversation, 'c');
  const gated = gate<SendOutcome>();
  channel.nextOf('a', () => gated.opened);

  await fixture.main.rig.worker.tick();
  await fixture.untilBegan(1);
  expect(await fixture.states(first)).toEqual(['sending', 'pending']);
  gated.open(SENT);
  await fixture.settled();

  expect(channel.began).toEqual([
    {
      chat: 'one',
      text: '<b>a</b>',
      plain: 'a',
      messageId: first.messageId,
      part: 0,
      isLast: false,
      language: 'en',
      isAnswerable: true,
      kind: 'reply',
    },
    expect.objectContaining({ plain: 'b', part: 1, isLast: true }),
    expect.objectContaining({ plain: 'c', part: 0, isLast: true }),
  ]);
  expect(await fixture.states(first)).toEqual(['sent', 'sent']);
  expect(await fixture.states(second)).toEqual(['sent']);
});

test('a chat that waits keeps its order and delays no other chat', async () => {
  const { channel } = fixture;
  const slow = await fixture.conversation('slow');
  const quick = await fixture.conversation('quick');
  await fixture.say(slow, 's1|s2');
  await fixture.say(quick, 'q1|q2');
  channel.nextOf('s1', { kind: 'not_sent', error: 'bad_gateway' });

  await fixture.workAll();
  await fixture.say(slow, 's3', 'notice');
  await fixture.workAll();
  expect(channel.texts.filter((text) => text.startsWith('q'))).toEqual(['q1', 'q2']);
  expect(channel.texts.filter((text) => text.startsWith('s'))).toEqual(['s1']);

  await fixture.live(LATER_MS);
  expect(channel.texts.filter((text) => text.startsWith('s'))).toEqual(['s1', 's1', 's2', 's3']);
});

test('a message that is stored during a send is sent after it', async () => {
  const { channel } = fixture;
  const conversation = await fixture.conversation();
  await fixture.say(conversation, 'a|b');
  channel.nextOf('b', async () => {
    await fixture.say(conversation, 'c');
    return SENT;
  });

  await fixture.workAll();

  expect(channel.texts).toEqual(['a', 'b', 'c']);
});

test('two processes never send to one chat at once', async () => {
  const { channel } = fixture;
  const other = fixture.another();
  const conversation = await fixture.conversation();
  await fixture.say(conversation, 'a');
  const gated = gate<SendOutcome>();
  channel.nextOf('a', () => gated.opened);
  await fixture.main.rig.worker.tick();
  await fixture.untilBegan(1);
  await fixture.say(conversation, 'b');

  expect(await fixture.work(other)).toBe(0);
  expect(channel.texts).toEqual(['a']);

  gated.open(SENT);
  await fixture.settled();
  await fixture.workAll(other);
  expect(channel.texts).toEqual(['a', 'b']);
});

test('a retry starts at the first unsent part and repeats no sent part', async () => {
  const { channel } = fixture;
  const said = await fixture.say(await fixture.conversation(), 'a|b|c');
  channel.nextOf('b', { kind: 'not_sent', error: 'bad_gateway' });

  await fixture.workAll();
  expect(await fixture.states(said)).toEqual(['sent', 'pending', 'pending']);
  expect(await fixture.eventsOf(said.conversationId)).toEqual([]);
  await fixture.live(LATER_MS);

  expect(channel.texts).toEqual(['a', 'b', 'b', 'c']);
  expect(await fixture.states(said)).toEqual(['sent', 'sent', 'sent']);
  expect(await fixture.parts(said)).toMatchObject([
    { failures: 0 },
    { failures: 1, error: null },
    { failures: 0 },
  ]);
});

test('the commit of the last part publishes delivery.delivered, once', async () => {
  const { channel } = fixture;
  const conversation = await fixture.conversation();
  const said = await fixture.say(conversation, 'a|b');
  const eventsBefore: unknown[] = [];
  channel.nextOf('b', async () => {
    eventsBefore.push(...(await fixture.eventsOf(conversation)));
    return SENT;
  });

  await fixture.workAll();

  expect(eventsBefore).toEqual([]);
  expect(await fixture.eventsOf(conversation)).toEqual([{ what: 'delivered', about: said.turnId }]);
});

test('a notice publishes no delivery.delivered, and a refused one publishes delivery.failed', async () => {
  const conversation = await fixture.conversation();
  const notice = await fixture.say(conversation, 'a|b', 'notice');
  const refused = await fixture.say(conversation, 'c', 'notice');
  fixture.channel.nextOf('c', { kind: 'refused', error: 'bad_request' });

  await fixture.workAll();

  expect(await fixture.states(notice)).toEqual(['sent', 'sent']);
  expect(await fixture.states(refused)).toEqual(['dead']);
  expect(await fixture.eventsOf(conversation)).toEqual([{ what: 'failed', about: 'bad_request' }]);
});

test('without a chat of the channel a message is delivered by storing it', async () => {
  const conversation = await fixture.conversation();
  fixture.channel.chats.delete(conversation);

  const said = await fixture.say(conversation, 'a|b');

  expect(await fixture.parts(said)).toMatchObject([{ part: 0, state: 'sent' }]);
  expect(await fixture.work()).toBe(0);
});
