import { telegramTextsOf } from '../../../src/channels/telegram/texts/texts';
import { newId } from '../../../src/common/ids';
import { VacancyRepository } from '../../../src/vacancies';
import type { Press } from '../../../tools/fake-telegram/state/telegram-state';
import { vacancyDraft } from '../../support/vacancies';
import { type TestApp, startTestApp } from '../../support/app';
import { EN, type Person, BOT, begunPerson, invite, newPerson } from './telegram-person';

const DAY_MS = 24 * 3_600_000;
const QUESTION = 'What did you bake last?';

describe('finding the interview', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(BOT);
  });

  afterAll(async () => {
    expect(app.telegram.journal.violations).toEqual([]);
    await app.close();
  });

  async function metadataOf(person: Person): Promise<Record<string, unknown>> {
    return (await person.conversation()).metadata;
  }

  describe('by a link', () => {
    test('of an invitation shows the disclosure, and after consent the greeting and the first question', async () => {
      const { token } = await invite(app, { name: 'Ada' });
      const ada = newPerson(app);

      await ada.starts(token);
      expect(ada.heard).toEqual([expect.stringContaining('script of Crumb')]);
      await ada.agrees();

      expect(ada.heard.slice(1)).toEqual(['Hello and welcome.', QUESTION]);
      expect(ada.chat.notices.map(({ text }) => text)).toEqual([EN.agreed]);
      expect(await metadataOf(ada)).toMatchObject({ identifiedBy: 'link', awaitingPin: false });
    });

    test('of an invitation belongs to the first account; another account is refused', async () => {
      const { token } = await invite(app);
      await newPerson(app).starts(token);
      const mallory = newPerson(app);

      await mallory.starts(token);

      expect(mallory.heard).toEqual([EN.linkTaken]);
      expect(await mallory.conversationId()).toBeNull();
    });

    test('opened twice by the same account leads back to the same interview', async () => {
      const { token } = await invite(app);
      const ada = newPerson(app);
      await ada.starts(token);
      await ada.agrees();
      const before = await ada.conversationId();
      ada.forgetsTheChat();

      await ada.starts(token);

      expect(ada.heard).toEqual([EN.welcomeBack, QUESTION]);
      expect(await ada.conversationId()).toBe(before);
    });

    test('that has expired is refused; a person in its interview continues', async () => {
      const { token } = await invite(app, {
        expiresAt: new Date(app.clock.now().getTime() + DAY_MS),
      });
      const ada = newPerson(app);
      await ada.starts(token);
      const late = newPerson(app);
      app.clock.advance(DAY_MS + 1000);

      await late.starts(token);
      await ada.starts(token);

      expect(late.heard).toEqual([EN.linkExpired]);
      expect(ada.lastHeard).toContain('script of Crumb');
    });

    test('that is issued again ends the old link and belongs to the account that opens it first', async () => {
      const first = await invite(app);
      const wrong = newPerson(app);
      await wrong.starts(first.token);
      const again = await invite(app, { candidateId: first.candidateId });
      const right = newPerson(app);

      await right.starts(first.token);
      await right.starts(again.token);
      await right.presses(EN.mineButton);

      expect(right.heard[0]).toBe(EN.linkExpired);
      expect(right.lastHeard).toBe(QUESTION);
      expect(await wrong.conversationId()).toBeNull();
    });

    test('that does not exist leads to the list of ways to begin', async () => {
      const ada = newPerson(app);

      await ada.starts('there-is-no-such-invitation');

      expect(ada.heard).toEqual([EN.linkUnknown, EN.waysIn.script]);
    });

    test('of a vacancy gives each person one interview, and leads back to it', async () => {
      const [ada, bob] = [await begunPerson(app), await begunPerson(app, { first_name: 'Bob' })];
      const before = await ada.conversationId();
      expect(await bob.conversationId()).not.toBe(before);

      await ada.starts(app.vacancy.openToken);

      expect(ada.heard).toEqual([EN.welcomeBack, QUESTION]);
      expect(await ada.conversationId()).toBe(before);
    });

    test('of a second vacancy, opened during an answer, does not keep its reply from reaching the chat', async () => {
      const vacancies = app.get(VacancyRepository);
      const draft = vacancyDraft({ slug: 'miller', title: 'Miller', company: 'Mill & Sons' });
      const { vacancy } = await app.commit((tx) => vacancies.upsert(tx, draft));
      const ada = await begunPerson(app);
      const baker = await ada.conversationId();
      await ada.writes('I bake rye.');

      await ada.starts(vacancy.openToken);
      expect(await ada.conversationId()).not.toBe(baker);
      ada.forgetsTheChat();
      await app.pass(60_000);

      const replies = await app.sql<{ text: string }>(
        `select text from message join turn on turn.reply_message_id = message.id
         where message.conversation_id = $1`,
        [baker],
      );
      expect(replies).toHaveLength(1);
      const heading = EN.notOpenHere({ title: 'Baker', company: 'Crumb', link: null });
      expect(ada.heard).toEqual(replies.map(({ text }) => `${heading}\n\n${text}`));
      const sent = await app.sql(
        `select delivery.channel, chat, state from delivery join message on message.id = message_id
         where message.conversation_id = $1 and delivery.turn_id is not null`,
        [baker],
      );
      expect(sent).toEqual([{ channel: 'telegram', chat: String(ada.id), state: 'sent' }]);
    });

    test('of a second vacancy gives one candidate two interviews, and each link leads to its own', async () => {
      const vacancies = app.get(VacancyRepository);
      const draft = vacancyDraft({ slug: 'miller', title: 'Miller', company: 'Mill & Sons' });
      const { vacancy } = await app.commit((tx) => vacancies.upsert(tx, draft));
      const ada = await begunPerson(app);
      const baker = await ada.conversationId();

      await ada.starts(vacancy.openToken);
      await ada.agrees();
      const miller = await ada.conversationId();
      await ada.writes('My first answer to the mill.');
      await ada.starts(app.vacancy.openToken);

      expect(miller).not.toBe(baker);
      expect(await ada.conversationId()).toBe(baker);
      expect(await ada.said()).toEqual([]);
      const people = await app.sql(
        'select distinct candidate_id from conversation where id = any($1)',
        [[baker, miller]],
      );
      expect(people).toHaveLength(1);
    });
  });

  describe('by a search', () => {
    /** The tables that have these words in a row. */
    async function tablesWith(words: string): Promise<string[]> {
      const tables = await app.sql<{ name: string }>(
        `select table_name as name from information_schema.tables
         where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
      );
      const found: string[] = [];
      for (const { name } of tables) {
        const rows = await app.sql(
          `select 1 from "${name}" t where to_jsonb(t)::text like '%' || $1 || '%' limit 1`,
          [words],
        );
        if (rows.length > 0) found.push(name);
      }
      expect(tables.length).toBeGreaterThan(20);
      return found;
    }

    async function atTheSearch(): Promise<Person> {
      const person = newPerson(app);
      await person.starts();
      await person.presses(EN.findVacancyButton);
      return person;
    }

    test('a chosen vacancy begins its interview, and the words of the search are not stored', async () => {
      const ada = await atTheSearch();
      expect(ada.lastHeard).toBe(EN.askVacancy);
      await ada.writes('bakers');
      expect(ada.lastHeard).toBe(EN.chooseVacancy);
      expect(await tablesWith('bakers')).toEqual([]);

      await ada.presses('Baker, Crumb');

      expect(ada.lastHeard).toContain('script of Crumb');
      expect(await metadataOf(ada)).toMatchObject({ identifiedBy: 'search' });
      expect(await tablesWith('bakers')).toEqual([]);
    });

    test('if nothing is found, the next words are searched for', async () => {
      const ada = await atTheSearch();
      await ada.writes('astronaut');
      expect(ada.lastHeard).toBe(EN.noVacancy);

      await ada.writes('crumb');

      expect(ada.lastHeard).toBe(EN.chooseVacancy);
    });

    test.each(['en', 'ru'] as const)(
      'the first words of a person without an interview are searched for (%s)',
      async (language_code) => {
        const texts = telegramTextsOf(language_code);
        const ada = newPerson(app, { language_code, username: `first_words_${language_code}` });

        await ada.writes('Somebody told me that Crumb needs a baker.');
        expect(ada.heard).toEqual([texts.vacanciesAtFirst]);
        expect(ada.chat.messages.at(-1)?.buttons).toEqual([
          ['Baker, Crumb'],
          [texts.havePinButton],
        ]);
        expect(await tablesWith('Somebody told me')).toEqual([]);
        await ada.presses('Baker, Crumb');

        expect(ada.lastHeard).toContain('script of Crumb');
        expect(await metadataOf(ada)).toMatchObject({ identifiedBy: 'search' });
      },
    );

    test.each(['en', 'ru'] as const)(
      'first words that match no vacancy are said to match none, and the next ones are searched for (%s)',
      async (language_code) => {
        const texts = telegramTextsOf(language_code);
        const ada = newPerson(app, { language_code });

        for (const words of ['Astronaut?', '👋', 'crumb']) await ada.writes(words);

        expect(ada.heard).toEqual([
          texts.noVacancyAtFirst,
          texts.waysIn.script,
          texts.vacanciesAtFirst,
        ]);
      },
    );

    test('at most five vacancies are listed', async () => {
      const vacancies = app.get(VacancyRepository);
      for (const town of ['Bath', 'Cork', 'Derby', 'Ely', 'Leeds', 'York']) {
        const draft = vacancyDraft({
          slug: `glazier-${town.toLowerCase()}`,
          title: `Glazier in ${town}`,
        });
        await app.commit((tx) => vacancies.upsert(tx, draft));
      }
      const [ada, bob] = [newPerson(app), await atTheSearch()];

      await ada.writes('glazier');
      await bob.writes('glazier');

      expect(ada.chat.messages.at(-1)?.buttons.flat()).toHaveLength(5 + 1);
      expect(bob.chat.messages.at(-1)?.buttons.flat()).toHaveLength(5);
    });

    test('words that PostgreSQL cannot store find nothing and cause no error', async () => {
      const ada = await atTheSearch();

      await ada.writes('astro\u0000naut \ud800');

      expect(ada.lastHeard).toBe(EN.noVacancy);
    });

    test('button data without a vacancy gets a reply and no error', async () => {
      const ada = await atTheSearch();
      const madeUp = ['vacancy:whatever', `vacancy:${newId()}`, 'vacancy:'];
      const presses: Press[] = [];
      ada.forgetsTheChat();

      for (const data of madeUp) {
        await ada.does((user) => presses.push(user.pressesWithData(data, ada.idOf(EN.askVacancy))));
      }

      expect(ada.heard).toEqual(madeUp.map(() => EN.noVacancy));
      expect(presses.map(({ answered }) => answered)).toEqual([true, true, true]);
      expect(await ada.conversationId()).toBeNull();
      const stuck = await app.sql(`select state from telegram_update where state <> 'handled'`);
      expect(stuck).toEqual([]);
    });

    test('the data of every button is at most 64 bytes', () => {
      const buttons = app.telegram.journal
        .calls('sendMessage')
        .flatMap(({ params }) => JSON.stringify(params).match(/"callback_data":"([^"]*)"/g) ?? []);
      expect(buttons.length).toBeGreaterThan(10);
      for (const button of buttons) {
        expect(Buffer.byteLength(button) - '"callback_data":""'.length).toBeLessThanOrEqual(64);
      }
    });
  });

  describe('by a user name', () => {
    test('that a recruiter has stored needs only /start', async () => {
      await invite(app, { telegramUsername: 'grace_h' });
      const grace = newPerson(app, { username: 'Grace_H' });

      await grace.starts();

      expect(grace.heard).toEqual([expect.stringContaining('script of Crumb')]);
      expect(await metadataOf(grace)).toMatchObject({ identifiedBy: 'username' });
    });

    test('whose invitation belongs to another account leads to the list of ways to begin', async () => {
      const { token } = await invite(app, { telegramUsername: 'joan_c' });
      await newPerson(app).starts(token);
      const joan = newPerson(app, { username: 'joan_c' });

      await joan.starts();

      expect(joan.heard).toEqual([EN.waysIn.script]);
    });
  });
});
