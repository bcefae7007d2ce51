import { FakeClock } from '../../../tools/support/fake-clock';
import { type TelegramUser, TelegramServer } from '../../../tools/fake-telegram';
import { call } from './bot-calls';

const BUTTONS = { inline_keyboard: [[{ text: 'Done', callback_data: 'done' }]] };

describe('messages to a person', () => {
  let telegram: TelegramServer;
  let clock: FakeClock;
  let ada: TelegramUser;
  const chat_id = 42;

  beforeEach(async () => {
    clock = new FakeClock();
    telegram = await TelegramServer.start({ clock });
    ada = telegram.user({ id: chat_id, first_name: 'Ada', username: 'ada' });
    ada.starts();
  });
  afterEach(() => telegram.close());

  const send = (text: string, more: object = {}): ReturnType<typeof call> =>
    call(telegram, 'sendMessage', { chat_id, text, ...more });
  const idOf = (sent: Awaited<ReturnType<typeof call>>): number =>
    (sent.result as { message_id: number }).message_id;

  test('are shown trimmed, with their buttons and author', async () => {
    await send('  Hello  ', { reply_markup: BUTTONS });

    expect(
      telegram.chat(chat_id).messages.map(({ fromBot, text, buttons }) => [fromBot, text, buttons]),
    ).toEqual([
      [false, '/start', []],
      [true, 'Hello', [['Done']]],
    ]);
  });

  test('HTML becomes entities; offsets count UTF-16 units', async () => {
    await send('🙂 <b>bold <i>both</i></b> &lt;a&gt; <a href="https://x.org/">link</a>', {
      parse_mode: 'HTML',
    });

    const [, seen] = telegram.chat(chat_id).messages;
    expect(seen?.text).toBe('🙂 bold both <a> link');
    expect(seen?.entities).toEqual([
      { type: 'bold', offset: 3, length: 9 },
      { type: 'italic', offset: 8, length: 4 },
      { type: 'text_link', offset: 17, length: 4, url: 'https://x.org/' },
    ]);
  });

  test.each([
    ['5 < 6', 'Unsupported start tag "" at byte offset 2'],
    ['é <h1>x</h1>', 'Unsupported start tag "h1" at byte offset 3'],
    ['<b>x', 'Can\'t find end tag corresponding to start tag "b"'],
    ['x</b>', 'Unexpected end tag at byte offset 1'],
    ['<b>x</i>', 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'],
    ['<b', 'Unclosed start tag at byte offset 0'],
    ['<span>x</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
  ])('HTML like %s is refused with its place', async (text, reason) => {
    expect(await send(text, { parse_mode: 'HTML' })).toMatchObject({
      status: 400,
      description: `Bad Request: can't parse entities: ${reason}`,
    });
    expect((await send(text)).ok).toBe(true);
  });

  test('4096 UTF-16 units are the limit after the entities are read', async () => {
    const full = 'x'.repeat(4096);

    expect((await send(`<b>${full}</b>`, { parse_mode: 'HTML' })).ok).toBe(true);
    expect((await send('🙂'.repeat(2048))).ok).toBe(true);
    expect(await send(`${full}y`)).toMatchObject({
      status: 400,
      description: 'Bad Request: message is too long',
    });
  });

  test.each(['', '   ', '\n'])('an empty text %j is refused', async (text) => {
    expect(await send(text)).toMatchObject({
      status: 400,
      description: 'Bad Request: message text is empty',
    });
    expect((await send('<b></b>', { parse_mode: 'HTML' })).status).toBe(400);
  });

  test('nobody gets a message before they have written', async () => {
    telegram.user({ id: 7 });

    expect(await call(telegram, 'sendMessage', { chat_id: 7, text: 'Hi' })).toMatchObject({
      status: 403,
      description: "Forbidden: bot can't initiate conversation with a user",
    });
    expect(await call(telegram, 'sendMessage', { chat_id: 8, text: 'Hi' })).toMatchObject({
      status: 400,
      description: 'Bad Request: chat not found',
    });
  });

  test('a block stops messages and is reported to the bot; writing unblocks', async () => {
    ada.blocks();
    expect(await send('Hi')).toMatchObject({
      status: 403,
      description: 'Forbidden: bot was blocked by the user',
    });
    expect((await call(telegram, 'sendChatAction', { chat_id, action: 'typing' })).status).toBe(
      403,
    );
    expect(telegram.pendingUpdates.at(-1)?.my_chat_member).toMatchObject({
      from: { id: chat_id },
      new_chat_member: { status: 'kicked' },
    });
    ada.unblocks();
    expect(telegram.pendingUpdates.at(-1)?.my_chat_member?.new_chat_member.status).toBe('member');
    expect((await send('Hi')).ok).toBe(true);
    ada.blocks();
    ada.writes('I am back');
    expect((await send('Hi')).ok).toBe(true);
  });

  test('a deleted account is 403 for good, without an update', async () => {
    const before = telegram.pendingUpdates.length;
    ada.leavesTelegram();

    expect(await send('Hi')).toMatchObject({
      status: 403,
      description: 'Forbidden: user is deactivated',
    });
    expect(telegram.pendingUpdates).toHaveLength(before);
  });

  test('an edit replaces text and buttons; the same again is refused', async () => {
    const message_id = idOf(await send('Questoin', { reply_markup: BUTTONS }));
    const edit = (): ReturnType<typeof call> =>
      call(telegram, 'editMessageText', { chat_id, message_id, text: 'Question' });

    expect((await edit()).ok).toBe(true);
    expect(telegram.chat(chat_id).messages.at(-1)).toMatchObject({
      text: 'Question',
      buttons: [],
      isEdited: true,
    });
    expect((await edit()).description).toMatch(/^Bad Request: message is not modified/);
  });

  test('buttons alone can be taken away', async () => {
    const message_id = idOf(await send('Q', { reply_markup: BUTTONS }));
    await call(telegram, 'editMessageReplyMarkup', { chat_id, message_id });

    expect(telegram.chat(chat_id).messages.at(-1)).toMatchObject({ text: 'Q', buttons: [] });
  });

  test("the bot cannot edit a person's message, nor edit or delete a deleted one", async () => {
    const { message_id } = ada.writes('mine');
    const edit = (id: number): ReturnType<typeof call> =>
      call(telegram, 'editMessageText', { chat_id, message_id: id, text: 'x' });

    expect((await edit(message_id)).description).toBe("Bad Request: message can't be edited");
    expect((await edit(9999)).description).toBe('Bad Request: message to edit not found');
    expect((await call(telegram, 'deleteMessage', { chat_id, message_id })).ok).toBe(true);
    expect(telegram.chat(chat_id).deletedIds).toEqual([message_id]);
    expect((await call(telegram, 'deleteMessage', { chat_id, message_id })).description).toBe(
      'Bad Request: message to delete not found',
    );
  });

  test('typing is shown for 5 s, or until a message comes', async () => {
    await call(telegram, 'sendChatAction', { chat_id, action: 'typing' });
    expect(telegram.chat(chat_id).action).toBe('typing');
    clock.advance(5_000);
    expect(telegram.chat(chat_id).action).toBeNull();
    await call(telegram, 'sendChatAction', { chat_id, action: 'typing' });
    await send('there');
    expect(telegram.chat(chat_id).action).toBeNull();
  });

  test('a draft is shown for 30 s, or until the message comes', async () => {
    const draft = (text: string): ReturnType<typeof call> =>
      call(telegram, 'sendMessageDraft', { chat_id, draft_id: 1, text });
    await draft('Tell');
    await draft('Tell me');
    expect(telegram.chat(chat_id).draft).toBe('Tell me');
    clock.advance(30_000);
    expect(telegram.chat(chat_id).draft).toBeNull();
    await draft('Tell me more');
    await send('Tell me more.');
    expect(telegram.chat(chat_id).draft).toBeNull();
    expect(telegram.chat(chat_id).botTexts).toEqual(['Tell me more.']);
  });

  test('invalid buttons are refused', async () => {
    const data = (callback_data: string): object => ({
      reply_markup: { inline_keyboard: [[{ text: 'x', callback_data }]] },
    });

    expect((await send('Q', data('d'.repeat(64)))).ok).toBe(true);
    expect((await send('Q', data('d'.repeat(65)))).description).toBe(
      'Bad Request: BUTTON_DATA_INVALID',
    );
  });

  test('a reply needs its message, unless it may do without', async () => {
    const { message_id } = ada.writes('ask');
    const reply = async (params: object): Promise<unknown> =>
      (await send('answer', { reply_parameters: params })).result;

    expect(await reply({ message_id })).toMatchObject({ reply_to_message: { text: 'ask' } });
    expect(await reply({ message_id: 9999 })).toBeUndefined();
    expect(await reply({ message_id: 9999, allow_sending_without_reply: true })).toBeDefined();
  });
});
