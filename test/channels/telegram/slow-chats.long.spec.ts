import type { TelegramUser } from '../../../tools/fake-telegram';
import { CandidateMessages } from '../../../src/channels/telegram/messages/candidate-messages';
import { EN, IntakeStage, MODES, textUpdate } from './intake-stage';

let stage: IntakeStage;

afterEach(async () => {
  jest.restoreAllMocks();
  await stage.close();
});

/** Locks, from outside, a row that every update of this chat needs. */
const LOCKS = {
  account: (person: TelegramUser) =>
    stage.lock('select 1 from telegram_account where user_id = $1', [person.user.id]),
  conversation: (person: TelegramUser) =>
    stage.lock(
      `select 1 from conversation where id =
         (select conversation_id from telegram_account where user_id = $1)`,
      [person.user.id],
    ),
};

describe.each(MODES)('a slow chat, %s', (mode) => {
  beforeEach(async () => {
    stage = await IntakeStage.open({ mode });
  });

  test.each(['account', 'conversation'] as const)(
    'whose %s is locked delays no other chat, and continues in the order of its messages',
    async (what) => {
      const slow = await stage.candidate();
      const release = await LOCKS[what](slow);
      const words = Array.from({ length: 12 }, (_, n) => `answer ${String(n)}`);
      for (const word of words) slow.writes(word);
      const others = Array.from({ length: 5 }, () => stage.telegram.user());
      for (const other of others) other.writes('/help');

      for (const other of others) await stage.untilTold(other, EN.help({ voices: false }));
      expect(await stage.said(slow)).toEqual([]);
      await release();
      const isAll = async (): Promise<boolean> => (await stage.said(slow)).length === words.length;
      await stage.until('all messages are stored', isAll);
      expect(await stage.said(slow)).toEqual(words);
      await stage.until(
        'Telegram has no pending update',
        () => stage.telegram.pendingUpdates.length === 0,
      );
      expect(await stage.rows(`select 1 from attention`)).toEqual([]);
    },
  );

  test('whose handler hangs delays no other chat, and is retried', async () => {
    const slow = await stage.candidate();
    const messages = stage.app.nest.get(CandidateMessages, { strict: false });
    jest.spyOn(messages, 'take').mockReturnValueOnce(new Promise(() => undefined));
    slow.writes('one');
    slow.writes('two');
    const other = stage.telegram.user();
    other.writes('/help');

    await stage.untilTold(other, EN.help({ voices: false }));
    expect(await stage.said(slow)).toEqual([]);
    await stage.until(
      'both messages are stored',
      async () => (await stage.said(slow)).length === 2,
    );
    expect(await stage.said(slow)).toEqual(['one', 'two']);
  });
});

test('a button press waits behind the messages that already wait', async () => {
  stage = await IntakeStage.open({ mode: 'webhook' });
  const ada = stage.telegram.user();
  const chat = stage.telegram.chat(ada.user.id);
  ada.starts(stage.app.vacancy.openToken);
  await stage.until('the disclosure', () => chat.botTexts.length === 1);
  const release = await LOCKS.account(ada);
  ada.writes('/help');
  ada.presses(EN.declineButton);
  ada.writes('/language');
  await stage.until('all updates wait', async () => {
    const rows = await stage.inbox(ada);
    return rows.filter(({ state }) => state === 'waiting').length === 3;
  });
  await release();
  await stage.untilTold(ada, EN.declined);

  expect(chat.botTexts.slice(1)).toEqual([
    EN.help({ voices: false }),
    EN.chooseLanguage,
    EN.declined,
  ]);
});

test('an update behind waiting ones does not wait for their lock', async () => {
  stage = await IntakeStage.open({ mode: 'webhook', isWorking: false });
  const { id } = stage.telegram.user().user;
  await stage.rows(`insert into telegram_account (user_id, language) values ($1, 'en')`, [id]);
  const release = await stage.lock('select 1 from telegram_account where user_id = $1', [id]);
  const update = (n: number) => textUpdate('/help', { chatId: id, messageId: n, updateId: n });
  await stage.push(update(1));
  const triesOf = 'colloquy_uow_commits_total{label="telegram.take",outcome="rolled_back"}';
  const before = await stage.metric(triesOf);
  await stage.push(update(2));
  await stage.push(update(3));

  expect(before).toBe(1);
  expect(await stage.metric(triesOf)).toBe(1);
  await release();
});
