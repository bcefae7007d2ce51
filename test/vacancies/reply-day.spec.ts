import { MetadataService } from '../../src/interview';
import { replyDayOf, type VacancyOwner } from '../../src/vacancies';
import type { TestApp } from '../support/app';
import { vacancyDraft } from '../support/vacancies';
import { closeInterviews, pause, startInterviews, words } from '../interview/interviews';
import { newCandidate } from '../interview/interviewee';

/** The day by which a reply is promised to a candidate who has finished. */

async function dayOf(
  completedAt: string,
  { days = 5, ...owner }: Partial<VacancyOwner> & { days?: number } = {},
): Promise<string | null> {
  const plan = { ...vacancyDraft().plan, replyWithinDays: days };
  return (await replyDayOf(plan, { name: 'Ada', ...owner }))(new Date(completedAt));
}

describe('business days', () => {
  test.each([
    ['a Friday', '2026-11-20T10:00:00Z', '2026-11-27'],
    ['a Saturday', '2026-11-21T10:00:00Z', '2026-11-27'],
    ['a Wednesday', '2026-11-25T23:59:00Z', '2026-12-02'],
  ])('are counted from the day after %s, without weekends', async (_, at, expected) => {
    expect(await dayOf(at)).toBe(expected);
  });

  test('leave out the public holidays of the country of the owner', async () => {
    const beforeChristmas = '2026-12-23T10:00:00Z';

    expect(await dayOf(beforeChristmas, { days: 2 })).toBe('2026-12-25');
    expect(await dayOf(beforeChristmas, { days: 2, country: 'DE' })).toBe('2026-12-28');
  });

  test('begin and end in the time zone of the owner', async () => {
    const at = '2026-11-23T20:00:00Z';

    expect(await dayOf(at, { days: 1 })).toBe('2026-11-24');
    expect(await dayOf(at, { days: 1, timeZone: 'Asia/Vladivostok' })).toBe('2026-11-25');
  });

  test('are Monday to Friday in a country whose holidays are not known', async () => {
    expect(await dayOf('2026-11-20T10:00:00Z', { country: 'AQ' })).toBe('2026-11-27');
  });
});

describe('a finished interview', () => {
  let app: TestApp;
  beforeAll(async () => {
    const { plan } = vacancyDraft();
    app = await startInterviews({
      env: { OPENAI_API_KEY: '' },
      vacancy: vacancyDraft({ plan: { ...plan, replyWithinDays: 5 } }),
    });
  });
  afterAll(() => closeInterviews(app));

  test('keeps the day that was promised when it ended', async () => {
    const candidate = await newCandidate(app);
    for (const _ of app.vacancy.plan.questions) await candidate.answer(words());
    const { metadata } = await candidate.state();
    const completedAt = String(metadata['completedAt']);
    pause(app, 9 * 86_400_000);

    await candidate.answer(words('an addition'));

    const after = (await candidate.state()).metadata;
    expect(metadata['replyBy']).toBe(await dayOf(completedAt));
    expect(after['replyBy']).toBe(metadata['replyBy']);
    const known = await app.commit((tx) => app.get(MetadataService).read(tx, candidate.id));
    expect(known.replyBy).toBe(metadata['replyBy']);
  });
});
