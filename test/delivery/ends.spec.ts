import type { SendOutcome } from '../../src/channels';
import { turnOfLoop } from '../support/model-calls';
import { gate } from '../../tools/http-fake/gate';
import { DeliveryFixture, LATER_MS } from './fixture';
import { type Trouble, flakyUnits } from './flaky-units';

/** How a flow ends when the database, the drain or its process ends it. */

let fixture: DeliveryFixture;

beforeAll(async () => {
  fixture = await DeliveryFixture.open();
});
afterEach(() => fixture.reset());
afterAll(() => fixture.close());

const SENT: SendOutcome = { kind: 'sent', externalId: 'late' };

/** The main process's next commits of the label go wrong; time passes until its flow has ended. */
async function workWith(label: string, ...troubles: readonly Trouble[]): Promise<void> {
  const { db } = fixture;
  fixture.main = fixture.another(flakyUnits(db.units, label, troubles));
  await fixture.main.rig.worker.tick();
  while (fixture.main.rig.held.all().length > 0) {
    db.clock.advance(50);
    await fixture.main.rig.worker.tick();
  }
}

test('a known outcome is stored again and again until it lands; nothing is sent twice', async () => {
  const said = await fixture.say(await fixture.conversation(), 'a|b');

  await workWith('deliver.settle', 'lost', 'lost', 'lost', 'lost', 'lost');

  expect(fixture.channel.texts).toEqual(['a', 'b']);
  expect(await fixture.states(said)).toEqual(['sent', 'sent']);
  expect(await fixture.told(said.conversationId)).toHaveLength(1);
});

test('an outcome whose commit was not heard is stored once', async () => {
  const said = await fixture.say(await fixture.conversation(), 'a');
  fixture.channel.nextOf('a', { kind: 'not_sent', error: 'bad_gateway' });

  await workWith('deliver.settle', 'unheard', 'unheard');

  await fixture.live(LATER_MS);

  expect(await fixture.parts(said)).toMatchObject([{ state: 'sent', failures: 1 }]);
  expect(fixture.channel.texts).toEqual(['a', 'a']);
});

test('a last part whose commit was not heard delivers its turn once', async () => {
  const said = await fixture.say(await fixture.conversation(), 'a');

  await workWith('deliver.settle', 'unheard', 'unheard');

  expect(fixture.channel.texts).toEqual(['a']);
  expect(await fixture.told(said.conversationId)).toHaveLength(1);
});

test('a part that was taken in a commit that was not heard is sent once and is not unknown', async () => {
  const said = await fixture.say(await fixture.conversation(), 'a|b');

  await workWith('deliver.take', 'unheard', 'unheard', 'lost');

  expect(fixture.channel.texts).toEqual(['a', 'b']);
  expect(await fixture.parts(said)).toMatchObject([
    { state: 'sent', unknowns: 0 },
    { state: 'sent', unknowns: 0 },
  ]);
  expect(await fixture.attempts()).toEqual([
    { plain: 'a', outcome: 'sent' },
    { plain: 'b', outcome: 'sent' },
  ]);
});

describe('a drain that wants the chat back', () => {
  test('gets it after the send under way; another process goes on with the next part', async () => {
    const { channel, main } = fixture;
    const said = await fixture.say(await fixture.conversation(), 'a|b');
    const gated = gate<SendOutcome>();
    channel.nextOf('a', () => gated.opened);
    await main.rig.worker.tick();
    await fixture.untilBegan(1);
    const returning = main.rig.worker.handBack();

    gated.open(SENT);
    expect(await returning).toBe(1);
    expect(await fixture.states(said)).toEqual(['sent', 'pending']);
    await fixture.workAll(fixture.another());

    expect(channel.texts).toEqual(['a', 'b']);
  });

  test('does not wait for a send for ever: it is unknown then', async () => {
    const { channel, main, db } = fixture;
    const said = await fixture.say(await fixture.conversation(), 'a');
    channel.nextOf('a', () => new Promise<never>(() => undefined));
    await main.rig.worker.tick();
    await fixture.untilBegan(1);

    const returning = main.rig.worker.handBack();
    await turnOfLoop();
    db.clock.advance(2000);

    expect(await returning).toBe(1);
    expect(await fixture.states(said)).toEqual(['unknown']);
  });
});

test('a chat whose claims all crash loses its first message to a person, and goes on', async () => {
  const conversation = await fixture.conversation();
  const poison = await fixture.say(conversation, 'a|b');
  const next = await fixture.say(conversation, 'c');
  await fixture.sql('update job set claims_without_progress = 10');

  await fixture.work();
  await fixture.workAll();

  expect(fixture.channel.texts).toEqual(['c']);
  expect(await fixture.states(poison)).toEqual(['dead', 'dead']);
  expect(await fixture.told(conversation)).toEqual([
    { what: 'failed', about: 'crashed' },
    { what: 'delivered', about: next.turnId },
  ]);
});

test('a channel that throws counts as one that did not answer', async () => {
  const said = await fixture.say(await fixture.conversation(), 'a');
  fixture.channel.nextOf('a', () => Promise.reject(new Error('a bug')));

  await fixture.workAll();
  expect(await fixture.states(said)).toEqual(['unknown']);
  await fixture.live(LATER_MS);

  expect(await fixture.states(said)).toEqual(['sent']);
});
