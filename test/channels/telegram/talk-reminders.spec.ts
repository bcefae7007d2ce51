import { textsOf } from '../../../src/interview/texts/texts';
import { type TestApp, startTestApp } from '../../support/app';
import { BOT, EN, RU, type Person, begunPerson } from './telegram-person';

const HOUR_MS = 3_600_000;

/** A person who does not answer for days. */
describe('silence', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ ...BOT, env: { INTERVIEW_TIME_ZONE: 'Asia/Tashkent' } });
  });

  afterAll(async () => {
    expect(app.telegram.journal.violations).toEqual([]);
    await app.close();
  });

  async function passDays(days: number): Promise<void> {
    let before = 0;
    for (let hours = 0; hours < days * 24; hours += 3) {
      before = polls();
      await app.pass(3 * HOUR_MS);
    }
    // A jump in time breaks off the open poll, and the next one comes up to half a minute later.
    await app.until('Telegram is polled again', () => {
      app.clock.advance(500);
      return polls() > before;
    });
  }

  test.each(['en', 'ru'] as const)(
    'is met by reminders in the chat, and after the end a message gets a kind reply (%s)',
    async (language) => {
      const own = language === 'en' ? EN : RU;
      const texts = textsOf(language);
      const ada = await begunPerson(app);
      await ada.writes('/language');
      await ada.presses(language === 'ru' ? 'Русский' : 'English');
      ada.forgetsTheChat();

      await passDays(2);
      expect(ada.heard).toEqual([`${texts.reminder}\n\nWhat did you bake last?`]);
      await passDays(7);

      expect(ada.heard).toHaveLength(2);
      // It began on the 2nd or, in the second test, the 11th of March: a wait of one day, of two, and of four.
      const until = language === 'ru' ? '18 марта' : '9 March';
      expect(ada.lastHeard).toBe(`${texts.lastReminder(until)}\n\nWhat did you bake last?`);
      expect((await ada.conversation()).status).toBe('expired');
      await ada.writes('/status');
      expect(ada.lastHeard).toBe(own.expired);
      await ada.writes(language === 'ru' ? 'Извините, был занят на работе.' : 'Sorry, I was busy.');
      await app.pass(15_000);
      expect(ada.lastHeard).toBe(texts.endedBySilence);
    },
  );

  test('of somebody who blocked the bot gets no reminder until the unblock', async () => {
    const ada = await begunPerson(app);
    await ada.does((user) => {
      user.blocks();
    });
    const before = sends(ada);
    await passDays(9);
    expect(sends(ada)).toBe(before);
    expect((await ada.conversation()).status).toBe('active');

    await ada.does((user) => {
      user.unblocks();
    });
    await passDays(2);

    expect(ada.heard).toHaveLength(1);
  });

  function polls(): number {
    return app.telegram.journal.calls('getUpdates').length;
  }

  function sends(person: Person): number {
    const calls = app.telegram.journal.calls('sendMessage');
    return calls.filter(({ params }) => params.chat_id === person.id).length;
  }
});
