import { telegramTextsOf } from '../../../src/channels/telegram/texts/texts';
import { type TestApp, startTestApp } from '../../support/app';
import { vacancyDraft } from '../../support/vacancies';
import { BOT, invite, newPerson } from './telegram-person';

/** The caps of open links, in Telegram; their rules are in test/channels/web/open-link-limits.spec.ts. */
describe.each(['en', 'ru'] as const)('a vacancy’s open link in Telegram (%s)', (language) => {
  const texts = telegramTextsOf(language);
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({
      ...BOT,
      vacancy: vacancyDraft({ language }),
      env: { OPEN_LINK_INTERVIEWS_PER_DAY: '1' },
    });
  });

  afterAll(() => app.close());

  test('that is full says so, stores nothing, and goes on with what has begun', async () => {
    const first = newPerson(app);
    await first.starts(app.vacancy.openToken);
    await first.agrees();
    const late = newPerson(app, { language_code: language });

    await late.starts(app.vacancy.openToken);

    expect(late.lastHeard).toBe(texts.openLinkFull);
    await first.writes('I bake rye.');
    expect(await first.said()).toContain('I bake rye.');
    await first.starts(app.vacancy.openToken);
    expect(first.heard).not.toContain(texts.openLinkFull);
    const [row] = await app.sql<{ count: number }>('select count(*)::int as count from candidate');
    expect(row?.count).toBe(1);
  });

  test('is full for no personal invitation', async () => {
    const { token } = await invite(app);
    const invited = newPerson(app);

    await invited.starts(token);

    expect(invited.heard.join()).not.toContain(texts.openLinkFull);
    expect(invited.heard.join()).toContain('Crumb');
  });
});
