import { type Channel, ChannelRegistry } from '../../src/channels';
import { WebChannel } from '../../src/channels/web/web.channel';
import { TestDelivery } from '../delivery/test-delivery';
import { FakeChannel } from '../delivery/fake-channel';
import { TestTelegram, registryOf } from '../support/channels';

describe('the registry', () => {
  test('throws for an unknown channel and names the known ones', () => {
    const channels = registryOf(new WebChannel(), new TestTelegram());

    for (const call of ['get', 'sends', 'getSender', 'getMediaHolder'] as const) {
      expect(() => channels[call]('fax')).toThrow(
        'there is no channel "fax"; known channels: web, telegram',
      );
    }
  });

  test('refuses a second channel of the same name', () => {
    const web = new WebChannel();
    const channels = registryOf(web);

    channels.register(web);

    expect(() => {
      channels.register(new WebChannel());
    }).toThrow('a channel "web" is registered already');
  });

  test.each([
    [
      { sends: true, holdsMedia: false },
      'has capabilities.sends but not both send() and responds()',
    ],
    [{ sends: false, holdsMedia: true }, 'has capabilities.holdsMedia but not fetchMedia()'],
  ])('refuses a channel with the capabilities %j and no method for them', (capabilities, why) => {
    const channel: Channel = Object.assign(new WebChannel(), { capabilities });

    expect(() => {
      new ChannelRegistry().register(channel);
    }).toThrow(`channel "web" ${why}`);
  });

  test('hands out only channels that are on and have the capability', () => {
    const telegram = new TestTelegram();
    const channels = registryOf(new WebChannel(), telegram);

    expect(channels.hasSender).toBe(false);
    expect(() => channels.getSender('web')).toThrow('sends no messages from this process');
    expect(() => channels.getMediaHolder('telegram')).toThrow('provides no audio or files');

    telegram.sender = new FakeChannel();
    expect(channels.hasSender).toBe(true);
    expect(channels.getSender('telegram')).toBe(telegram);
    Object.assign(telegram, { isOn: false });
    expect(channels.hasSender).toBe(false);
    expect(() => channels.getSender('telegram')).toThrow('sends no messages from this process');
  });
});

describe('a message', () => {
  let setup: TestDelivery;

  beforeAll(async () => {
    setup = await TestDelivery.open();
  });
  afterEach(async () => {
    setup.channel.isOn = true;
    await setup.reset();
  });
  afterAll(() => setup.close());

  test('for a channel that is switched off is delivered by storing it', async () => {
    setup.channel.isOn = false;
    const said = await setup.say(await setup.conversation(), 'a|b');

    expect(await setup.parts(said)).toMatchObject([{ channel: 'web', state: 'sent' }]);
  });

  test('for an unknown channel is refused', async () => {
    const conversationId = await setup.conversation();
    const said = await setup.say(conversationId, 'a');
    const message = { ...said, kind: 'notice', channel: 'fax', text: 'b' } as const;

    const added = setup.commit((tx) => setup.main.deliveries.add(tx, message));

    await expect(added).rejects.toMatchObject({ code: 'unknown_channel' });
  });

  test('that waits for a channel that is switched off is sent when the channel is on', async () => {
    const said = await setup.say(await setup.conversation(), 'a');
    const off = setup.another();
    setup.channel.isOn = false;
    await off.rig.worker.tick();
    await setup.settled(off);
    await setup.live(300_000, 30_000);
    expect(await setup.states(said)).toEqual(['pending']);

    setup.channel.isOn = true;
    await setup.live(120_000, 30_000);

    expect(await setup.states(said)).toEqual(['sent']);
    const jobs = await setup.sql(`select failures from job where queue = 'deliver'`);
    expect(jobs).toMatchObject([{ failures: 0 }]);
  });
});
