import { TelegramServer } from '../../../tools/fake-telegram';
import { call, read } from './bot-calls';

describe('every call is checked against @grammyjs/types', () => {
  let telegram: TelegramServer;
  const chat_id = 42;

  beforeAll(async () => {
    telegram = await TelegramServer.start();
    telegram.user({ id: chat_id }).starts();
  });
  afterEach(() => {
    telegram.journal.clear();
  });
  afterAll(() => telegram.close());

  test('a correct call leaves no violation', async () => {
    const done = await call(telegram, 'sendMessage', { chat_id, text: 'Hello' });

    expect(done.ok).toBe(true);
    expect(telegram.journal.violations).toEqual([]);
  });

  test.each([
    ['an unknown parameter', { chat_id, text: 'a', txt: 'b' }, 'the call has no parameter "txt"'],
    ['a wrong type', { chat_id, text: 5 }, 'text must be string'],
    ['a missing parameter', { chat_id }, "the call must have required property 'text'"],
    [
      'a value that is none of the known',
      { chat_id, text: 'a', parse_mode: 'html' },
      'parse_mode must be equal to one of the allowed values',
    ],
  ])('%s is refused with 400, noted, and has no effect', async (_case, params, violation) => {
    const before = telegram.chat(chat_id).messages.length;

    const refused = await call(telegram, 'sendMessage', params);

    expect(refused).toMatchObject({ status: 400, ok: false });
    expect(telegram.journal.violations).toEqual([`sendMessage: ${violation}`]);
    expect(telegram.journal.all[0]).toMatchObject({ hadEffect: false });
    expect(telegram.chat(chat_id).messages).toHaveLength(before);
  });

  test('a wrong button deep inside is found', async () => {
    const reply_markup = { inline_keyboard: [[{ text: 'Done', callback: 'done' }]] };

    const refused = await call(telegram, 'sendMessage', { chat_id, text: 'a', reply_markup });

    expect(refused.status).toBe(400);
    expect(telegram.journal.violations.join()).toContain('callback');
  });

  test('parameters may come as query, form or multipart; what is not a text is read as JSON', async () => {
    const base = `${telegram.apiRoot}/bot${telegram.token}/sendMessage`;
    const reply_markup = JSON.stringify({
      inline_keyboard: [[{ text: 'Done', callback_data: 'd' }]],
    });
    const fields = { chat_id: '42', text: '7', disable_notification: 'true', reply_markup };
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);

    const sent = [
      await fetch(`${base}?${String(new URLSearchParams(fields))}`),
      await fetch(base, { method: 'POST', body: new URLSearchParams(fields) }),
      await fetch(base, { method: 'POST', body: form }),
    ];

    for (const response of sent) {
      expect(await read(response)).toMatchObject({ ok: true, result: { text: '7' } });
    }
    expect(telegram.journal.violations).toEqual([]);
    expect(telegram.journal.all[2]?.params).toMatchObject({
      text: '7',
      disable_notification: true,
    });
  });

  test('a body that is no JSON object is refused and noted', async () => {
    const response = await fetch(`${telegram.apiRoot}/bot${telegram.token}/sendMessage`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"chat_id":',
    });

    expect(response.status).toBe(400);
    expect(telegram.journal.violations).toHaveLength(1);
  });

  test("a method's name may be in any case; the journal has it as it is documented", async () => {
    expect((await call(telegram, 'GETME')).ok).toBe(true);
    expect(telegram.journal.calls('getMe')).toHaveLength(1);
  });

  test('an unknown method is 404; one that this server has not is 501, after the check', async () => {
    expect(await call(telegram, 'sendSmoke')).toMatchObject({
      status: 404,
      description: 'Not Found: method not found',
    });
    expect((await call(telegram, 'sendDice', { chat_id })).status).toBe(501);
    expect((await call(telegram, 'sendDice', { chat: 1 })).status).toBe(400);
  });

  test('a wrong token is 401, a malformed one 404; the journal has both', async () => {
    const wrong = await fetch(`${telegram.apiRoot}/bot1:wrong/getMe`);
    const malformed = await fetch(`${telegram.apiRoot}/botnonsense/getMe`);

    expect([wrong.status, malformed.status]).toEqual([401, 404]);
    expect(await wrong.json()).toEqual({ ok: false, error_code: 401, description: 'Unauthorized' });
    expect(telegram.journal.refused(401)).toHaveLength(1);
  });

  test('a revoked token is wrong from then on', async () => {
    const old = telegram.token;
    telegram.revokeToken();

    expect((await fetch(`${telegram.apiRoot}/bot${old}/getMe`)).status).toBe(401);
    expect((await call(telegram, 'getMe')).ok).toBe(true);
  });
});
