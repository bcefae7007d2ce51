/**
 * The records of the console and the report of an interview: a file of a list, of the audit and of a person, an
 * erasure that is told before and confirmed by typing, retention, a key that is shown once, and the report as a PDF. At
 * a desk in English, then on a phone in Russian with taps. The suite always starts dist/main.js itself.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pressPlace } from './console-places.mjs';
import {
  DESKTOP,
  PHONE,
  TAKEN_BY_DONE,
  check,
  equal,
  look,
  openBrowser,
  part,
  report,
  startServer,
  until,
} from './harness.mjs';
import { pdfPages } from './pdf-text.mjs';
import { WORDS } from './records-words.mjs';

const server = await startServer({ ...TAKEN_BY_DONE, INTERVIEW_SCRIPTED_PACE: '0' });
const browser = await openBrowser();
const PASSWORD = 'seven slow green trams';
const API = `${server.base}/api/v1`;

/** What a page logged as an error, but not a response that the test provokes. */
const errors = [];

async function person(size, language) {
  const isPhone = size === PHONE;
  const touch = isPhone ? { hasTouch: true, isMobile: true } : {};
  const context = await browser.newContext({ viewport: size, locale: language, ...touch });
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    const isProvoked = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isProvoked) errors.push(message.text());
  });
  return {
    context,
    page,
    words: WORDS[language],
    language,
    isPhone,
    press: (locator) => (isPhone ? locator.tap() : locator.click()),
    heading: (name) => page.getByRole('heading', { name, level: 1 }),
    button: (name) => page.getByRole('button', { name, exact: true }),
    dialog: (name) => page.getByRole('dialog', { name }),
    keys: async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    },
    /** A request of the API from the page, as its session. */
    api: (method, place, body) =>
      page.evaluate(
        async ([url, sent]) => {
          const response = await fetch(url, sent);
          return response.status === 204 ? null : response.json();
        },
        [
          API + place,
          {
            method,
            ...(body === undefined
              ? {}
              : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
          },
        ],
      ),
  };
}

async function join(one, link, { name, email }) {
  const { page, words, heading } = one;
  await page.goto(link);
  await heading(words.join).waitFor();
  await page.getByLabel(words.name, { exact: true }).fill(name);
  await page.getByLabel(words.email, { exact: true }).fill(email);
  await page.getByLabel(words.password, { exact: true }).fill(PASSWORD);
  await one.press(one.button(words.joinAction));
  await heading(words.interviews).waitFor();
}

/** A vacancy of three questions; returns its open link. */
async function addVacancy(one, slug) {
  const text = {
    en: ['What did you bake last?', 'Why do you bake?', 'When do you get up?'],
    ru: ['Что вы испекли последним?', 'Зачем вы печёте?', 'Когда вы встаёте?'],
  }[one.language];
  const made = await one.api('POST', '/vacancies', {
    slug,
    language: one.language,
    title: { en: 'Night Baker', ru: 'Ночной пекарь' }[one.language],
    company: 'Crumb',
    owner: { name: 'Ada' },
    greeting: 'Hello.',
    closing: 'Thank you.',
    questions: text.map((question, index) => ({
      id: `q${index + 1}`,
      text: question,
      rubric: 'A bread, and how.',
    })),
  });
  return { slug, openLink: made.openLink, questions: text };
}

/** As long as half a page, so that two of them do not fit on one. */
function longAnswer(language, number) {
  const line = {
    en: `Line of answer ${number}: a rye loaf on a sourdough that I keep for ten years.`,
    ru: `Строка ответа ${number}: ржаной хлеб на закваске, которую я держу десять лет.`,
  }[language];
  return Array.from({ length: 26 }, (_, n) => `${n + 1}. ${line}`).join('\n');
}

/** Somebody who has answered all questions, with these answers, or who has only given a name. */
async function interviewed(vacancy, name, answers = []) {
  const json = { 'content-type': 'application/json' };
  const begun = await fetch(`${API}/sessions`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ invite: vacancy.openLink.split('/').at(-1) }),
  });
  const { sessionToken, conversationId } = await begun.json();
  const headers = { ...json, authorization: `Bearer ${sessionToken}` };
  const read = async () => (await fetch(`${API}/conversation`, { headers })).json();
  const post = (action, body) =>
    fetch(`${API}/conversation/${action}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { disclosure } = await read();
  await post('consent', { version: disclosure.version, accepted: true });
  await post('profile', { name, contact: 'candidate@example.org' });
  for (const [index, text] of answers.entries()) {
    const id = `m${index}`;
    await until('the question', async () => {
      const { asked, replying } = await read();
      return asked.length > index && !replying;
    });
    await post('messages', { id, text });
    await post('done', { lastMessageId: id });
  }
  if (answers.length > 0) {
    await until('the end', async () => (await read()).status === 'completed', 60_000);
  }
  return conversationId;
}

/** A colleague who was invited by the API, and rates by it. */
async function rateAsColleague(one, conversationId, suffix) {
  const { link } = await one.api('POST', '/users/invitations', { role: 'recruiter' });
  const token = link.split('/').at(-1);
  const site = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const joined = await fetch(`${API}/team/links/${token}`, {
    method: 'POST',
    headers: site,
    body: JSON.stringify({
      name: `Omar ${suffix}`,
      email: `omar-${suffix}@example.org`,
      password: PASSWORD,
    }),
  });
  const cookie = joined.headers.get('set-cookie').split(';')[0];
  const rated = await fetch(`${API}/interviews/${conversationId}/ratings/q1`, {
    method: 'PUT',
    headers: { ...site, cookie },
    body: JSON.stringify({ criteria: [{ name: 'answer', mark: 2, note: 'Too short a night.' }] }),
  });
  equal(rated.status, 200, 'the rating of a colleague');
}

/** By its key, and on a phone in the bar below. */
async function openRecords(one, tab) {
  const { page, words } = one;
  if (one.isPhone) await pressPlace(one, words.records);
  else await one.keys('g', 'r');
  await one.heading(words.records).waitFor();
  await one.press(page.getByRole('link', { name: words.tabs[tab], exact: true }));
  await page.waitForURL(`**/records/${tab}*`);
}

/** The text of the file that this saves. */
async function saved(one, press) {
  const [download] = await Promise.all([one.page.waitForEvent('download'), press()]);
  return {
    name: download.suggestedFilename(),
    text: fs.readFileSync(await download.path(), 'utf8'),
  };
}

/** The next request for it is refused until the password is shown. */
async function wantPassword(one) {
  const refusal = {
    status: 403,
    contentType: 'application/problem+json',
    body: JSON.stringify({ code: 'password_needed', details: { method: 'password' } }),
  };
  await one.page.route('**/session/confirmed', (route) => route.fulfill(refusal), { times: 1 });
}

async function audits(one) {
  const { page, words } = one;
  await openRecords(one, 'audit');
  await check('the audit says in words who has done what', async () => {
    await page.locator('.audit-row .audit-what').first().waitFor();
    const text = await page.locator('.records-audit').innerText();
    equal(text.includes('user.create') || text.includes('vacancy.create'), false, 'raw names');
  });
  await check('a file of it asks for the password first', async () => {
    await wantPassword(one);
    await one.press(one.button(words.file));
    await one.press(page.getByRole('menuitem', { name: words.csv }));
    const asked = one.dialog(words.isItYou);
    await asked.waitFor();
    await asked.locator('input[type=password]').fill(PASSWORD);
    const file = await saved(one, () => one.press(asked.getByRole('button', { name: words.goOn })));
    equal(file.name, 'audit.csv', 'name');
    equal(file.text.split('\r\n')[0], `\uFEFF${words.header}`, 'header');
  });
  await check('filters stand in the address', async () => {
    await page.goto(`${server.base}/console/records/audit?action=audit.export`);
    await until('the rows of files alone', async () => {
      const what = await page.locator('.row-of-list .audit-what').allTextContents();
      return what.length > 0 && new Set(what).size === 1;
    });
    await page.goto(`${server.base}/console/records/audit?from=2001-01-01&to=2001-01-02`);
    await page.locator('.sentence').waitFor();
  });
}

/** Rows as a long audit has them; the real ones are few. */
async function longAudit(one) {
  const { page } = one;
  const all = 100_000;
  await page.route('**/api/v1/audit?*', async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const first = Number(query.get('beforeId') ?? all + 1) - 1;
    const count = Math.min(Number(query.get('limit')), first);
    const events = Array.from({ length: count }, (_, n) => ({
      id: String(first - n),
      at: new Date(1_764_000_000_000 + (first - n) * 1000).toISOString(),
      actor: `user Ada ${first - n}`,
      action: 'transcript.read',
      subjectHash: 'ab'.repeat(32),
      subject: null,
    }));
    const olderCursor = first - count > 0 ? String(first - count + 1) : null;
    await route.fulfill({ json: { events, olderCursor } });
  });
  await page.goto(`${server.base}/console/records/audit`);
  await page.locator('.row-of-list').first().waitFor();
  await check('of a long audit only the rows near the window are in the page', async () => {
    const lastIndex = async () =>
      Number(await page.locator('[data-index]').last().getAttribute('data-index'));
    for (const wanted of [300, 900, 1500]) {
      await until(`row ${wanted}`, async () => {
        await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
        return (await lastIndex()) >= wanted;
      });
    }
    const count = await page.locator('[data-index]').count();
    equal(count < 80, true, `rows in the page (${count})`);
  });
  await page.unroute('**/api/v1/audit?*');
}

async function candidates(one, { name, id }) {
  const { page, words } = one;
  await openRecords(one, 'candidates');
  await check('a candidate is found by the beginning of a name', async () => {
    if (one.isPhone)
      await page.getByRole('searchbox', { name: words.search }).fill(name.slice(0, 5));
    else {
      await one.keys('/');
      await page.keyboard.type(name.slice(0, 5));
    }
    await until('the search in the address', () => page.url().includes('?text='));
    await page.getByText(name, { exact: true }).waitFor();
    await until('one candidate', async () => (await page.locator('.candidate').count()) === 1);
  });
  if (!one.isPhone) await look(page, 'records-candidates');
  await check('everything of them is saved as one file', async () => {
    await one.press(one.button(words.actions(name)));
    await one.press(page.getByRole('menuitem', { name: words.everything, exact: true }));
    const asked = page.getByRole('dialog');
    await asked.waitFor();
    const file = await saved(one, () =>
      one.press(asked.getByRole('button', { name: words.saveFile })),
    );
    equal(JSON.parse(file.text).profile.name, name, 'profile');
  });
  await check('an erasure says what it deletes, and waits until the name is typed', async () => {
    await one.press(one.button(words.actions(name)));
    await one.press(page.getByRole('menuitem', { name: words.erase, exact: true }));
    const asked = one.dialog(words.eraseTitle(name));
    const action = asked.getByRole('button', { name: words.eraseAction });
    await action.waitFor();
    equal(await asked.locator('.records-stored li').count(), 2, 'what is stored');
    equal(await action.getAttribute('aria-disabled'), 'true', 'the button');
    await asked.getByLabel(words.typed).fill(name.slice(0, -1));
    await one.keys('Enter');
    equal(await action.getAttribute('aria-disabled'), 'true', 'the button');
    if (!one.isPhone) await look(page, 'records-erase', 4);
    await asked.getByLabel(words.typed).fill(name.toLowerCase());
    await one.press(action);
    await page.getByText(words.erased).waitFor();
    await until('nobody', async () => (await page.locator('.candidate').count()) === 0);
  });
  await check('the audit keeps that somebody was erased, and no name', async () => {
    await page.goto(`${server.base}/console/records/audit`);
    await page.getByText(words.eraseShown).filter({ visible: true }).first().waitFor();
    await page.getByText(words.gone, { exact: true }).filter({ visible: true }).first().waitFor();
    equal(await page.getByText(name).count(), 0, 'names');
    const read = await one.api('GET', `/interviews/${id}`);
    equal(read.code, 'conversation_unknown', 'the interview');
  });
  if (!one.isPhone) await look(page, 'records-audit');
}

async function exportsList(one, { name, slug }) {
  const { page, words } = one;
  await openRecords(one, 'exports');
  await check('a list of interviews is saved for a spreadsheet of the language', async () => {
    await page.goto(`${server.base}/console/records/exports?vacancy=${slug}`);
    const action = page.locator('.records-form button[type=submit]');
    await action.waitFor();
    const file = await saved(one, () => one.press(action));
    equal(/^interviews-[\d-]{10}\.csv$/.test(file.name), true, file.name);
    equal(file.text.slice(1).startsWith(words.listHeader), true, file.text.slice(0, 60));
    equal(file.text.includes(name), true, 'the candidate');
  });
  if (!one.isPhone) await look(page, 'records-exports');
}

async function retention(one) {
  const { page, words } = one;
  await openRecords(one, 'retention');
  await check('retention shows its policy, and an admin runs it', async () => {
    await page.locator('.records-table tbody tr').nth(5).waitFor();
    await one.press(one.button(words.runNow));
    const asked = one.dialog(words.runTitle);
    await one.press(asked.getByRole('button', { name: words.runAction }));
    await page.getByText(words.ran).waitFor();
  });
  if (!one.isPhone) await look(page, 'records-retention');
}

async function keysOfPrograms(one, name) {
  const { page, words } = one;
  await openRecords(one, 'keys');
  await page.locator('.sentence, .key-row').first().waitFor();
  await check('a key is made, shown once, and listed', async () => {
    if (one.isPhone) await one.press(one.button(words.newKey));
    else await one.keys('n');
    const form = one.dialog(words.newKey);
    await form.waitFor();
    await one.press(form.getByRole('button', { name: words.makeKey }));
    await form.getByText(words.wrongName).last().waitFor();
    if (!one.isPhone) await look(page, 'records-new-key', 4);
    await form.getByLabel(words.keyName, { exact: true }).fill(name);
    await one.press(form.getByLabel(words.scope, { exact: true }));
    await one.press(form.getByRole('button', { name: words.makeKey }));
    const ready = one.dialog(words.keyReady);
    await ready.waitFor();
    const token = await ready.locator('input[readonly]').inputValue();
    const list = await fetch(`${API}/interviews`, {
      headers: { authorization: `Bearer ${token}` },
    });
    equal(list.status, 200, 'a request with the key');
    await one.press(ready.getByRole('button', { name: words.done, exact: true }));
    await page.getByText(name, { exact: true }).waitFor();
  });
  if (!one.isPhone) await look(page, 'records-keys');
  await check('a key is revoked after a question', async () => {
    await one.press(one.button(words.revoke(name)));
    const asked = one.dialog(words.revokeTitle(name));
    await one.press(asked.getByRole('button', { name: words.revokeAction, exact: true }));
    await page.getByText(words.revoked, { exact: true }).waitFor();
  });
}

const plain = (text) => text.replaceAll(/\s+/g, '');

async function pdf(page, format) {
  const bytes = await page.pdf({ format, preferCSSPageSize: false });
  fs.mkdirSync('.tmp/browser', { recursive: true });
  fs.writeFileSync(path.join('.tmp/browser', `report-${format}.pdf`), bytes);
  return pdfPages(bytes).map(plain);
}

async function reports(one, { id, name, vacancy }) {
  const { page, words, language } = one;
  await page.goto(`${server.base}/console/interviews/${id}/report`);
  await one.heading(words.report).waitFor();
  await page.locator('.report-question').nth(2).waitFor();
  await check('the report hides what others gave until the own rating', async () => {
    await page.getByText(words.closed).first().waitFor();
    equal(await page.getByText(words.mark).count(), 0, 'marks');
  });
  for (const question of ['q1', 'q2', 'q3']) {
    const body = { criteria: [{ name: 'answer', mark: 5, note: null }] };
    await one.api('PUT', `/interviews/${id}/ratings/${question}`, body);
  }
  await page.reload();
  const offer = page.getByRole('button', { name: words.showOthers });
  await check(
    'it is opened without what others gave, so that the own ratings stay open',
    async () => {
      await offer.waitFor();
      equal(await page.getByText(words.mark).count(), 0, 'marks');
      const { questions } = await one.api('GET', `/interviews/${id}/ratings?only=own`);
      equal(
        questions.map(({ isFixed }) => isFixed),
        [false, false, false],
        'fixed ratings',
      );
    },
  );
  if (!one.isPhone) await look(page, 'report-own');
  await one.press(offer);
  await page.getByText(words.mark).waitFor();
  if (!one.isPhone) await look(page, 'report');
  for (const format of ['A4', 'Letter']) {
    const pages = await pdf(page, format);
    const whole = pages.join('');
    await check(`${format}: it holds the whole interview, and who printed it`, () => {
      for (const text of [
        name,
        ...vacancy.questions,
        words.mark,
        'Too short a night.',
        words.against,
        'A reason.',
        words.printed,
      ]) {
        equal(whole.includes(plain(text)), true, `"${text}" in the text`);
      }
      for (const number of [1, 2, 3]) {
        for (const line of longAnswer(language, number).split('\n')) {
          equal(whole.includes(plain(line)), true, `"${line}" in the text`);
        }
      }
    });
    await check(`${format}: it has no navigation, and no question is broken over pages`, () => {
      equal(whole.includes(plain(words.records)), false, 'navigation');
      equal(pages.length, 3, 'pages');
      for (const [index, question] of vacancy.questions.entries()) {
        const last = longAnswer(language, index + 1)
          .split('\n')
          .at(-1);
        const begins = pages.findIndex((text) => text.includes(plain(question)));
        const ends = pages.findIndex((text) => text.includes(plain(last)));
        equal(ends, begins, `the page on which question ${index + 1} ends`);
      }
    });
  }
}

async function story(size, language, firstLink, suffix) {
  const one = await person(size, language);
  const slug = `baker-${language}`;
  await join(one, firstLink, { name: `Ada ${suffix}`, email: `ada-${suffix}@example.org` });
  const { link } = await one.api('POST', '/users/invitations', { role: 'admin' });
  const vacancy = await addVacancy(one, slug);
  const leaving = {
    name: `Leaving ${suffix}`,
    id: await interviewed(vacancy, `Leaving ${suffix}`),
  };
  const name = `Orlova ${suffix}`;
  const answers = [1, 2, 3].map((number) => longAnswer(language, number));
  const id = await interviewed(vacancy, name, answers);
  await rateAsColleague(one, id, suffix);
  await one.page.evaluate(
    async ([url]) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'if-match': '"none"' },
        body: JSON.stringify({ isAdverse: true, reason: 'A reason.' }),
      });
      if (!response.ok) throw new Error(await response.text());
    },
    [`${API}/interviews/${id}/decisions`],
  );
  await audits(one);
  if (!one.isPhone) await longAudit(one);
  await candidates(one, leaving);
  await exportsList(one, { name, slug });
  await retention(one);
  await keysOfPrograms(one, `crm-${language}`);
  await reports(one, { id, name, vacancy });
  if (one.isPhone) {
    for (const tab of ['audit', 'candidates', 'retention', 'keys']) {
      await one.page.goto(`${server.base}/console/records/${tab}`);
      await one.heading(one.words.records).waitFor();
      await one.page
        .locator('.row-of-list, .candidate, .records-table, .key-row')
        .first()
        .waitFor();
      await look(one.page, `records-ru-${tab}`, 2);
    }
  }
  await one.context.close();
  return link;
}

try {
  // A log does not show it.
  const file = path.join(server.data, 'first-admin-link');
  let link = await until('the link of the first admin', () => {
    return fs.existsSync(file) && fs.readFileSync(file, 'utf8').trim();
  });
  await part('At a desk, in English', async () => {
    link = await story(DESKTOP, 'en', link, 'One');
  });
  await part('On a phone, in Russian', () => story(PHONE, 'ru', link, 'Two'));
  await check('no page logged an error', () => equal(errors, [], 'errors'));
} finally {
  await browser.close();
  await server.close();
}
process.exitCode = report() ? 0 : 1;
