import { gate } from '../../tools/http-fake/gate';
import type { SendOutcome } from '../../src/channels';
import { TestDelivery, LATER_MS } from './test-delivery';

let setup: TestDelivery;

beforeAll(async () => {
  setup = await TestDelivery.open();
});
afterEach(() => setup.reset());
afterAll(() => setup.close());

const SENT: SendOutcome = { kind: 'sent', externalId: 'late' };

test('the parts of a chat are sent one at a time, in order', async () => {
  const { channel } = setup;
  const conversation = await setup.conversation('one');
  const first = await setup.say(conversation, 'a|b');
  const second = await setup.say(conversation, 'c');
  const gated = gate<SendOutcome>();
  channel.nextOf('a', () => gated.opened);

  await setup.main.rig.worker.tick();
  await setup.untilBegan(1);
  expect(await setup.states(first)).toEqual(['sending', 'pending']);
  gated.open(SENT);
  await setup.settled();

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
  expect(await setup.states(first)).toEqual(['sent', 'sent']);
  expect(await setup.states(second)).toEqual(['sent']);
});

test('a chat that waits keeps its order and delays no other chat', async () => {
  const { channel } = setup;
  const slow = await setup.conversation('slow');
  const quick = await setup.conversation('quick');
  await setup.say(slow, 's1|s2');
  await setup.say(quick, 'q1|q2');
  channel.nextOf('s1', { kind: 'not_sent', error: 'bad_gateway' });

  await setup.workAll();
  await setup.say(slow, 's3', 'notice');
  await setup.workAll();
  expect(channel.texts.filter((text) => text.startsWith('q'))).toEqual(['q1', 'q2']);
  expect(channel.texts.filter((text) => text.startsWith('s'))).toEqual(['s1']);

  await setup.live(LATER_MS);
  expect(channel.texts.filter((text) => text.startsWith('s'))).toEqual(['s1', 's1', 's2', 's3']);
});

test('a message that is stored during a send is sent after it', async () => {
  const { channel } = setup;
  const conversation = await setup.conversation();
  await setup.say(conversation, 'a|b');
  channel.nextOf('b', async () => {
    await setup.say(conversation, 'c');
    return SENT;
  });

  await setup.workAll();

  expect(channel.texts).toEqual(['a', 'b', 'c']);
});

test('two processes never send to one chat at once', async () => {
  const { channel } = setup;
  const other = setup.another();
  const conversation = await setup.conversation();
  await setup.say(conversation, 'a');
  const gated = gate<SendOutcome>();
  channel.nextOf('a', () => gated.opened);
  await setup.main.rig.worker.tick();
  await setup.untilBegan(1);
  await setup.say(conversation, 'b');

  expect(await setup.work(other)).toBe(0);
  expect(channel.texts).toEqual(['a']);

  gated.open(SENT);
  await setup.settled();
  await setup.workAll(other);
  expect(channel.texts).toEqual(['a', 'b']);
});

test('a retry starts at the first unsent part and repeats no sent part', async () => {
  const { channel } = setup;
  const said = await setup.say(await setup.conversation(), 'a|b|c');
  channel.nextOf('b', { kind: 'not_sent', error: 'bad_gateway' });

  await setup.workAll();
  expect(await setup.states(said)).toEqual(['sent', 'pending', 'pending']);
  expect(await setup.eventsOf(said.conversationId)).toEqual([]);
  await setup.live(LATER_MS);

  expect(channel.texts).toEqual(['a', 'b', 'b', 'c']);
  expect(await setup.states(said)).toEqual(['sent', 'sent', 'sent']);
  expect(await setup.parts(said)).toMatchObject([
    { failures: 0 },
    { failures: 1, error: null },
    { failures: 0 },
  ]);
});

test('the commit of the last part publishes delivery.delivered, once', async () => {
  const { channel } = setup;
  const conversation = await setup.conversation();
  const said = await setup.say(conversation, 'a|b');
  const eventsBefore: unknown[] = [];
  channel.nextOf('b', async () => {
    eventsBefore.push(...(await setup.eventsOf(conversation)));
    return SENT;
  });

  await setup.workAll();

  expect(eventsBefore).toEqual([]);
  expect(await setup.eventsOf(conversation)).toEqual([{ what: 'delivered', about: said.turnId }]);
});

test('a notice publishes no delivery.delivered, and a refused one publishes delivery.failed', async () => {
  const conversation = await setup.conversation();
  const notice = await setup.say(conversation, 'a|b', 'notice');
  const refused = await setup.say(conversation, 'c', 'notice');
  setup.channel.nextOf('c', { kind: 'refused', error: 'bad_request' });

  await setup.workAll();

  expect(await setup.states(notice)).toEqual(['sent', 'sent']);
  expect(await setup.states(refused)).toEqual(['dead']);
  expect(await setup.eventsOf(conversation)).toEqual([{ what: 'failed', about: 'bad_request' }]);
});

test('without a chat of the channel a message is delivered by storing it', async () => {
  const conversation = await setup.conversation();
  setup.channel.chats.delete(conversation);

  const said = await setup.say(conversation, 'a|b');

  expect(await setup.parts(said)).toMatchObject([{ part: 0, state: 'sent' }]);
  expect(await setup.work()).toBe(0);
});
