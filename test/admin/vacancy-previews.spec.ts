import { AttentionService } from '../../src/attention';
import { DomainEvents } from '../../src/common/events';
import {
  AnswerStatsRepository,
  ConversationRepository,
  InterviewListRepository,
} from '../../src/interview';
import { RetentionService } from '../../src/privacy';
import { CalibrationRepository } from '../../src/scoring/calibration.repository';
import { lockScorable } from '../../src/scoring/scorable';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { type Colleague, colleague } from '../support/colleague';
import { bearer, makeKey, outcomeOf } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';
import { vacancyDraft } from '../support/vacancies';

const ADMIN = bearer({ token: ADMIN_TOKEN });
const DAY_MS = 24 * 3_600_000;

/** One question, so that one answer ends the interview. */
function shortVacancy() {
  const { plan, ...vacancy } = vacancyDraft();
  return { ...vacancy, plan: { ...plan, questions: plan.questions.slice(0, 1) } };
}

let app: TestApp;
let recruiter: Colleague;

async function start(): Promise<void> {
  app = await startTestApp({
    clock: 'fake',
    env: { ADMIN_TOKEN },
    notion: true,
    telegram: true,
    vacancy: shortVacancy(),
  });
  await app.stopSweeps();
  recruiter = await colleague(app, { name: 'Nora Lindqvist', role: 'recruiter' });
}

beforeAll(start);

afterAll(() => app.close());

interface Preview {
  readonly link: string;
  readonly expiresAt: string;
}

async function openPreview(by = recruiter): Promise<Preview> {
  const response = await by.request('POST', `/api/v1/vacancies/${app.vacancy.slug}/preview`);
  expect(response.status).toBe(201);
  return (await response.json()) as Preview;
}

function tokenIn({ link }: Preview): string {
  return link.split('/').at(-1) ?? '';
}

async function agree(candidate: TestCandidate): Promise<TestCandidate> {
  const { disclosure } = await candidate.view();
  await candidate.post('consent', { version: disclosure.version, accepted: true });
  await candidate.post('profile', { name: 'Ada', contact: 'ada@example.org' });
  return candidate;
}

/** Answers the only question. */
async function finish(candidate: TestCandidate): Promise<void> {
  await candidate.send('m1', 'A rye bread, with a sourdough that I have kept for nine years.');
  await app.until('the interview is finished', async () => {
    return (await candidate.view()).status === 'completed';
  });
  await app.settle();
}

test('a recruiter gets a link that opens the interview as a candidate reads it, told as a preview', async () => {
  const preview = await openPreview();
  const shown = await fetch(`${app.url}/api/v1/invites/${tokenIn(preview)}`);

  const invite = (await shown.json()) as object;
  const candidate = await TestCandidate.arrive(app, tokenIn(preview));
  const view = await candidate.view();

  expect(invite).toMatchObject({ state: 'open', isPreview: true, disclosure: null });
  expect(view).toMatchObject({ status: 'new', isPreview: true, telegram: false });
  const again = await fetch(`${app.url}/api/v1/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ invite: tokenIn(preview) }),
  });
  expect(await outcomeOf(again)).toBe('410 continuation_used');
  await agree(candidate);
  await finish(candidate);
  const ordinary = await TestCandidate.begin(app);
  expect(await ordinary.view()).toMatchObject({ isPreview: false, telegram: true });
  expect(await outcomeOf(await candidate.post('continuation'))).toBe('409 channel_off');
  expect((await ordinary.post('continuation')).status).toBe(201);
});

test('a closed vacancy can be looked at, while nobody else begins its interview', async () => {
  const { slug, openToken } = await app.addVacancy({ slug: 'closed' });
  await recruiter.request('POST', `/api/v1/vacancies/${slug}/close`, { body: {} });
  const opened = await recruiter.request('POST', `/api/v1/vacancies/${slug}/preview`);

  const candidate = await TestCandidate.arrive(app, tokenIn((await opened.json()) as Preview));
  await agree(candidate);

  expect(await candidate.view()).toMatchObject({ status: 'active' });
  await expect(TestCandidate.arrive(app, openToken)).rejects.toThrow('410');
});

test('a preview is for people: no key and no token begins one, and it is in the audit', async () => {
  const place = `/api/v1/vacancies/${app.vacancy.slug}/preview`;
  const open = (headers: Readonly<Record<string, string>>) =>
    fetch(app.url + place, { method: 'POST', headers });
  const viewer = await colleague(app, { name: 'Vera', role: 'viewer' });

  expect(await outcomeOf(await open(bearer(await makeKey(app))))).toBe('403 scope_missing');
  expect(await outcomeOf(await open(ADMIN))).toBe('403 scope_missing');
  expect(await outcomeOf(await viewer.request('POST', place))).toBe('403 scope_missing');
  const { count } = await app.one<{ count: number }>(
    `select count(*)::int as count from audit_event
     where actor = 'user Nora Lindqvist' and action = 'vacancy.preview'`,
  );
  expect(count).toBeGreaterThan(0);
});

describe('beside an ordinary interview with the same words', () => {
  let finished: { real: string; preview: string };
  let handedOver: { real: string; preview: string };
  const published: string[] = [];

  beforeAll(async () => {
    // Nobody else is in the figures.
    await app.close();
    await start();
    const events = app.get(DomainEvents);
    const publish = events.publish.bind(events);
    jest.spyOn(events, 'publish').mockImplementation((tx, name, payload) => {
      if (name === 'interview.finished') published.push(JSON.stringify(payload));
      return publish(tx, name, payload);
    });
    const [real, preview, asking, askingPreview] = [
      await TestCandidate.begin(app),
      await agree(await TestCandidate.arrive(app, tokenIn(await openPreview()))),
      await TestCandidate.begin(app),
      await agree(await TestCandidate.arrive(app, tokenIn(await openPreview()))),
    ];
    for (const candidate of [real, preview]) await finish(candidate);
    for (const candidate of [asking, askingPreview]) await candidate.post('human');
    await app.settle();
    finished = { real: real.conversationId, preview: preview.conversationId };
    handedOver = { real: asking.conversationId, preview: askingPreview.conversationId };
  });

  async function getJson(path: string): Promise<string> {
    const response = await fetch(app.url + path, { headers: ADMIN });
    return `${String(response.status)} ${await response.text()}`;
  }

  /** Each place of the product that lists or counts interviews: what it has of the two pairs. */
  const PLACES: readonly (readonly [place: string, read: () => Promise<unknown>])[] = [
    ['the list of interviews', () => getJson('/api/v1/interviews')],
    [
      'an interview that is read by its id',
      async () => [
        await getJson(`/api/v1/interviews/${finished.real}`),
        (await getJson(`/api/v1/interviews/${finished.preview}`)).slice(0, 3),
      ],
    ],
    [
      'a transcript that is read by its id',
      async () => [
        finished.real,
        (await getJson(`/api/v1/admin/conversations/${finished.preview}/transcript`)).slice(0, 3),
      ],
    ],
    ['the attention list', () => getJson('/api/v1/admin/attention')],
    [
      'the attention list of the command line',
      () => app.commit((tx) => app.get(AttentionService).list(tx)),
    ],
    [
      'the last interviews of the command line',
      () => app.commit((tx) => app.get(ConversationRepository).latest(tx, 50)),
    ],
    [
      'the interviews of a vacancy on the command line',
      () =>
        app.commit((tx) => app.get(ConversationRepository).listOfVacancy(tx, app.vacancy.id, 50)),
    ],
    [
      'the interviews that people and a model are compared on',
      () =>
        app.commit((tx) =>
          new CalibrationRepository(app.realOrFakeClock).interviews(tx, app.vacancy.id),
        ),
    ],
    ['what finishes for Notion and the scoring', () => Promise.resolve(published)],
    ['pages in Notion', () => app.sql('select conversation_id from notion_review')],
  ];

  test.each(PLACES)('%s has the ordinary one and not the preview', async (_place, read) => {
    const text = JSON.stringify(await read());

    expect([finished.real, handedOver.real].some((id) => text.includes(id))).toBe(true);
    expect([finished.preview, handedOver.preview].filter((id) => text.includes(id))).toEqual([]);
  });

  /** The same for figures: each has what one pair of ordinary interviews has. */
  const FIGURES: readonly (readonly [figure: string, read: () => Promise<unknown>, is: unknown])[] =
    [
      [
        'the counts of vacancies',
        () =>
          app.commit(async (tx) =>
            Object.fromEntries(await app.get(InterviewListRepository).countByVacancy(tx, null)),
          ),
        { vacancy: { running: 0, waiting: 1, finished: 1 } },
      ],
      [
        'the funnel of the metrics',
        () => app.commit((tx) => app.get(ConversationRepository).countStages(tx)),
        {
          ...{ opened: 2, consented: 2, first_answer: 1, finished: 1 },
          ...{ handed_over: 1, withdrawn: 0, expired: 0 },
        },
      ],
    ];

  test.each(FIGURES)('%s leave previews out', async (_figure, read, is) => {
    const found = JSON.stringify(await read()).replaceAll(app.vacancy.id, 'vacancy');

    expect(JSON.parse(found)).toEqual(is);
  });

  test('statistics of answers leave previews out', async () => {
    const filter = { vacancyId: null, channel: null, days: 30, timeZone: 'UTC' };

    const [all] = await app.commit((tx) => app.get(AnswerStatsRepository).list(tx, filter));

    expect(all).toMatchObject({ answers: 1 });
  });

  test('a preview is never scored, also when somebody asks for it', async () => {
    const lock = (id: string) =>
      app.commit((tx) => lockScorable(tx, app.get(ConversationRepository), id));

    expect(await lock(finished.preview)).toBe('gone');
    expect(await lock(finished.real)).not.toBe('gone');
  });

  test('a person who is asked for in a preview is not looked for, and the interview goes on', async () => {
    const preview = await agree(await TestCandidate.arrive(app, tokenIn(await openPreview())));
    await preview.post('human');

    await preview.post('resume');
    await finish(preview);

    const open = await app.commit((tx) => app.get(AttentionService).list(tx));
    expect(open.map(({ conversationId }) => conversationId)).toEqual([handedOver.real]);
  });

  test('nobody is reminded in a preview, and it does not expire as a candidate’s', async () => {
    const silent = await TestCandidate.begin(app);
    const preview = await agree(await TestCandidate.arrive(app, tokenIn(await openPreview())));
    const remindersOf = async ({ conversationId }: TestCandidate) =>
      (
        await app.sql(
          `select from message where conversation_id = $1 and external_id like 'reminder:%'`,
          [conversationId],
        )
      ).length;

    for (let days = 0; days < 3; days += 1) await app.pass(DAY_MS);

    expect([(await remindersOf(silent)) > 0, await remindersOf(preview)]).toEqual([true, 0]);
  });

  test('retention deletes previews after a day, and nothing else', async () => {
    const due = await app.get(RetentionService).due();
    const before = due.find((rule) => rule.class === 'preview');
    // The session of the first one has ended in these days.
    const later = await colleague(app, { name: 'Bo', role: 'recruiter' });
    const fresh = await TestCandidate.arrive(app, tokenIn(await openPreview(later)));

    await app.get(RetentionService).run();

    const left = await app.sql<{ id: string; isPreview: boolean }>(
      'select id, is_preview as "isPreview" from conversation order by id',
    );
    expect(before?.count).toBeGreaterThan(2);
    expect(left.filter(({ isPreview }) => isPreview)).toEqual([
      { id: fresh.conversationId, isPreview: true },
    ]);
    expect(left.map(({ id }) => id)).toEqual(
      expect.arrayContaining([finished.real, handedOver.real]),
    );
  });
});
