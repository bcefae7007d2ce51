import { FakeClock } from '../../../tools/support/fake-clock';
import { TelegramServer } from '../../../tools/fake-telegram';
import { WebhookReceiver, call, textsIn } from './bot-calls';

describe('a webhook', () => {
  let telegram: TelegramServer;
  let clock: FakeClock;
  let hook: WebhookReceiver;

  beforeEach(async () => {
    clock = new FakeClock();
    telegram = await TelegramServer.start({ clock });
    hook = await WebhookReceiver.start();
  });
  afterEach(async () => {
    await telegram.close();
    await hook.stop();
  });

  function setWebhook(more: object = {}): ReturnType<typeof call> {
    return call(telegram, 'setWebhook', { url: hook.url, ...more });
  }

  /** Resolves when the webhook has been tried n times in all. */
  function tried(n: number): Promise<void> {
    return telegram.until(`${n} attempts`, () => telegram.webhookAttempts.length >= n);
  }

  const allConfirmed = (): Promise<void> =>
    telegram.until('all is confirmed', () => telegram.pendingUpdates.length === 0);

  test('gets what was pending, and its secret in the header', async () => {
    telegram.user().writes('early');
    await setWebhook({ secret_token: 'S3cret_-' });
    await allConfirmed();

    expect(hook.texts).toEqual(['early']);
    expect(hook.received[0]?.headers['x-telegram-bot-api-secret-token']).toBe('S3cret_-');
    expect(hook.received[0]?.headers['content-type']).toBe('application/json');
  });

  test('drop_pending_updates forgets what was pending', async () => {
    telegram.user().writes('early');
    await setWebhook({ drop_pending_updates: true });

    expect(telegram.pendingUpdates).toEqual([]);
    expect(hook.texts).toEqual([]);
  });

  test("a chat's next message, edits included, waits for the response to the one before", async () => {
    hook.onUpdate = () => undefined;
    await setWebhook();
    const ada = telegram.user();
    const { message_id } = ada.writes('one');
    ada.edits(message_id, 'one, edited');
    ada.writes('two');
    await hook.got(1);
    hook.onUpdate = ({ respond }) => {
      respond(200);
    };

    expect(hook.texts).toEqual(['one']);
    hook.received[0]?.respond(200);
    await allConfirmed();
    expect(hook.texts).toEqual(['one', 'one, edited', 'two']);
  });

  test('chats do not wait for each other, and a press overtakes the text typed before it', async () => {
    await setWebhook();
    const ada = telegram.user({ id: 1 });
    ada.starts();
    const reply_markup = { inline_keyboard: [[{ text: 'Done', callback_data: 'done' }]] };
    await call(telegram, 'sendMessage', { chat_id: 1, text: 'Ready?', reply_markup });
    await allConfirmed();
    hook.onUpdate = ({ update, respond }) => {
      if (update.message?.chat.id !== 1) respond(200);
    };
    ada.writes('typed first');
    ada.presses('Done');
    telegram.user({ id: 2, first_name: 'Bob' }).writes('from elsewhere');
    await tried(3);

    const confirmed = telegram.webhookAttempts.slice(1).map(({ updateId }) => updateId);
    expect(confirmed).toHaveLength(2);
    expect(textsIn(telegram.pendingUpdates)).toEqual(['typed first']);
  });

  test('a failed update is sent again at once, then after 2, 4, 8… up to 60 s', async () => {
    hook.onUpdate = ({ respond }) => {
      respond(500);
    };
    await setWebhook();
    telegram.user().writes('again');
    await tried(2);
    for (const [index, waitS] of [2, 4, 8, 16, 32, 60, 60].entries()) {
      clock.advance(waitS * 1000 - 1);
      expect(telegram.webhookAttempts).toHaveLength(index + 2);
      clock.advance(1);
      await tried(index + 3);
    }

    expect(telegram.webhookAttempts.map(({ attempt }) => attempt)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
    const info = (await call(telegram, 'getWebhookInfo')).result;
    expect(info).toMatchObject({
      url: hook.url,
      pending_update_count: 1,
      last_error_message: 'Wrong response from the webhook: 500',
    });
  });

  test('Retry-After counts instead, up to an hour', async () => {
    hook.onUpdate = ({ respond }) => {
      respond(503, { 'retry-after': '90' });
    };
    await setWebhook();
    telegram.user().writes('later');
    await tried(1);
    hook.onUpdate = ({ respond }) => {
      respond(503, { 'retry-after': '99999' });
    };
    clock.advance(89_999);
    expect(telegram.webhookAttempts).toHaveLength(1);
    clock.advance(1);
    await tried(2);
    hook.onUpdate = ({ respond }) => {
      respond(200);
    };
    clock.advance(3_599_999);
    expect(telegram.webhookAttempts).toHaveLength(2);
    clock.advance(1);
    await allConfirmed();

    expect(hook.texts).toEqual(['later', 'later', 'later']);
  });

  test('an incomplete response is a failure: a broken connection, or 60 s of silence', async () => {
    hook.onUpdate = ({ respond }) => {
      respond(null);
    };
    await setWebhook();
    telegram.user().writes('lost');
    await tried(2);
    hook.onUpdate = () => undefined;
    clock.advance(2_000);
    await hook.got(3);
    clock.advance(60_000);
    await tried(3);

    expect(telegram.webhookAttempts.map(({ status }) => status)).toEqual([null, null, null]);
  });

  test('an update dies a day after its message', async () => {
    hook.onUpdate = ({ respond }) => {
      respond(503, { 'retry-after': '3600' });
    };
    await setWebhook();
    telegram.user().writes('mortal');
    for (let hour = 1; hour <= 24; hour += 1) {
      await tried(hour);
      clock.advance(3_600_000);
    }
    await allConfirmed();

    expect(telegram.webhookAttempts).toHaveLength(24);
  });

  test('23 hours of 410 drop the webhook', async () => {
    hook.onUpdate = ({ respond }) => {
      respond(410, { 'retry-after': '3500' });
    };
    await setWebhook();
    telegram.user().writes('gone');
    for (let hour = 1; hour <= 24; hour += 1) {
      await tried(hour);
      clock.advance(3_500_000);
    }
    await tried(25);

    expect((await call(telegram, 'getWebhookInfo')).result).toMatchObject({ url: '' });
  });

  test('a call in the response is recorded and not executed', async () => {
    hook.onUpdate = ({ update, respond }) => {
      const chat_id = update.message?.chat.id;
      const body = JSON.stringify({ method: 'sendMessage', chat_id, text: 'quick' });
      respond(200, { 'content-type': 'application/json' }, body);
    };
    await setWebhook();
    const ada = telegram.user();
    ada.writes('hello');
    await allConfirmed();

    expect(telegram.webhookAttempts[0]?.ignoredReply).toBe('sendMessage');
    expect(telegram.chat(ada.user.id).botTexts).toEqual([]);
  });

  test('max_connections bounds the chats that are served at a time', async () => {
    hook.onUpdate = () => undefined;
    await setWebhook({ max_connections: 2 });
    for (const id of [1, 2, 3]) telegram.user({ id }).writes(`from ${id}`);
    await hook.got(2);
    await call(telegram, 'getMe');

    expect(hook.received).toHaveLength(2);
    hook.received[0]?.respond(200);
    await hook.got(3);
  });

  test.each([
    [{ url: 'nonsense' }, 'Bad Request: bad webhook: invalid webhook URL specified'],
    [{ secret_token: 'не' }, 'Bad Request: secret token contains unallowed characters'],
    [{ secret_token: 'x'.repeat(257) }, 'Bad Request: secret token is too long'],
  ])('%j is refused', async (params, description) => {
    expect(await setWebhook(params)).toMatchObject({ status: 400, description });
  });

  test('deleteWebhook and an empty url both end it', async () => {
    await setWebhook();
    await call(telegram, 'setWebhook', { url: '' });
    telegram.user().writes('kept');

    expect((await call(telegram, 'getWebhookInfo')).result).toMatchObject({
      url: '',
      pending_update_count: 1,
    });
    await call(telegram, 'deleteWebhook', { drop_pending_updates: true });
    expect(telegram.pendingUpdates).toEqual([]);
    expect(hook.received).toEqual([]);
  });
});
