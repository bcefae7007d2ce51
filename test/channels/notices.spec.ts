import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseVacancy, NOTICE_CODES, type NoticeCode, type Vacancy } from '../../src/vacancies';
import { VacancyRepository } from '../../src/vacancies';
import { telegramTextsOf } from '../../src/channels/telegram/texts/texts';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate, type View } from '../support/candidate';
import { BOT, EN, newPerson } from './telegram/telegram-person';

const EXAMPLES = path.join(__dirname, '../../examples');
const FILES = readdirSync(EXAMPLES).filter((name) => name.endsWith('.yaml'));
const LAW: Readonly<Record<NoticeCode, string>> = { 'us-co': 'SB 26-189', 'us-ca': 'CCPA' };
const CASES = FILES.flatMap((file) => NOTICE_CODES.map((code) => [file, code] as const));

interface Shown extends View {
  readonly disclosure: { readonly version: string; readonly text: string };
}

/** Both examples, switched to a notice by a line in their file. */
describe('before the first question', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ ...BOT, model: true, env: { SCORING: 'true' } });
  });

  afterAll(async () => {
    expect(app.telegram.journal.violations).toEqual([]);
    await app.close();
  });

  /** The example with these notices and with its own slug. */
  async function switchTo(file: string, notices: readonly string[]): Promise<Vacancy> {
    const source = readFileSync(path.join(EXAMPLES, file), 'utf8').replace(/^logo: .*$/m, '');
    const line = notices.length === 0 ? '' : `notices: [${notices.join(', ')}]\n`;
    const { logo: _, ...draft } = parseVacancy(`${line}${source}`, file);
    const { vacancy } = await app.commit((tx) => app.get(VacancyRepository).upsert(tx, draft));
    return vacancy;
  }

  async function consentOf(conversationId: string | null): Promise<string | null> {
    const { version } = await app.one<{ version: string | null }>(
      'select consent_version as version from conversation where id = $1 and consent_accepted',
      [conversationId],
    );
    return version;
  }

  async function shown(candidate: TestCandidate): Promise<Shown> {
    return (await candidate.view()) as Shown;
  }

  function agree(candidate: TestCandidate, version: string): Promise<Response> {
    return candidate.post('consent', { version, accepted: true });
  }

  test.each(CASES)(
    'the page shows the notice of %s switched to %s, and no model gets anything',
    async (file, code) => {
      const vacancy = await switchTo(file, [code]);
      const asked = app.model.requests.length;
      const candidate = await TestCandidate.arrive(app, vacancy.openToken);

      const { disclosure, messages } = await shown(candidate);
      expect(disclosure.text).toContain(LAW[code]);
      expect(messages).toEqual([]);
      const early = await candidate.post('messages', { id: 'early', text: 'I am here.' });
      expect(early.ok).toBe(false);
      await app.settle();
      expect(app.model.requests).toHaveLength(asked);

      expect((await agree(candidate, disclosure.version)).ok).toBe(true);
      await candidate.post('profile', { name: 'Ada', contact: 'ada@example.org' });
      expect(await consentOf(candidate.conversationId)).toBe(`2026-11-rating+${code}.2026-11`);
      expect((await shown(candidate)).messages).not.toEqual([]);
    },
  );

  test.each(CASES)(
    'Telegram shows the notice of %s switched to %s, and no model gets anything',
    async (file, code) => {
      const vacancy = await switchTo(file, [code]);
      const asked = app.model.requests.length;
      const person = newPerson(app);

      await person.starts(vacancy.openToken);
      expect(person.heard).toEqual([expect.stringContaining(LAW[code])]);
      await person.writes('I am here.');
      await app.settle();
      expect(person.heard[1]).toBe(telegramTextsOf(vacancy.language).consentFirst);
      expect(app.model.requests).toHaveLength(asked);

      await person.agrees();
      expect(await consentOf(await person.conversationId())).toBe(`2026-11-rating+${code}.2026-11`);
      expect(person.lastHeard).toBe(vacancy.plan.questions[0]?.text);
    },
  );

  test('Telegram takes the consent to both notices at once', async () => {
    const vacancy = await switchTo('backend-engineer.en.yaml', NOTICE_CODES);
    const person = newPerson(app);
    await person.starts(vacancy.openToken);

    await person.agrees();

    expect(await consentOf(await person.conversationId())).toBe(
      '2026-11-rating+us-co.2026-11+us-ca.2026-11',
    );
  });

  test('a notice that comes before the consent is shown first, on the page', async () => {
    const before = await switchTo('backend-engineer.en.yaml', []);
    const candidate = await TestCandidate.arrive(app, before.openToken);
    const { disclosure: old } = await shown(candidate);
    await switchTo('backend-engineer.en.yaml', ['us-co']);

    const refused = await agree(candidate, old.version);

    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ code: 'disclosure_outdated' });
    expect((await shown(candidate)).disclosure.text).toContain(LAW['us-co']);
  });

  test('a notice that comes before the consent is shown first, in Telegram', async () => {
    const before = await switchTo('backend-engineer.en.yaml', ['us-ca']);
    const person = newPerson(app);
    await person.starts(before.openToken);
    await switchTo('backend-engineer.en.yaml', ['us-co']);
    const old = person.idOf(LAW['us-ca']);

    await person.presses(EN.agreeButton, old);

    expect(person.lastHeard).toContain(LAW['us-co']);
    expect((await person.conversation()).status).toBe('new');
  });

  test('what a candidate agreed to stays when the notices of the vacancy change', async () => {
    const before = await switchTo('backend-engineer.en.yaml', ['us-co']);
    const candidate = await TestCandidate.begin({ url: app.url, vacancy: before });
    const agreed = await consentOf(candidate.conversationId);

    const after = await switchTo('backend-engineer.en.yaml', ['us-ca']);

    expect(agreed).toBe('2026-11-rating+us-co.2026-11');
    expect(await consentOf(candidate.conversationId)).toBe(agreed);
    expect(after.notices).toEqual(['us-ca']);
    expect((await shown(candidate)).status).toBe('active');
  });

  test('a candidate who comes back from another browser agrees to the notice in force', async () => {
    const before = await switchTo('backend-engineer.en.yaml', ['us-co']);
    const person = newPerson(app);
    await person.starts(before.openToken);
    await person.agrees();
    const id = await person.conversationId();
    await switchTo('backend-engineer.en.yaml', ['us-co', 'us-ca']);
    await person.writes('/web');
    const link = /\/i\/([\w-]+)/.exec(person.lastHeard)?.[1] ?? '';

    const candidate = await TestCandidate.claim(app, link);

    expect(candidate.conversationId).toBe(id);
    expect(await consentOf(id)).toBe('2026-11-rating+us-co.2026-11+us-ca.2026-11');
  });
});
