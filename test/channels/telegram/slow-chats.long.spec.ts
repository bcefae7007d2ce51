import type { TelegramUser } from '../../../tools/fake-telegram';
import { CandidateMessages } from '../../../src/channels/telegram/messages/candidate-messages';
import { EN, BotIntake, MODES, textUpdate } from './bot-intake';

let setup: BotIntake;

afterEach(async () => {
  jest.restoreAllMocks();
  await setup.close();
});

/** Locks, from outside, a row that every update of this chat needs. */
const LOCKS = {
  account: (person: TelegramUser) =>
    setup.lock('select 1 from telegram_account where user_id = $1', [person.user.id]),
  conversation: (person: TelegramUser) =>
    setup.lock(
      `select 1 from conversation where id =
         (select conversation_id from telegram_account where user_id = $1)`,
      [person.user.id],
    ),
};

describe.each(MODES)('a slow chat, %s', (mode) => {
  beforeEach(async () => {
    setup = await BotIntake.start({ mode });
  });

  test.each(['account', 'conversation'] as const)(
    'whose %s is locked delays no other chat, and continues in the order of its messages',
    async (what) => {
      const slow = await setup.candidate();
      const release = await LOCKS[what](slow);
      const words = Array.from({ length: 12 }, (_, n) => `answer ${String(n)}`);
      for (const word of words) slow.writes(word);
      const others = Array.from({ length: 5 }, () => setup.telegram.user());
      for (const other of others) other.writes('/help');

      for (const other of others)
        await setup.untilTold(other, EN.help({ voices: false, interviewer: 'script' }));
      expect(await setup.said(slow)).toEqual([]);
      await release();
      const isAll = async (): Promise<boolean> => (await setup.said(slow)).length === words.length;
      await setup.app.until('all messages are stored', isAll);
      expect(await setup.said(slow)).toEqual(words);
      await setup.app.until(
        'Telegram has no pending update',
        () => setup.telegram.pendingUpdates.length === 0,
      );
      expect(await setup.app.sql(`select 1 from attention`)).toEqual([]);
    },
  );

  test('whose handler hangs delays no other chat, and is retried', async () => {
    const slow = await setup.candidate();
    const messages = setup.app.get(CandidateMessages);
    jest.spyOn(messages, 'take').mockReturnValueOnce(new Promise(() => undefined));
    slow.writes('one');
    slow.writes('two');
    const other = setup.telegram.user();
    other.writes('/help');

    await setup.untilTold(other, EN.help({ voices: false, interviewer: 'script' }));
    expect(await setup.said(slow)).toEqual([]);
    await setup.app.until(
      'both messages are stored',
      async () => (await setup.said(slow)).length === 2,
    );
    expect(await setup.said(slow)).toEqual(['one', 'two']);
  });
});

test('a button press waits behind the messages that already wait', async () => {
  setup = await BotIntake.start({ mode: 'webhook' });
  const ada = setup.telegram.user();
  const chat = setup.telegram.chat(ada.user.id);
  ada.starts(setup.app.vacancy.openToken);
  await setup.app.until('the disclosure', () => chat.botTexts.length === 1);
  const release = await LOCKS.account(ada);
  ada.writes('/help');
  ada.presses(EN.declineButton);
  ada.writes('/language');
  await setup.app.until('all updates wait', async () => {
    const rows = await setup.inbox(ada);
    return rows.filter(({ state }) => state === 'waiting').length === 3;
  });
  await release();
  await setup.untilTold(ada, EN.declined);

  expect(chat.botTexts.slice(1)).toEqual([
    EN.help({ voices: false, interviewer: 'script' }),
    EN.chooseLanguage,
    EN.declined,
  ]);
});

test('an update behind waiting ones does not wait for their lock', async () => {
  setup = await BotIntake.start({ mode: 'webhook', isWorking: false });
  const { id } = setup.telegram.user().user;
  await setup.app.sql(`insert into telegram_account (user_id, language) values ($1, 'en')`, [id]);
  const release = await setup.lock('select 1 from telegram_account where user_id = $1', [id]);
  const update = (n: number) => textUpdate('/help', { chatId: id, messageId: n, updateId: n });
  await setup.push(update(1));
  const tries = { label: 'telegram.take', outcome: 'rolled_back' };
  const before = await setup.app.metrics('uow_commits_total', tries);
  await setup.push(update(2));
  await setup.push(update(3));

  expect(before).toBe(1);
  expect(await setup.app.metrics('uow_commits_total', tries)).toBe(1);
  await release();
});
