import { FakeClock } from '../../../tools/support/fake-clock';
import { TelegramServer } from '../../../tools/fake-telegram';
import { call } from './bot-calls';

describe('what can go wrong with a call', () => {
  let telegram: TelegramServer;
  let clock: FakeClock;
  const chat_id = 42;

  beforeEach(async () => {
    clock = new FakeClock();
    telegram = await TelegramServer.start({ clock });
    telegram.user({ id: chat_id }).starts();
  });
  afterEach(() => telegram.close());

  const send = (text = 'Hello', signal?: AbortSignal): ReturnType<typeof call> =>
    call(telegram, 'sendMessage', { chat_id, text }, signal);
  const sent = (): readonly string[] => telegram.chat(chat_id).botTexts;

  test('a planned status is returned `times` times, and only to its method', async () => {
    telegram.faults.on(
      'sendMessage',
      { kind: 'status', code: 502, description: 'Bad Gateway' },
      { times: 2 },
    );

    expect((await call(telegram, 'getMe')).ok).toBe(true);
    expect(await send()).toMatchObject({ status: 502, description: 'Bad Gateway' });
    expect((await send()).status).toBe(502);
    expect((await send()).ok).toBe(true);
    expect(sent()).toEqual(['Hello']);
  });

  test('a fault can begin after some successful calls, or match parameters', async () => {
    telegram.faults.on('sendMessage', { kind: 'status', code: 500 }, { after: 1 });
    expect((await send()).ok).toBe(true);
    expect((await send()).status).toBe(500);

    telegram.faults.on(
      'sendMessage',
      { kind: 'status', code: 500 },
      { matching: ({ text }) => text === 'bad' },
    );
    expect((await send('good')).ok).toBe(true);
    expect((await send('bad')).status).toBe(500);
  });

  test('a call can get the response of a proxy', async () => {
    telegram.faults.on('sendMessage', { kind: 'body', status: 502, body: '<html>Bad Gateway' });

    await expect(send()).rejects.toThrow(/JSON/);
    expect(telegram.journal.calls('sendMessage')[0]?.outcome).toEqual({
      kind: 'garbled',
      status: 502,
    });
  });

  test.each([
    ['before' as const, []],
    ['after' as const, ['Hello']],
  ])('the connection breaks %s the effect', async (when, expected) => {
    telegram.faults.on('sendMessage', { kind: 'drop', when });

    await expect(send()).rejects.toThrow();
    expect(sent()).toEqual(expected);
    expect(telegram.journal.calls('sendMessage')[0]).toMatchObject({
      hadEffect: when === 'after',
      outcome: { kind: 'dropped', by: 'server' },
    });
  });

  test('a call can fail although it took effect', async () => {
    telegram.faults.on('sendMessage', { kind: 'status', code: 500, when: 'after' });

    expect((await send()).status).toBe(500);
    expect(sent()).toEqual(['Hello']);
  });

  test("a response can be late by the server's clock", async () => {
    telegram.faults.on('sendMessage', { kind: 'delay', ms: 7_000, when: 'after' });
    const reply = send();
    await telegram.until('the reply is late', () => telegram.faults.waiting === 1);
    expect(sent()).toEqual(['Hello']);
    let isAnswered = false;
    void reply.then(() => (isAnswered = true));
    clock.advance(6_999);
    await call(telegram, 'getMe');
    expect(isAnswered).toBe(false);
    clock.advance(1);

    expect((await reply).ok).toBe(true);
  });

  test('it hangs until it is released, or its caller goes', async () => {
    telegram.faults.on('sendMessage', { kind: 'hang' }, { times: 2 });
    const first = send('first');
    await telegram.until('it came', () => telegram.journal.calls('sendMessage').length === 1);
    expect(sent()).toEqual([]);
    telegram.faults.release();
    expect((await first).ok).toBe(true);

    const caller = new AbortController();
    const second = send('second', caller.signal);
    await telegram.until('it came', () => telegram.journal.calls('sendMessage').length === 2);
    caller.abort();
    await expect(second).rejects.toThrow();
  });

  test('a 429 names its pause and stops the whole bot until it is over', async () => {
    telegram.user({ id: 43 }).starts();
    telegram.flood.start(10);

    expect(await send()).toMatchObject({
      status: 429,
      retryAfterS: 10,
      description: 'Too Many Requests: retry after 10',
    });
    clock.advance(4_000);
    expect((await call(telegram, 'sendMessage', { chat_id: 43, text: 'x' })).retryAfterS).toBe(6);
    expect((await call(telegram, 'getUpdates')).ok).toBe(true);
    clock.advance(6_000);
    expect((await send()).ok).toBe(true);
    expect(telegram.journal.refused(429)).toHaveLength(2);
  });

  test('calls beyond the set limits get 429', async () => {
    telegram.flood.limits = { perSecond: 30, perChatPerSecond: 1, retryAfterS: 3 };

    expect((await send('one')).ok).toBe(true);
    expect(await send('two')).toMatchObject({ status: 429, retryAfterS: 3 });
    clock.advance(3_000);
    expect((await send('two')).ok).toBe(true);
    expect(sent()).toEqual(['one', 'two']);
  });

  test('the server can go away and come back at its address', async () => {
    const { apiRoot } = telegram;
    await telegram.goDown();
    await expect(send()).rejects.toThrow();
    await telegram.comeUp();

    expect(telegram.apiRoot).toBe(apiRoot);
    expect((await send()).ok).toBe(true);
  });
});
