import type { File, Update } from '@grammyjs/types';
import { FakeClock } from '../../../tools/support/fake-clock';
import { type TelegramUser, TelegramServer } from '../../../tools/fake-telegram';
import { call, updates } from './bot-calls';

const VOICE = Buffer.from('OggS voice');

describe('what people do', () => {
  let telegram: TelegramServer;
  let clock: FakeClock;
  let ada: TelegramUser;
  const chat_id = 5_123_456_789;

  beforeEach(async () => {
    clock = new FakeClock();
    telegram = await TelegramServer.start({ clock });
    ada = telegram.user({ id: chat_id, first_name: 'Ада', username: 'ada', language_code: 'ru' });
  });
  afterEach(() => telegram.close());

  const last = async (): Promise<Update> => {
    const update = (await updates(telegram)).at(-1);
    if (update === undefined) throw new Error('no update');
    return update;
  };

  async function download(fileId: string | undefined): Promise<Response> {
    const { result } = await call(telegram, 'getFile', { file_id: fileId ?? '' });
    const { file_path } = result as File;
    return fetch(`${telegram.apiRoot}/file/bot${telegram.token}/${file_path ?? ''}`);
  }

  test('a start by deep link is a command with a payload', async () => {
    ada.starts('invite_A-1');

    expect((await last()).message).toMatchObject({
      text: '/start invite_A-1',
      entities: [{ type: 'bot_command', offset: 0, length: 6 }],
      from: { id: chat_id, is_bot: false, first_name: 'Ада', language_code: 'ru' },
      chat: { id: chat_id, type: 'private', first_name: 'Ада', username: 'ada' },
      date: clock.now().getTime() / 1000,
    });
    expect(() => ada.starts('слишком')).toThrow();
  });

  test('a long text arrives in messages of 4096 units', async () => {
    ada.pastes('x'.repeat(9000));

    const lengths = (await updates(telegram)).map(({ message }) => message?.text?.length);
    expect(lengths).toEqual([4096, 4096, 808]);
    expect(() => ada.writes('x'.repeat(4097))).toThrow();
  });

  test('an edit arrives as edited_message under the same id; a deletion causes no update', async () => {
    const { message_id } = ada.writes('fisrt');
    clock.advance(2_000);
    ada.edits(message_id, 'first');
    ada.deletes(message_id);

    const [written, edited, ...more] = await updates(telegram);
    expect(written?.message).toMatchObject({ message_id, text: 'fisrt' });
    expect(edited?.edited_message).toMatchObject({ message_id, text: 'first' });
    expect(edited?.edited_message?.edit_date).toBe((written?.message?.date ?? 0) + 2);
    expect(more).toEqual([]);
    expect(telegram.chat(chat_id).messages).toEqual([]);
  });

  test('a voice is an .oga that can be fetched for an hour, with the right token only', async () => {
    const { voice } = ada.sendsVoice(VOICE, { durationS: 12 });
    expect(voice).toMatchObject({ duration: 12, mime_type: 'audio/ogg', file_size: VOICE.length });

    const file = await download(voice?.file_id);
    expect(file.url).toMatch(/\/voice\/file_1\.oga$/);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(VOICE);
    const wrong = await fetch(file.url.replace(telegram.token, '1:wrong'));
    expect(wrong.status).toBe(401);
    clock.advance(3_600_000);
    expect((await fetch(file.url)).status).toBe(404);
    expect(telegram.journal.calls('downloadFile').map(({ outcome }) => outcome)).toMatchObject([
      { status: 200 },
      { status: 401 },
      { status: 404 },
    ]);
  });

  test('a bot may fetch 20 MB, no more; an unknown file is refused', async () => {
    const limit = 20 * 1024 * 1024;
    const fits = ada.sendsDocument(VOICE, { fileName: 'a.pdf', sizeBytes: limit } as never);
    const tooBig = ada.sendsVoice(VOICE, { sizeBytes: limit + 1 });
    const get = (file_id = ''): ReturnType<typeof call> => call(telegram, 'getFile', { file_id });

    expect((await get(fits.document?.file_id)).ok).toBe(true);
    expect((await get(tooBig.voice?.file_id)).description).toBe('Bad Request: file is too big');
    expect((await get('nonsense')).description).toBe('Bad Request: invalid file_id');
  });

  test('a download can break off in the middle', async () => {
    const { voice } = ada.sendsVoice(VOICE);
    telegram.faults.on('downloadFile', { kind: 'drop', when: 'after' });

    await expect(download(voice?.file_id).then((file) => file.arrayBuffer())).rejects.toThrow();
    expect((await download(voice?.file_id)).status).toBe(200);
  });

  test('an album is separate messages of one media group', () => {
    const pictures = ada.sendsAlbum([Buffer.from('1'), Buffer.from('2')], 'My work');

    expect(pictures.map(({ caption }) => caption)).toEqual(['My work', undefined]);
    expect(pictures[0]?.media_group_id).toBeDefined();
    expect(pictures[0]?.media_group_id).toBe(pictures[1]?.media_group_id);
    expect(telegram.pendingUpdates).toHaveLength(2);
  });

  test('pictures, files, stickers, contacts, places, circles and forwards arrive with their types', async () => {
    ada.sendsPhoto(VOICE, { caption: 'Look' });
    ada.sendsDocument(VOICE, { name: 'cv.pdf', mimeType: 'application/pdf' });
    ada.sendsSticker('🎉');
    ada.sendsContact('+15550100');
    ada.sendsLocation(55.75, 37.62);
    ada.sendsVideoNote(VOICE, { durationS: 9 });
    ada.sendsVideo(VOICE);
    ada.sendsAudio(VOICE);
    ada.forwards('said elsewhere', 'Bob');

    const messages = (await updates(telegram)).map(({ message }) => message);
    expect(messages).toMatchObject([
      { caption: 'Look', photo: [{ width: 320 }] },
      { document: { file_name: 'cv.pdf', mime_type: 'application/pdf' } },
      { sticker: { emoji: '🎉', type: 'regular' } },
      { contact: { phone_number: '+15550100', user_id: chat_id } },
      { location: { latitude: 55.75 } },
      { video_note: { duration: 9 } },
      { video: {} },
      { audio: {} },
      { text: 'said elsewhere', forward_origin: { type: 'hidden_user', sender_user_name: 'Bob' } },
    ]);
  });

  test('a press arrives as callback_query, and is answered once within 150 s', async () => {
    ada.starts();
    const reply_markup = { inline_keyboard: [[{ text: 'Done', callback_data: 'done:1' }]] };
    await call(telegram, 'sendMessage', { chat_id, text: 'Ready?', reply_markup });
    const press = ada.presses('Done');
    const answer = (id = press?.id): ReturnType<typeof call> =>
      call(telegram, 'answerCallbackQuery', { callback_query_id: id, text: 'Noted' });

    expect((await last()).callback_query).toMatchObject({
      id: press?.id,
      data: 'done:1',
      from: { id: chat_id },
      message: { text: 'Ready?' },
    });
    expect((await answer()).ok).toBe(true);
    expect(press?.answered).toBe(true);
    expect(telegram.chat(chat_id).notices).toEqual([{ text: 'Noted', isAlert: false }]);
    expect((await answer()).description).toMatch(/query is too old/);
    const late = ada.presses('Done');
    clock.advance(150_000);
    expect((await answer(late?.id)).description).toMatch(/query is too old/);
    expect(() => ada.presses('Nowhere')).toThrow('there is no button "Nowhere"');
  });

  test('a button of the reply keyboard writes its text, or sends the contact', async () => {
    ada.starts();
    const keyboard = [[{ text: 'Да' }, { text: 'Мой номер', request_contact: true }]];
    await call(telegram, 'sendMessage', { chat_id, text: '?', reply_markup: { keyboard } });
    expect(telegram.chat(chat_id).keyboard).toEqual([['Да', 'Мой номер']]);

    ada.presses('Да');
    expect((await last()).message?.text).toBe('Да');
    ada.presses('Мой номер');
    expect((await last()).message?.contact?.user_id).toBe(chat_id);
    const remove = { remove_keyboard: true };
    await call(telegram, 'sendMessage', { chat_id, text: '!', reply_markup: remove });
    expect(telegram.chat(chat_id).keyboard).toEqual([]);
  });

  test('a group: members write, the bot replies there until it is removed', async () => {
    const group = telegram.group({ title: 'Hiring' });
    group.addsBot(ada.user);
    ada.in(group).writes('/start@colloquy_test_bot');
    const chat = { id: group.chat.id, type: 'supergroup', title: 'Hiring' };

    expect((await last()).message).toMatchObject({ chat, from: { id: chat_id } });
    const sent = await call(telegram, 'sendMessage', { chat_id: group.chat.id, text: 'Hi' });
    expect(sent.ok).toBe(true);
    expect(telegram.chat(group.chat.id).botTexts).toEqual(['Hi']);
    group.removesBot(ada.user);
    expect(
      await call(telegram, 'sendMessage', { chat_id: group.chat.id, text: 'Hi' }),
    ).toMatchObject({
      status: 403,
      description: 'Forbidden: bot was kicked from the supergroup chat',
    });
    expect((await last()).my_chat_member?.new_chat_member.status).toBe('kicked');
  });

  test('a channel posts and edits; neither is a message from anybody', async () => {
    const channel = telegram.channel({ title: 'News', username: 'news' });
    const { message_id } = channel.posts('Breaking');
    channel.edits(message_id, 'Broken');

    const [post, edit] = await updates(telegram);
    expect(post?.channel_post).toMatchObject({
      text: 'Breaking',
      sender_chat: { type: 'channel' },
    });
    expect(post?.channel_post?.from).toBeUndefined();
    expect(edit?.edited_channel_post).toMatchObject({ message_id, text: 'Broken' });
    expect((await call(telegram, 'sendMessage', { chat_id: '@news', text: 'By me' })).ok).toBe(
      true,
    );
  });

  test('ids: every private chat shares one sequence, a supergroup has its own', () => {
    const bob = telegram.user({ first_name: 'Bob' });
    const group = telegram.group();

    const [first, second] = [ada.writes('a').message_id, bob.writes('b').message_id];
    expect(second).toBe(first + 1);
    expect(ada.in(group).writes('c').message_id).toBe(1);
  });

  test('a bot sends files too, by upload or by id', async () => {
    ada.starts();
    const form = new FormData();
    form.set('chat_id', String(chat_id));
    form.set('caption', '<b>You</b>');
    form.set('parse_mode', 'HTML');
    form.set('document', new Blob(['hello'], { type: 'text/plain' }), 'transcript.txt');
    const url = `${telegram.apiRoot}/bot${telegram.token}/sendDocument`;
    const { result } = (await (await fetch(url, { method: 'POST', body: form })).json()) as {
      result: { document: { file_id: string; file_name: string } };
    };

    expect(result.document.file_name).toBe('transcript.txt');
    expect(telegram.journal.calls('sendDocument')[0]?.uploads).toEqual(['transcript.txt']);
    const document = result.document.file_id;
    expect((await call(telegram, 'sendDocument', { chat_id, document })).ok).toBe(true);
    expect(await (await download(document)).text()).toBe('hello');
    expect(telegram.journal.violations).toEqual([]);
  });

  test('commands are kept by scope and language', async () => {
    const commands = [{ command: 'done', description: 'Готово' }];
    await call(telegram, 'setMyCommands', { commands, language_code: 'ru' });
    const get = async (params = {}): Promise<unknown> =>
      (await call(telegram, 'getMyCommands', params)).result;

    expect(await get({ language_code: 'ru' })).toEqual(commands);
    expect(await get()).toEqual([]);
    const wrong = await call(telegram, 'setMyCommands', {
      commands: [{ command: 'Wrong one', description: 'x' }],
    });
    expect(wrong.description).toBe('Bad Request: BOT_COMMAND_INVALID');
  });
});
