import { Telegraf, TelegramError } from 'telegraf';
import { message } from 'telegraf/filters';
import { TelegramServer } from '../../../tools/fake-telegram';

describe("telegraf's own client", () => {
  let telegram: TelegramServer;
  let bot: Telegraf;
  const chat_id = 42;

  beforeEach(async () => {
    telegram = await TelegramServer.start();
    bot = new Telegraf(telegram.token, { telegram: { apiRoot: telegram.apiRoot } });
    telegram.user({ id: chat_id }).starts();
  });
  afterEach(() => telegram.close());

  test('a polling bot replies, and breaks no schema', async () => {
    bot.start((context) => context.replyWithHTML('<b>Hello</b>'));
    bot.on(message('text'), (context) => context.reply(`You said ${context.message.text}`));
    bot.action('done', (context) => context.answerCbQuery('Noted'));
    const running = bot.launch();
    const chat = telegram.chat(chat_id);
    await chat.until('it greets', ({ botTexts }) => botTexts.includes('Hello'));
    const ada = telegram.user({ id: chat_id });
    ada.writes('yes');
    await chat.until('it answers', ({ botTexts }) => botTexts.includes('You said yes'));
    bot.stop();
    await running;

    expect(telegram.journal.violations).toEqual([]);
  });

  test('an edit, a draft, a voice with buttons, a file link: each as it is documented', async () => {
    const { telegram: client } = bot;
    const sent = await client.sendMessage(chat_id, 'Ready?', {
      reply_markup: { inline_keyboard: [[{ text: 'Done', callback_data: 'done' }]] },
      reply_parameters: { message_id: 1, allow_sending_without_reply: true },
    });
    await client.editMessageReplyMarkup(chat_id, sent.message_id, undefined, undefined);
    await client.callApi(
      'sendMessageDraft' as never,
      { chat_id, draft_id: 1, text: 'Te' } as never,
    );
    const { voice } = await client.sendVoice(
      chat_id,
      { source: Buffer.from('OggS'), filename: 'a.ogg' },
      { reply_markup: { inline_keyboard: [[{ text: 'Play', callback_data: 'p' }]] } },
    );
    const link = await client.getFileLink(voice.file_id);
    await client.setMyCommands([{ command: 'done', description: 'Done' }]);

    expect(telegram.journal.violations).toEqual([]);
    expect(await (await fetch(link)).text()).toBe('OggS');
    expect(telegram.chat(chat_id).messages.at(-1)?.buttons).toEqual([['Play']]);
  });

  test('an error has its code, words and retry_after', async () => {
    telegram.flood.start(7);
    const error: unknown = await bot.telegram.sendMessage(chat_id, 'x').catch((e: unknown) => e);

    expect(error).toBeInstanceOf(TelegramError);
    expect(error).toMatchObject({ code: 429, parameters: { retry_after: 7 } });
  });

  test('a wrong token is 401, a second poller ends the first with 409', async () => {
    const wrong = new Telegraf('1:wrong', { telegram: { apiRoot: telegram.apiRoot } });
    await expect(wrong.telegram.getMe()).rejects.toMatchObject({ code: 401 });

    const confirmed = (telegram.pendingUpdates.at(-1)?.update_id ?? 0) + 1;
    const poll = (): ReturnType<typeof bot.telegram.getUpdates> =>
      bot.telegram.getUpdates(30, 100, confirmed, undefined);
    const first = poll();
    await telegram.until('the first waits', () => telegram.isPolled);
    const second = poll();

    await expect(first).rejects.toMatchObject({ code: 409 });
    telegram.user({ id: chat_id }).writes('for the second');
    expect(await second).toMatchObject([{ message: { text: 'for the second' } }]);
  });
});
