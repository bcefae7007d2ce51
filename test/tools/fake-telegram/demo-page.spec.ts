import { TelegramServer } from '../../../tools/fake-telegram';
import {
  DemoPage,
  type PageView,
  type PlayedChat,
} from '../../../tools/fake-telegram/demo/demo-page';
import { call, updates } from './bot-calls';

describe('the demo page', () => {
  let telegram: TelegramServer;
  let page: DemoPage;

  beforeEach(async () => {
    telegram = await TelegramServer.start();
    page = new DemoPage(telegram);
    await page.open();
  });
  afterEach(async () => {
    await page.close();
    await telegram.close();
  });

  const act = (name: string, body = '', more = ''): Promise<Response> =>
    fetch(`${page.url}/do?user=7&lang=ru&act=${name}${more}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });

  /** The first view that the page is told. */
  async function view(of = page, more = ''): Promise<PageView> {
    const response = await fetch(`${of.url}/events?user=7&lang=ru${more}`);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    await reader?.cancel();
    const bytes = (first?.value ?? new Uint8Array()) as Uint8Array;
    const told = Buffer.from(bytes).toString('utf8');
    return JSON.parse(told.slice('data: '.length)) as PageView;
  }

  test('an action on it reaches the bot', async () => {
    await act('start', 'invite-1');
    await act('write', 'Привет');
    const form = await fetch(`${page.url}/do?user=7&act=file&name=cv.pdf&type=application/pdf`, {
      method: 'POST',
      body: Buffer.from('pdf'),
    });
    expect(form.status).toBe(204);
    await act('edit', 'Привет!', `&message=${telegram.chat(7).messages[1]?.id ?? 0}`);

    const found = await updates(telegram);
    expect(found.map(({ message, edited_message }) => message ?? edited_message)).toMatchObject([
      { text: '/start invite-1', from: { id: 7, language_code: 'ru' } },
      { text: 'Привет' },
      { document: { file_name: 'cv.pdf' } },
      { text: 'Привет!' },
    ]);
  });

  test('it shows what the person sees: text with its entities, buttons, typing, draft', async () => {
    await act('start');
    const reply_markup = { inline_keyboard: [[{ text: 'Да', callback_data: 'y' }]] };
    const text = '<b>Готовы?</b>';
    await call(telegram, 'sendMessage', { chat_id: 7, text, parse_mode: 'HTML', reply_markup });
    await call(telegram, 'sendChatAction', { chat_id: 7, action: 'typing' });
    await call(telegram, 'sendMessageDraft', { chat_id: 7, draft_id: 1, text: 'Ещё' });
    const commands = [{ command: 'done', description: 'Готово' }];
    await call(telegram, 'setMyCommands', { commands });

    expect((await view()).chat).toMatchObject({
      messages: [
        { text: '/start' },
        {
          text: 'Готовы?',
          entities: [{ type: 'bold' }],
          buttons: [[{ text: 'Да', url: null }]],
          canEdit: false,
        },
      ],
      action: 'typing',
      draft: { text: 'Ещё' },
      commands,
    });
    await act('press', 'Да');
    expect((await updates(telegram)).at(-1)?.callback_query?.data).toBe('y');
  });

  test("watching a played candidate starts their interview and leaves one's own chat empty", async () => {
    const maya = telegram.user({ id: 99, first_name: 'Maya' });
    const played: { -readonly [Key in keyof PlayedChat]: PlayedChat[Key] } = {
      user: maya,
      label: 'Maya (English)',
      state: 'waiting',
      begin: () => {
        if (played.state === 'waiting') maya.writes('I am Maya.');
        played.state = 'playing';
      },
    };
    const watching = new DemoPage(telegram, { played: [played] });
    await watching.open();

    const { chat, watched, played: shown } = await view(watching, '&watch=0');
    expect(chat.messages.map(({ text }) => text)).toEqual(['I am Maya.']);
    expect({ watched, shown }).toEqual({
      watched: 0,
      shown: [{ label: 'Maya (English)', state: 'playing' }],
    });
    expect((await view(watching)).chat.messages).toEqual([]);
    expect((await view(watching)).watched).toBeNull();
    await watching.close();
  });

  test('Start without a payload opens the vacancy in the language of the person', async () => {
    const own = new DemoPage(telegram, { startPayload: (language) => `open-${language}` });
    await own.open();
    await fetch(`${own.url}/do?user=7&lang=ru&act=start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });

    expect((await updates(telegram)).map(({ message }) => message?.text)).toEqual([
      '/start open-ru',
    ]);
    await own.close();
  });

  test('an action that no client has gets an error message', async () => {
    await act('start');
    const refused = await act('press', 'Nowhere');

    expect(refused.status).toBe(409);
    expect(await refused.text()).toBe('there is no button "Nowhere"');
  });

  test('the page runs only its own scripts, and another origin cannot act', async () => {
    const response = await fetch(page.url);
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
    const html = await response.text();
    expect(html).not.toMatch(/<script(?! type="module" src="\/page.js")/);

    const foreign = await fetch(`${page.url}/do?user=7&act=start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://elsewhere.example' },
    });
    expect(foreign.status).toBe(400);
  });

  test('a file is shown as what it is only when a browser cannot run it', async () => {
    await act('start');
    const ada = telegram.user({ id: 7 });
    const get = async (id = ''): Promise<string | null> =>
      (await fetch(`${page.url}/file?id=${id}`)).headers.get('content-type');
    const svg = ada.sendsDocument(Buffer.from('<svg/>'), { mimeType: 'image/svg+xml' });
    const png = ada.sendsPhoto(Buffer.from('png'), { mimeType: 'image/png' });

    expect(await get(svg.document?.file_id)).toBe('application/octet-stream');
    expect(await get(png.photo?.[0]?.file_id)).toBe('image/png');
  });
});
