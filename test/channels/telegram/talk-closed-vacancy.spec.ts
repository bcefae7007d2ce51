import { telegramTextsOf } from '../../../src/channels/telegram/texts/texts';
import { VacancyRepository } from '../../../src/vacancies';
import { vacancyDraft } from '../../support/vacancies';
import { type TestApp, startTestApp } from '../../support/app';
import { BOT, EN, invite, newPerson } from './telegram-person';

/** `colloquy vacancy close`, as people in Telegram meet it. */

describe('a closed vacancy', () => {
  let app: TestApp;
  let slug: string;
  let vacancyId: string;
  let openToken: string;
  let count = 0;
  const CLOSED = EN.vacancyClosed('Thatcher, Straw & Sons');

  beforeAll(async () => {
    app = await startTestApp(BOT);
  });

  beforeEach(async () => {
    slug = `thatcher-${String((count += 1))}`;
    const draft = vacancyDraft({ slug, title: 'Thatcher', company: 'Straw & Sons' });
    const { vacancy } = await app.commit((tx) => app.get(VacancyRepository).upsert(tx, draft));
    ({ id: vacancyId, openToken } = vacancy);
  });

  afterEach(() => setClosed());

  afterAll(async () => {
    expect(app.telegram.journal.violations).toEqual([]);
    await app.close();
  });

  function setClosed(): Promise<unknown> {
    return app.commit((tx) => app.get(VacancyRepository).setClosed(tx, slug, true));
  }

  test.each(['en', 'ru'] as const)('says so to its links, and begins nothing (%s)', async (of) => {
    const { token } = await invite(app, { vacancyId });
    await setClosed();

    for (const payload of [openToken, token]) {
      const ada = newPerson(app, { language_code: of });
      await ada.starts(payload);
      expect(ada.heard).toEqual([telegramTextsOf(of).vacancyClosed('Thatcher, Straw & Sons')]);
      expect(await ada.conversationId()).toBeNull();
    }
  });

  test('says so to the PIN of an invitation, which is not counted as wrong', async () => {
    const { pin } = await invite(app, { vacancyId });
    await setClosed();
    const ada = newPerson(app);

    for (let n = 0; n < 12; n += 1) await ada.writes(pin);

    expect(ada.heard).toEqual(Array.from({ length: 12 }, () => CLOSED));
    expect(await ada.conversationId()).toBeNull();
  });

  test('says so to an invited user name at /start; its words are searched for', async () => {
    await invite(app, { vacancyId, telegramUsername: 'straw_ada' });
    await setClosed();
    const ada = newPerson(app, { username: 'straw_ada' });

    await ada.starts();
    await ada.writes('crumb');

    expect(ada.heard).toEqual([CLOSED, EN.vacanciesAtFirst]);
  });

  test('an open invitation of the user name goes before one to a closed vacancy', async () => {
    await invite(app, { telegramUsername: 'straw_bob' });
    await invite(app, { vacancyId, telegramUsername: 'straw_bob' });
    await setClosed();
    const bob = newPerson(app, { username: 'straw_bob' });

    await bob.starts();

    expect(bob.heard).toEqual([expect.stringContaining('script of Crumb')]);
  });

  test('is found by no search, and the button of an earlier search says so', async () => {
    const ada = newPerson(app);
    await ada.writes('thatcher');
    await setClosed();

    await ada.presses('Thatcher, Straw & Sons');
    await ada.writes('thatcher');

    expect(ada.heard).toEqual([EN.vacanciesAtFirst, CLOSED, EN.noVacancyAtFirst]);
  });

  test('refuses who has opened the link before and presses "I agree" afterwards; they may decline', async () => {
    const ada = newPerson(app);
    await ada.starts(openToken);
    await setClosed();
    ada.forgetsTheChat();

    await ada.agrees();
    await ada.writes('Hello?');
    await ada.starts(openToken);

    expect(ada.heard).toEqual([CLOSED, CLOSED, CLOSED]);
    expect(await ada.conversation()).toMatchObject({ status: 'new' });
    await ada.declines();
    expect(await ada.conversation()).toMatchObject({ status: 'declined' });
  });

  test('refuses who was asked whether the interview is theirs and says yes afterwards', async () => {
    const { token } = await invite(app, { vacancyId });
    const ada = newPerson(app);
    await ada.starts(token);
    const again = await invite(app, {
      vacancyId,
      candidateId: (
        await app.one<{ id: string }>('select candidate_id as id from conversation where id = $1', [
          await ada.conversationId(),
        ])
      ).id,
    });
    const bob = newPerson(app);
    await bob.starts(again.token);
    expect(bob.chat.messages.at(-1)?.buttons.flat()).toContain(EN.mineButton);
    await setClosed();
    bob.forgetsTheChat();

    await bob.presses(EN.mineButton);

    expect(bob.heard).toEqual([CLOSED]);
    expect(await bob.conversationId()).toBeNull();
  });

  test('refuses who says that an earlier interview is theirs, when the vacancy has closed meanwhile', async () => {
    const ada = newPerson(app);
    await ada.starts(app.vacancy.openToken);
    await ada.agrees();
    const { token } = await invite(app, { vacancyId });
    await ada.starts(token);
    await setClosed();
    ada.forgetsTheChat();

    await ada.presses(EN.joinButton);

    expect(ada.heard).toEqual([CLOSED]);
  });

  test('lets who has agreed go on: messages, the link, a reminder', async () => {
    const { token } = await invite(app, { vacancyId });
    const ada = newPerson(app);
    await ada.starts(token);
    await ada.agrees();
    await setClosed();
    ada.forgetsTheChat();

    await ada.starts(token);
    await ada.writes('I thatched a barn.');
    await app.pass(60_000);

    expect(ada.heard.slice(0, 2)).toEqual([EN.welcomeBack, 'What did you bake last?']);
    expect(ada.heard.length).toBeGreaterThan(2);
    expect(await ada.conversation()).toMatchObject({ status: 'active', interviewStep: 1 });
    ada.forgetsTheChat();
    await app.pass(3 * 24 * 3_600_000);
    expect(ada.heard.length).toBeGreaterThan(0);
  });
});
