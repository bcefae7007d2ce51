import { FakeClock } from '../../../tools/support/fake-clock';
import { TelegramServer } from '../../../tools/fake-telegram';
import { type Called, WebhookReceiver, call, textsIn, updates } from './bot-calls';

describe('getUpdates', () => {
  let telegram: TelegramServer;
  let clock: FakeClock;

  beforeEach(async () => {
    clock = new FakeClock();
    telegram = await TelegramServer.start({ clock });
  });
  afterEach(() => telegram.close());

  /** A poll that is known to wait. */
  async function waiting(params: object = {}, signal?: AbortSignal): Promise<Promise<Called>[]> {
    const poll = call(telegram, 'getUpdates', { timeout: 30, ...params }, signal);
    await telegram.until('the poll waits', () => telegram.isPolled);
    return [poll];
  }

  test('returns pending updates, oldest first, until an offset confirms them', async () => {
    const ada = telegram.user();
    ada.writes('one');
    ada.writes('two');

    const first = await updates(telegram);
    const again = await updates(telegram);
    const next = await updates(telegram, { offset: (first[0]?.update_id ?? 0) + 1 });

    expect(textsIn(first)).toEqual(['one', 'two']);
    expect(again).toEqual(first);
    expect(textsIn(next)).toEqual(['two']);
    expect(textsIn(telegram.pendingUpdates)).toEqual(['two']);
  });

  test('limit bounds a batch; a negative offset counts from the end and forgets the rest', async () => {
    const ada = telegram.user();
    for (const text of ['a', 'b', 'c']) ada.writes(text);

    expect(textsIn(await updates(telegram, { limit: 2 }))).toEqual(['a', 'b']);
    expect(textsIn(await updates(telegram, { offset: -1 }))).toEqual(['c']);
    expect(textsIn(await updates(telegram))).toEqual(['c']);
  });

  test('waits up to timeout for the first update', async () => {
    const [poll] = await waiting();
    telegram.user().writes('late');

    expect(textsIn((await poll)?.result as never)).toEqual(['late']);
  });

  test('returns an empty list after the timeout', async () => {
    const [poll] = await waiting({ timeout: 25 });
    clock.advance(25_000);

    expect((await poll)?.result).toEqual([]);
  });

  test('a second poller ends the first with 409 and waits in its place', async () => {
    const [first] = await waiting();
    const second = call(telegram, 'getUpdates', { timeout: 30 });

    expect(await first).toMatchObject({
      status: 409,
      description:
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
    });
    await telegram.until('the second waits', () => telegram.isPolled);
    telegram.user().writes('hello');
    expect(textsIn((await second).result as never)).toEqual(['hello']);
  });

  test('while a webhook is set there is no polling; setting one ends a poll', async () => {
    const hook = await WebhookReceiver.start();
    const [poll] = await waiting();

    expect((await call(telegram, 'setWebhook', { url: hook.url })).ok).toBe(true);
    expect(await poll).toMatchObject({ status: 409 });
    expect(await call(telegram, 'getUpdates')).toMatchObject({ status: 409 });
    await call(telegram, 'deleteWebhook');
    expect((await call(telegram, 'getUpdates')).ok).toBe(true);
    await hook.stop();
  });

  test('a caller that goes away confirms nothing', async () => {
    const caller = new AbortController();
    const [poll] = await waiting({}, caller.signal);
    caller.abort();
    await expect(poll).rejects.toThrow();
    await telegram.until('the poll is over', () => !telegram.isPolled);
    telegram.user().writes('still here');

    expect(textsIn(await updates(telegram))).toEqual(['still here']);
    expect(telegram.journal.all[0]?.outcome).toEqual({ kind: 'dropped', by: 'caller' });
  });

  test('allowed_updates filters what comes later, and holds until it is given again', async () => {
    const ada = telegram.user();
    await updates(telegram, { allowed_updates: ['edited_message'] });
    const { message_id } = ada.writes('unseen');
    ada.edits(message_id, 'seen');

    const found = await updates(telegram);
    expect(found.map((update) => Object.keys(update)[1])).toEqual(['edited_message']);

    await updates(telegram, { allowed_updates: [] });
    ada.writes('seen again');
    expect(textsIn(await updates(telegram))).toEqual(['seen', 'seen again']);
  });

  test('an update is forgotten after a day, a press after 150 s', async () => {
    const ada = telegram.user({ id: 42 });
    ada.starts();
    const reply_markup = { inline_keyboard: [[{ text: 'Done', callback_data: 'done' }]] };
    await call(telegram, 'sendMessage', { chat_id: 42, text: 'Ready?', reply_markup });
    ada.presses('Done');
    expect(telegram.pendingUpdates).toHaveLength(2);

    clock.advance(150_000);
    expect(telegram.pendingUpdates.map((update) => Object.keys(update)[1])).toEqual(['message']);
    clock.advance(86_400_000);
    expect(telegram.pendingUpdates).toEqual([]);
  });

  test('an update can come twice', async () => {
    telegram.user().writes('twice');
    const [update] = await updates(telegram);
    if (update === undefined) throw new Error('no update');
    telegram.repeat(update);

    expect(textsIn(await updates(telegram))).toEqual(['twice', 'twice']);
  });
});
