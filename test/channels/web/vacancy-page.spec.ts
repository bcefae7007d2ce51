import { createHash } from 'node:crypto';
import { VacancyRepository } from '../../../src/vacancies';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { FakeClock } from '../../../tools/support/fake-clock';
import { vacancyDraft } from '../../support/vacancies';

/** What a link and a conversation say about the company, the interview and the reply. */

const SCRIPT = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const content = Buffer.from(SCRIPT);
const hash = createHash('sha256').update(content).digest('hex');

const BRANDED = vacancyDraft({
  slug: 'branded',
  owner: { name: 'Nora Lindqvist' },
  accent: { light: '#0b4f8a', dark: '#8cc7f2' },
  logoFile: { name: 'logo.svg', mediaType: 'image/svg+xml', hash, content },
  plan: { ...vacancyDraft().plan, minutes: 12, replyWithinDays: 5 },
});

describe('the page of a vacancy', () => {
  let app: TestApp;
  let openToken: string;

  beforeAll(async () => {
    app = await startTestApp({ clock: new FakeClock(), isWorking: false });
    const stored = await app.commit((tx) => app.get(VacancyRepository).upsert(tx, BRANDED));
    openToken = stored.vacancy.openToken;
  });

  afterAll(() => app.close());

  const about = {
    brand: { logo: `/logos/${hash}`, accent: { light: '#0b4f8a', dark: '#8cc7f2' } },
    questions: 3,
    minutes: 12,
  };

  async function invite(token: string): Promise<unknown> {
    return (await fetch(`${app.url}/api/v1/invites/${token}`)).json();
  }

  test('has a logo, a colour, and how long the interview is', async () => {
    expect(await invite(openToken)).toMatchObject(about);
  });

  test('has no logo, no colour and an estimated duration where its file says nothing', async () => {
    expect(await invite(app.vacancy.openToken)).toMatchObject({
      brand: { logo: null, accent: null },
      questions: 3,
      minutes: 5,
    });
  });

  test('says in the conversation as well what was asked and who replies within how many days', async () => {
    const candidate = await TestCandidate.begin({ url: app.url, vacancy: { openToken } });

    const view = await candidate.view();

    expect(view).toMatchObject({
      ...about,
      asked: [{ id: 'last', text: 'What did you bake last?' }],
      reply: { from: 'Nora Lindqvist', withinDays: 5, by: null },
    });
  });

  test('names no question before the interview has begun', async () => {
    const candidate = await TestCandidate.arrive({ url: app.url, vacancy: { openToken } });

    expect(await candidate.view()).toMatchObject({ asked: [] });
    await candidate.post('human');
    expect(await candidate.view()).toMatchObject({ status: 'handed_over', asked: [] });
  });

  test('serves its logo for a year, and no script in it can run', async () => {
    const response = await fetch(`${app.url}/logos/${hash}`);

    expect(response.status).toBe(200);
    expect(await response.text()).toBe(SCRIPT);
    const { headers } = response;
    expect(headers.get('content-type')).toBe('image/svg+xml');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    );
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });

  test.each(['0'.repeat(64), 'x', '%2e%2e', "'"])('knows no logo %s', async (name) => {
    const response = await fetch(`${app.url}/logos/${name}`);

    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
  });
});
