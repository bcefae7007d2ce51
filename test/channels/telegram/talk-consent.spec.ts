import { telegramTextsOf } from '../../../src/channels/telegram/texts/texts';
import { textsOf } from '../../../src/interview/texts/texts';
import { type TestApp, startTestApp } from '../../support/app';
import { EN, RU, BOT, invite, newPerson, takeUpdate } from './telegram-person';

const QUESTION = 'What did you bake last?';

/** Before the first question: what is asked, what is stored, and what each button does. */
describe('disclosure and consent', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(BOT);
  });

  afterAll(() => app.close());

  async function arrived(given = {}) {
    const person = newPerson(app, given);
    await person.starts(app.vacancy.openToken);
    return person;
  }

  test('before consent neither messages nor names are stored', async () => {
    const ada = await arrived({ first_name: 'Adelaide', username: 'adelaide_x' });

    await ada.writes('I baked rye.');
    await ada.does((user) => user.sendsPhoto(Buffer.from('jpg'), { caption: 'my bread' }));
    await ada.does((user) => user.sendsVoice(Buffer.from('OggS')));

    expect(ada.heard.filter((text) => text === EN.consentFirst)).toHaveLength(3);
    expect(await ada.lines()).toEqual([]);
    expect(app.telegram.journal.calls('getFile')).toEqual([]);
    const everything = await app.sql<{ row: string }>(
      `select to_jsonb(c)::text as row from candidate c
       union all select to_jsonb(m)::text from message m
       union all select to_jsonb(a)::text from telegram_account a
       union all select to_jsonb(u)::text from telegram_update u`,
    );
    const text = everything.map(({ row }) => row).join();
    expect(text).not.toMatch(/adelaide|rye|bread/i);
  });

  test('a person who agrees gets the first question, and the account’s name is stored as theirs', async () => {
    const ada = await arrived({ first_name: 'Ada', last_name: 'Byron', username: 'ada_b' });

    await ada.agrees();

    expect(ada.lastHeard).toBe(QUESTION);
    expect(ada.chat.keyboard).toEqual([[EN.doneButton]]);
    expect(ada.chat.messages.flatMap(({ buttons }) => buttons)).toEqual([]);
    const [candidate] = await app.sql(
      `select name, contact, telegram_username from candidate c
       join conversation v on v.candidate_id = c.id where v.id = $1`,
      [await ada.conversationId()],
    );
    expect(candidate).toEqual({
      name: 'Ada Byron',
      contact: '@ada_b',
      telegram_username: 'ada_b',
    });
  });

  test.each(['en', 'ru'] as const)(
    'a disclosure that was declined is not repeated, whatever is written or pressed (%s)',
    async (language_code) => {
      const ada = await arrived({ language_code });
      await ada.writes('/language');
      await ada.presses(language_code === 'ru' ? 'Русский' : 'English');
      await ada.declines();
      const { declined, declinedBefore, notStarted } = telegramTextsOf(language_code);
      expect(ada.lastHeard).toBe(declined);
      ada.forgetsTheChat();

      await ada.declines();
      await ada.writes('Why should I?');
      await ada.does((user) => user.sendsPhoto(Buffer.from('jpg')));
      for (const command of ['/status', '/pause', '/done']) await ada.writes(command);

      const before = [declinedBefore, declinedBefore];
      expect(ada.heard).toEqual([...before, notStarted, ...before]);
      expect(await ada.said()).toEqual([]);
    },
  );

  test.each(['by /start', 'by the link'])(
    'a disclosure that was declined is shown again to a person who opens the interview %s',
    async (way) => {
      const ada = await arrived();
      await ada.declines();
      ada.forgetsTheChat();

      await ada.starts(way === 'by the link' ? app.vacancy.openToken : '');

      expect(ada.heard).toEqual([expect.stringContaining('script of Crumb')]);
    },
  );

  test('a person who declines may still agree later', async () => {
    const ada = await arrived();
    await ada.declines();
    expect(ada.lastHeard).toBe(EN.declined);
    expect((await ada.conversation()).status).toBe('declined');

    await ada.writes('I changed my mind.');
    await ada.agrees();

    expect(ada.lastHeard).toBe(QUESTION);
    expect(await ada.said()).toEqual([]);
  });

  test('a second press on the same button changes nothing and sends nothing', async () => {
    const ada = await arrived();
    ada.user.presses(EN.agreeButton);
    ada.user.presses(EN.agreeButton);
    await app.settle();

    expect(ada.heard.slice(1)).toEqual(['Hello and welcome.', QUESTION]);
  });

  test('a press on Decline after consent says how to withdraw, and repeats the question', async () => {
    const ada = await arrived();
    await ada.writes('Hello?');
    const [first] = ada.chat.messages.filter(({ buttons }) => buttons.length > 0);
    await ada.agrees();

    await ada.presses(EN.declineButton, first?.id ?? 0);

    expect(ada.heard.slice(-3)).toEqual([EN.consentGiven, EN.welcomeBack, QUESTION]);
    expect((await ada.conversation()).status).toBe('active');
  });

  test('a button of another interview’s disclosure gives no consent to this one', async () => {
    const first = await invite(app);
    const second = await invite(app);
    const ada = newPerson(app);
    await ada.starts(first.token);
    const old = ada.idOf('script of Crumb');
    await ada.starts(second.token);

    await ada.presses(EN.agreeButton, old);

    expect((await ada.conversation()).status).toBe('new');
    expect(ada.chat.notices.at(-1)?.text).toBe(EN.pressOutdated);
  });

  test('consent to an outdated text is not accepted, and the current text is shown', async () => {
    const ada = await arrived();
    const id = (await ada.conversationId()) ?? '';
    const disclosure = ada.chat.messages.at(-1)?.message;
    const [agree] = disclosure?.reply_markup?.inline_keyboard[0] ?? [];
    if (agree === undefined || !('callback_data' in agree)) throw new Error('no button');
    agree.callback_data = `agree:2020-01:${id}`;
    ada.forgetsTheChat();

    await ada.agrees();

    expect(ada.heard).toEqual([expect.stringContaining('script of Crumb')]);
    expect((await ada.conversation()).status).toBe('new');
  });

  test('a request for a person before consent passes on only the contact', async () => {
    const ada = await arrived({ username: 'ada_asks' });

    await ada.asksForPerson();
    expect(ada.lastHeard).toBe(textsOf('en').handedOverWithoutConsent);
    await ada.writes('Are you there?');

    expect((await ada.conversation()).status).toBe('handed_over');
    expect(ada.lastHeard).toBe(EN.notKeptForPerson);
    expect(await ada.said()).toEqual([]);
    const items = await app.sql(
      `select a.kind, c.contact from attention a
       join conversation v on v.id = a.conversation_id join candidate c on c.id = v.candidate_id
       where v.id = $1`,
      [await ada.conversationId()],
    );
    expect(items).toEqual([{ kind: 'handed_over', contact: '@ada_asks' }]);
  });

  test.each(['en', 'ru'] as const)(
    'a request for a person after declining is passed on (%s)',
    async (language_code) => {
      const ada = await arrived({ language_code, username: `ada_no_${language_code}` });
      await ada.writes('/language');
      await ada.presses(language_code === 'ru' ? 'Русский' : 'English');
      await ada.declines();
      expect(ada.lastHeard).toContain('/human');

      await ada.asksForPerson();
      await ada.writes('/human');

      expect((await ada.conversation()).status).toBe('handed_over');
      expect(ada.heard.slice(-2)).toEqual([
        textsOf(language_code).handedOverWithoutConsent,
        telegramTextsOf(language_code).humanAlready,
      ]);
      const items = await app.sql(
        `select a.kind, a.reason, c.contact from attention a
       join conversation v on v.id = a.conversation_id join candidate c on c.id = v.candidate_id
       where v.id = $1`,
        [await ada.conversationId()],
      );
      const reason = 'the candidate declined the interview and asked for a person';
      const contact = `@ada_no_${language_code}`;
      expect(items).toEqual([{ kind: 'handed_over', reason, contact }]);
    },
  );

  test('after a declined disclosure and a hand-over, a late consent does not start the interview', async () => {
    const ada = await arrived();
    await ada.declines();
    await ada.asksForPerson();

    await ada.agrees();

    expect((await ada.conversation()).status).toBe('handed_over');
    expect(ada.lastHeard).toBe(EN.humanAlready);
  });

  test.each([
    ['is HTML', { first_name: '<b>x</b>' }, '<b>x</b>'],
    ['is too long', { first_name: 'é'.repeat(400) }, 'é'.repeat(120)],
    ['has characters that cannot be stored', { first_name: 'A\u0000d\ud800a' }, 'A d a'],
    ['is invisible', { first_name: '\u200b\u2060', id: 5_123_456_789 }, 'Telegram 5123456789'],
  ])('a person whose name %s begins an interview like anybody else', async (_, given, name) => {
    const ada = await arrived(given);

    await ada.agrees();

    expect(ada.lastHeard).toBe(QUESTION);
    const [candidate] = await app.sql<{ name: string }>(
      `select name from candidate c join conversation v on v.candidate_id = c.id where v.id = $1`,
      [await ada.conversationId()],
    );
    expect(candidate?.name).toBe(name);
  });

  test('the bot speaks Russian to people whose Telegram is Russian, unless the vacancy sets the language', async () => {
    const ada = newPerson(app, { language_code: 'ru' });

    await ada.starts();

    expect(ada.heard).toEqual([RU.waysIn.script]);
  });

  test.each(['group', 'supergroup'] as const)(
    'the bot leaves a %s and stores nothing about its members',
    async (type) => {
      const group = app.telegram.group({ type });
      const ada = newPerson(app, { first_name: 'Groupie' });
      group.addsBot(ada.user.user);
      ada.user.in(group).writes('Hello everybody');
      await app.settle();

      const left = app.telegram.journal.calls('leaveChat').map(({ params }) => params);
      expect(left).toContainEqual({ chat_id: group.chat.id });
      expect(app.telegram.chat(group.chat.id).botTexts).toEqual([]);
      expect(await app.sql('select 1 from telegram_account where user_id = $1', [ada.id])).toEqual(
        [],
      );
    },
  );

  describe('another bot, in a private chat', () => {
    const bot = { id: 6_100_000_001, is_bot: true, first_name: 'Botty', language_code: 'en' };
    const chat = { id: bot.id, type: 'private', first_name: 'Botty' };
    const message = { message_id: 1, date: 1_770_000_000, from: bot, chat, text: 'unheard-of-bot' };
    const start = `/start ${'x'.repeat(12)}`;
    const entities = [{ type: 'bot_command', offset: 0, length: 6 }];
    const status = (is: string) => ({ status: is, user: bot });

    test.each([
      ['a message', { message }],
      ['a command', { message: { ...message, text: start, entities } }],
      ['an edit', { edited_message: { ...message, edit_date: 1_770_000_001 } }],
      ['a press', { callback_query: { id: '1', from: bot, message, data: 'way:pin' } }],
      [
        'a block',
        {
          my_chat_member: {
            chat,
            from: bot,
            date: 1_770_000_000,
            old_chat_member: status('member'),
            new_chat_member: status('kicked'),
          },
        },
      ],
    ])('is ignored: %s is not stored and gets no reply', async (_, update) => {
      const calls = app.telegram.journal.calls('sendMessage').length;

      await takeUpdate(app, { update_id: 910_000_001, ...update });

      const left = await app.sql(
        `select 'account' as kind from telegram_account where user_id = $1
         union all select 'update' from telegram_update where chat_id = $1 or update_id = 910000001
         union all select 'reply' from telegram_bot_reply where chat_id = $1
         union all select 'job' from job where key = $1::bigint::text
         union all select 'message' from message where text like '%unheard-of-bot%'`,
        [bot.id],
      );
      expect(left).toEqual([]);
      expect(app.telegram.journal.calls('sendMessage')).toHaveLength(calls);
    });
  });

  test('the bot leaves a channel, too', async () => {
    const channel = app.telegram.channel();
    channel.posts('News!');
    await app.settle();

    const left = app.telegram.journal.calls('leaveChat').map(({ params }) => params);
    expect(left).toContainEqual({ chat_id: channel.chat.id });
  });
});
