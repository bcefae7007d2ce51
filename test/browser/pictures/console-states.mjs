/** The screens of the console, as the first admin of a team sees them. All pictures end with the screen. */

const place = (address, ready) => async (scene) => {
  const { page, base } = scene;
  await page.goto(`${base}/console/${typeof address === 'string' ? address : address(scene)}`);
  await page.locator(ready).first().waitFor();
};

/** What code does with the page after it is there. */
const then = (open, more) => async (scene) => {
  await open(scene);
  await more(scene);
};

/** Its top stands at a third of the window. */
const show = (locator) =>
  locator.evaluate((element) => {
    const { top } = element.getBoundingClientRect();
    window.scrollTo(0, window.scrollY + top - window.innerHeight / 3);
  });

const interview = (who) => place(({ ids }) => `interviews/${ids[who]}`, '[data-stop]');
const item = (which) => place(({ items }) => `inbox/${items[which]}`, '.talk-line');

/** A rubric that is proven, which no rubric of a test is: the server would show its scores like this. */
async function withScores({ page, ids }) {
  await page.route(`**/interviews/${ids.compared}/scorecard`, async (route) => {
    const ratings = await page.request.get(route.request().url().replace('scorecard', 'ratings'));
    const { questions } = await ratings.json();
    const scored = questions.filter(({ criteria }) => criteria.length > 1);
    const scoring = {
      ...{ id: 'a-scoring', state: 'done', startedAt: MOMENT, endedAt: MOMENT },
      questions: scored.map(({ id, criteria, evidence }) => ({
        id,
        facts: [],
        criteria: criteria.map(({ name, weight }, at) => ({
          ...{ name, weight, result: 'supported', mark: 4 - at, quotes: evidence },
          isDisputed: false,
        })),
      })),
      ...{ inShadow: [], unrated: [], overall: 3.6 },
    };
    await route.fulfill({ json: { scorings: [scoring] } });
  });
}

const MOMENT = '2026-11-24T10:20:00.000Z';

/** Nobody is invited, so that every list stays as it is, and the link is the same each time. */
async function invitesOne({ page, words }) {
  await page.route('**/invitations', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    const { name, email } = words.invitedHere;
    const valid = await page.evaluate(() => new Date(Date.now() + 14 * 86_400_000).toISOString());
    return route.fulfill({
      status: 201,
      json: {
        ...{ id: '0190a0b0-0000-7000-8000-000000000002', vacancy: words.vacancy },
        candidate: { id: '0190a0b0-0000-7000-8000-000000000003', name, contact: email },
        ...{ state: 'invited', interviewId: null, interviewState: null, isLatest: true },
        ...{ externalId: null, metadata: {}, createdAt: MOMENT, validUntil: valid },
        link: {
          web: 'https://interviews.example.com/i/pQ7vK2mZr4TxWc9L',
          telegram: null,
          pin: '4821-0937-5512',
        },
      },
    });
  });
  const form = page.locator('.one-form');
  await form.getByRole('textbox').nth(0).fill(words.invitedHere.name);
  await form.getByRole('textbox').nth(1).fill(words.invitedHere.email);
  await form.locator('button[type=submit]').click();
  await page.locator('.qr .qr-code').waitFor();
  await page.evaluate(() => window.scrollTo(0, 0));
}

/** Until the titles of the vacancies are there, a list has their slugs. */
function withTitles(open) {
  return then(open, ({ page, words }) =>
    page
      .locator('.row-of-list, main li')
      .getByText(words.title, { exact: true })
      .first()
      .waitFor({ state: 'attached' }),
  );
}

const tableOf = ({ table }) => table.map((row) => row.join('\t')).join('\n');

const WALKS = {
  'console-inbox': place('inbox', '.inbox-row'),
  'console-inbox-item': then(item('question'), async ({ page, words }) => {
    // Other pages of the same person would say that a colleague types.
    await page.route('**/typing', (route) => route.fulfill({ status: 204 }));
    await page.locator('.inbox-main textarea').first().fill(words.answerBegun);
  }),
  'console-interviews': withTitles(place('interviews', '.row-link')),
  'console-interview': then(interview('read'), async ({ page }) => {
    await show(page.locator('.criterion').first());
  }),
  'console-interview-compared': async (scene) => {
    await withScores(scene);
    await interview('compared')(scene);
    await scene.page.locator('.others').first().waitFor();
    await show(scene.page.locator('.others').first());
  },
  'console-decision': then(interview('decided'), async ({ page }) => {
    await page.locator('.made').waitFor();
    await show(page.locator('.decision'));
  }),
  'console-invitations': withTitles(place('invitations', '.row-of-list')),
  'console-invite-one': then(
    place(({ words }) => `invitations/new?vacancy=${words.vacancy}`, '.one-form'),
    invitesOne,
  ),
  'console-invite-many': then(
    place(({ words }) => `invitations/new?mode=many&vacancy=${words.vacancy}`, '.many-form'),
    async ({ page, words }) => {
      await page.locator('.many-form textarea').fill(tableOf(words));
      await page.locator('.columns table').waitFor();
    },
  ),
  'console-vacancies': place('vacancies', '.vacancy'),
  'console-vacancy': then(
    place(({ words }) => `vacancies/${words.vacancy}`, '.cm-content'),
    ({ page }) => page.locator('.plan-title').waitFor(),
  ),
  'console-versions': then(
    place(({ words }) => `vacancies/${words.vacancy}`, '.versions li'),
    async ({ page }) => {
      await page.locator('.versions li button').first().click();
      await page.locator('.difference ins').first().waitFor();
    },
  ),
  'console-people': withTitles(place('people', '.person')),
  'console-candidates': withTitles(place('records/candidates', '.people li')),
  'console-audit': async (scene) => {
    // Whatever is read is noted: the rows are those before the first picture.
    await scene.page.route('**/api/v1/audit?*', (route) => route.fulfill({ json: scene.audit }));
    await place('records/audit', '.row-of-list')(scene);
  },
  'console-report': place(({ ids }) => `interviews/${ids.compared}/report`, '.report-question'),
  'console-account': place('account', '.person-session'),
  'console-shortcuts': then(place('interviews', '.row-link'), async ({ page }) => {
    await page.keyboard.press('Shift+?');
    await page.locator('.shortcuts').waitFor();
  }),
};

const WITH_CODE = new Set(['console-vacancy', 'console-versions']);

export const CONSOLE_STATES = Object.fromEntries(
  Object.entries(WALKS).map(([state, walk]) => {
    const hasCode = WITH_CODE.has(state);
    return [state, { walk, isLong: true, isOfConsole: true, hasCode }];
  }),
);
