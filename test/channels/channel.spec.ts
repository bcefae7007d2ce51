import { type Channel, ChannelRegistry } from '../../src/channels';
import { WebChannel } from '../../src/channels/web/web.channel';
import { DeliveryFixture } from '../delivery/fixture';
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
    [{ sends: true, holdsMedia: false }, 'sends, but lacks send or responds'],
    [{ sends: false, holdsMedia: true }, 'holds media, but lacks fetchMedia'],
  ])('refuses a channel with the capabilities %j and no method for them', (capabilities, why) => {
    const channel: Channel = Object.assign(new WebChannel(), { capabilities });

    expect(() => {
      new ChannelRegistry().register(channel);
    }).toThrow(`the channel "web" ${why}`);
  });

  test('hands out only channels that are on and have the capability', () => {
    const telegram = new TestTelegram();
    const channels = registryOf(new WebChannel(), telegram);

    expect(channels.hasSender).toBe(false);
    expect(() => channels.getSender('web')).toThrow('sends no messages from this process');
    expect(() => channels.getMediaHolder('telegram')).toThrow('hands out no audio or files');

    telegram.sender = new FakeChannel();
    expect(channels.hasSender).toBe(true);
    expect(channels.getSender('telegram')).toBe(telegram);
    Object.assign(telegram, { isOn: false });
    expect(channels.hasSender).toBe(false);
    expect(() => channels.getSender('telegram')).toThrow('sends no messages from this process');
  });
});

describe('a message', () => {
  let fixture: DeliveryFixture;

  beforeAll(async () => {
    fixture = await DeliveryFixture.open();
  });
  afterEach(async () => {
    fixture.channel.isOn = true;
    await fixture.reset();
  });
  afterAll(() => fixture.close());

  test('for a channel that is switched off is delivered by storing it', async () => {
    fixture.channel.isOn = false;
    const said = await fixture.say(await fixture.conversation(), 'a|b');

    expect(await fixture.parts(said)).toMatchObject([{ channel: 'web', state: 'sent' }]);
  });

  test('for an unknown channel is refused', async () => {
    const conversationId = await fixture.conversation();
    const said = await fixture.say(conversationId, 'a');
    const message = { ...said, kind: 'notice', channel: 'fax', text: 'b' } as const;

    const added = fixture.commit((tx) => fixture.main.deliveries.add(tx, message));

    await expect(added).rejects.toMatchObject({ code: 'unknown_channel' });
  });

  test('that waits for a channel that is switched off is sent when the channel is on', async () => {
    const said = await fixture.say(await fixture.conversation(), 'a');
    const off = fixture.another();
    fixture.channel.isOn = false;
    await off.rig.worker.tick();
    await fixture.settled(off);
    await fixture.live(300_000, 30_000);
    expect(await fixture.states(said)).toEqual(['pending']);

    fixture.channel.isOn = true;
    await fixture.live(120_000, 30_000);

    expect(await fixture.states(said)).toEqual(['sent']);
    const jobs = await fixture.sql(`select failures from job where queue = 'deliver'`);
    expect(jobs).toMatchObject([{ failures: 0 }]);
  });
});
