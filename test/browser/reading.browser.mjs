/**
 * The page of one interview, as a recruiter reads, judges and decides. At a desk in English by the keyboard alone,
 * with what it takes counted: keys, requests, paints. Then two people at once, a session that ends, a candidate who
 * is erased meanwhile; and on a phone in Russian with taps. The suite always starts dist/main.js itself.
 */
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  ADMIN_TOKEN,
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

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../..', import.meta.url));
require(path.join(root, 'tools/support/swc-register.cjs'));
const { ModelServer } = require(path.join(root, 'tools/fake-model/model-server.ts'));

const model = await ModelServer.start();
const server = await startServer({
  ...TAKEN_BY_DONE,
  OPENAI_API_KEY: 'test',
  OPENAI_BASE_URL: model.baseUrl,
  OPENAI_TRANSCRIPTION_MODEL: 'w-1',
  ADMIN_TOKEN,
});
const browser = await openBrowser();
const api = `${server.base}/api/v1`;
const JSON_TYPE = { 'content-type': 'application/json' };
const PASSWORD = 'seven slow green trams';

const anchors = (of) =>
  Object.fromEntries([1, 2, 3, 4, 5].map((mark) => [mark, `${of}, as for ${mark}.`]));
const VACANCY = {
  ...{ slug: 'baker', language: 'en', title: 'Baker', company: 'Crumb', owner: { name: 'Ada' } },
  ...{ greeting: 'Hello.', closing: 'Thank you.' },
  questions: [
    {
      id: 'last',
      text: 'What did you bake last, and for whom?',
      rubric: [
        { name: 'craft', weight: 60, anchors: anchors('Knows the dough') },
        { name: 'own work', weight: 40, anchors: anchors('Says what was theirs') },
      ],
      followUps: 0,
    },
    {
      id: 'nights',
      kind: 'knockout',
      mustAsk: true,
      text: 'Can you begin at four?',
      rubric: 'Yes, no, or with conditions.',
      knockOut: [{ name: 'nights', fact: 'The candidate says that they can begin at four.' }],
    },
    { id: 'why', text: 'Why bread?', rubric: 'A reason of their own.' },
  ],
};
/** Criteria with a mark in this vacancy. */
const CRITERIA = 3;

/** A tenth of a second of silence, as a WAV file. */
function silence() {
  const samples = 800;
  const wav = Buffer.alloc(44 + samples * 2);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + samples * 2, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(8000, 24);
  wav.writeUInt32LE(16_000, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples * 2, 40);
  return wav;
}

async function byToken(method, place, body) {
  const response = await fetch(`${api}${place}`, {
    method,
    headers: { ...JSON_TYPE, authorization: `Bearer ${ADMIN_TOKEN}` },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${method} ${place}: ${await response.text()}`);
  return response.json();
}

/** A finished interview of somebody with this name; its last answer is spoken. */
async function interviewed(name) {
  const { link } = await byToken('POST', '/vacancies/baker/invitations', { name });
  const invite = link.web.split('/i/')[1];
  const begun = await fetch(`${api}/sessions`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ invite }),
  });
  const { conversationId: id, sessionToken } = await begun.json();
  const headers = { ...JSON_TYPE, authorization: `Bearer ${sessionToken}` };
  const post = (action, body = {}) =>
    fetch(`${api}/conversation/${action}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const view = async () => (await fetch(`${api}/conversation`, { headers })).json();
  const { disclosure } = await view();
  await post('consent', { version: disclosure.version, accepted: true });
  await post('profile', { name, contact: `${name.split(' ')[0].toLowerCase()}@example.org` });
  const answers = [
    `A rye loaf for a café, and I am ${name}. The starter is mine.`,
    'At four is fine, three times a week.',
  ];
  for (const [index, text] of answers.entries()) {
    await post('messages', { id: `m${index}`, text });
    await post('done');
    await until('a reply', async () => (await view()).interviewStep === index + 1);
  }
  await fetch(`${api}/conversation/voice?id=spoken`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'audio/wav' },
    body: silence(),
  });
  await until('a transcript', async () => (await view()).transcribing === 0);
  await post('done');
  await until('the end', async () => (await view()).status === 'completed');
  return { id, name, forget: () => post('forget', { confirm: 'erase' }) };
}

const WORDS = {
  en: {
    mail: 'en',
    join: 'Join the hiring team',
    action: 'Join',
    interviews: 'Interviews',
    saved: 'Saved',
    blindName: /^Candidate [0-9A-F]{4}$/,
    fixed: /your marks stay as they are\.$/,
    sessionEnded: 'Your session has ended',
    against: 'Against the candidate',
    record: 'Record the decision',
    meanwhile: /A colleague has decided/,
    recorded: 'Your decision is recorded.',
    file: 'Download the signed file',
    gone: 'This interview is no longer here',
    note: /^Note: craft/,
  },
  ru: {
    mail: 'ru',
    join: /^Присоединяйтесь/,
    action: 'Присоединиться',
    interviews: 'Интервью',
    saved: 'Сохранено',
    compare: 'Показать оценки других',
    noScores: /^Модель не оценивала/,
  },
};

const errors = [];

async function person(size, language) {
  const touch = size === PHONE ? { hasTouch: true, isMobile: true } : {};
  const context = await browser.newContext({ viewport: size, locale: language, ...touch });
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    const isProvoked = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isProvoked) errors.push(message.text());
  });
  const one = {
    context,
    page,
    words: WORDS[language],
    pressed: 0,
    heading: (name) => page.getByRole('heading', { name, level: 1 }),
    /** A request of the page's own session; null: the response has no body. */
    call: (method, place, body, headers = {}) =>
      page.evaluate(
        async ([verb, at, sent, more]) => {
          const response = await fetch(at, {
            method: verb,
            headers: { 'content-type': 'application/json', ...more },
            ...(sent === null ? {} : { body: JSON.stringify(sent) }),
          });
          const text = await response.text();
          const etag = response.headers.get('etag');
          return { status: response.status, etag, body: text === '' ? null : JSON.parse(text) };
        },
        [method, `/api/v1${place}`, body ?? null, headers],
      ),
  };
  one.keys = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
    one.pressed += keys.length;
  };
  return one;
}

async function join(one, link, name) {
  const { page, words } = one;
  await page.goto(link);
  await one.heading(words.join).waitFor();
  await page.locator('input[name=name]').fill(name);
  await page.locator('input[name=email]').fill(`${words.mail}${name.length}@example.org`);
  await page.locator('input[name=password]').fill(PASSWORD);
  await page.getByRole('button', { name: words.action, exact: true }).click();
  await one.heading(words.interviews).waitFor();
}

async function invited(admin, size, language, name) {
  const { body } = await admin.call('POST', '/users/invitations', { role: 'recruiter', name });
  const one = await person(size, language);
  await join(one, body.link, name);
  return one;
}

const marks = (...given) => [
  ['last', ['craft', 'own work'].map((name, at) => ({ name, mark: given[at], note: null }))],
  ['why', [{ name: 'answer', mark: given[2], note: 'A reason.' }]],
];

async function rateAll(one, { id }, ...given) {
  for (const [question, criteria] of marks(...given)) {
    const place = `/interviews/${id}/ratings/${question}`;
    equal((await one.call('PUT', place, { criteria })).status, 200, place);
  }
}

/** What the page asks the API for, and how often it paints. */
async function counted(page, work) {
  const asked = [];
  const note = (request) => {
    if (request.url().includes('/api/')) asked.push(`${request.method()} ${request.url()}`);
  };
  const session = await page.context().newCDPSession(page);
  let paints = 0;
  session.on('Tracing.dataCollected', ({ value }) => {
    paints += value.filter(({ name }) => name === 'Paint').length;
  });
  page.on('request', note);
  await session.send('Tracing.start', { categories: 'devtools.timeline' });
  await work();
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  page.off('request', note);
  return { requests: asked.length, paints, asked };
}

const focused = (page, read) =>
  page.evaluate((attribute) => document.activeElement?.getAttribute(attribute), read);

/** The scores of a certified rubric, as the server would show them: no rubric of a test is certified. */
async function scoresAre(page, { id }, rated) {
  await page.route(`**/interviews/${id}/scorecard`, async (route) => {
    const quotes = rated.questions[0].evidence.map((one) => ({ ...one, start: 0, end: 11 }));
    const [nights] = rated.questions[1].evidence;
    const criterion = (name, weight, mark) => ({
      ...{ name, weight, result: 'supported', mark, quotes, isDisputed: false },
    });
    const scoring = {
      ...{ id, state: 'done', startedAt: '2026-11-25T09:53:00.000Z', endedAt: null },
      questions: [
        {
          id: 'last',
          criteria: [criterion('craft', 60, 4), criterion('own work', 40, 5)],
          facts: [],
        },
        {
          id: 'nights',
          criteria: [],
          facts: [{ name: 'nights', value: 'yes', quotes: [{ ...nights, start: 0, end: 15 }] }],
        },
      ],
      ...{ inShadow: ['why'], unrated: [], overall: null },
    };
    await route.fulfill({ json: { scorings: [scoring] } });
  });
}

async function rates(ada, grace, interview) {
  const { page, words, heading } = ada;
  const { body: rated } = await ada.call('GET', `/interviews/${interview.id}/ratings?only=own`);
  await rateAll(grace, interview, 2, 5, 3);
  await grace.call('POST', `/interviews/${interview.id}/comments`, { text: 'Ask about salt.' });
  await scoresAre(page, interview, rated);
  await page.goto(`${server.base}/console/interviews`);
  await page.getByRole('link', { name: interview.name }).waitFor();
  ada.pressed = 0;
  const { requests, paints, asked } = await counted(page, async () => {
    await ada.keys('j');
    const link = page.getByRole('link', { name: interview.name });
    while (!(await link.evaluate((one) => one === document.activeElement))) await ada.keys('j');
    await ada.keys('Enter');
    await heading(interview.name).waitFor();
    await page.locator('[data-stop]').first().waitFor();
    await ada.keys('j');
    for (const mark of ['4', '5', '3']) await ada.keys(mark);
    await until('everything to be saved', async () => {
      return (await page.getByText(words.saved, { exact: true }).count()) === 2;
    });
  });
  console.log(
    `  counted from the list to a whole rating of ${CRITERIA} criteria: ${ada.pressed} keys, ` +
      `${requests} requests, ${paints} paints`,
  );
  await check(
    'a whole rating takes at most four keys from the list on, and one for each criterion',
    () => equal(ada.pressed <= CRITERIA + 4, true, `keys: ${ada.pressed}`),
  );
  await check('and few requests', () => equal(requests <= 12, true, asked.join('\n')));
  await check('nothing of others was shown before it', async () => {
    equal(await page.getByText('Ask about salt.').count(), 0, 'comments');
    equal(await page.getByText('Grace').count(), 0, 'names of colleagues');
  });
  await check('the server has the marks', async () => {
    const { body } = await ada.call('GET', `/interviews/${interview.id}/ratings?only=own`);
    const own = body.questions.flatMap(({ criteria }) => criteria.map((one) => one.own.mark));
    equal(own, [4, 5, 3], 'marks');
  });
  await look(page, 'reading');
}

async function goesAround(ada, interview, second) {
  const { page, words, heading } = ada;
  await check('t leads to the passage in the transcript, and back', async () => {
    await page.reload();
    await page.locator('[data-stop]').first().waitFor();
    await ada.keys('j', 't');
    const passage = page.locator('mark:focus');
    await passage.waitFor();
    equal((await passage.textContent()).startsWith('A rye loaf'), true, 'the passage');
    await ada.keys('t');
    equal(await focused(page, 'data-question'), 'last', 'the question of the focus');
  });
  await check('a note is written by n, left by Escape, and stays', async () => {
    await ada.keys('n');
    await page.keyboard.type('Knows flour.');
    await ada.keys('Escape');
    await page.getByText(words.saved, { exact: true }).nth(1).waitFor();
    await page.reload();
    const note = page.getByLabel(words.note);
    await note.waitFor();
    equal(await note.inputValue(), 'Knows flour.', 'the note');
  });
  await check('p plays what was said', async () => {
    await ada.keys('k', 'k', 't');
    const spoken = page.locator('mark:focus');
    await spoken.waitFor();
    await ada.keys('t');
    await page.locator('[data-question="why"][data-stop]').focus();
    await ada.keys('p');
    await page.locator('audio').waitFor();
    await until('the recording to be loaded', () =>
      page.locator('audio').evaluate((audio) => audio.readyState >= 1 && audio.error === null),
    );
  });
  await check(
    'b hides name, contact and file, also after a reload, and shows them again',
    async () => {
      await ada.keys('b');
      await heading(words.blindName).waitFor();
      await page.reload();
      await heading(words.blindName).waitFor();
      const shown = `${await page.title()} ${await page.locator('main').innerText()} ${page.url()}`;
      const [first, last] = interview.name.split(' ');
      for (const word of [first, last, '@example.org']) {
        equal(shown.includes(word), false, `the page shows ${word}`);
      }
      await look(page, 'reading-blind', 2);
      await ada.keys('b');
      await heading(interview.name).waitFor();
    },
  );
  await check('l and h go to the neighbours of the list', async () => {
    const counter = page.getByRole('navigation').getByText(/^\d+ of \d+$/);
    const at = await counter.textContent();
    await ada.keys(at.startsWith('1') ? 'l' : 'h');
    await heading(second.name).waitFor();
    await ada.keys(at.startsWith('1') ? 'h' : 'l');
    await heading(interview.name).waitFor();
  });
}

async function compares(ada) {
  const { page, words } = ada;
  await check('c shows what others gave, with the difference, and fixes one’s own', async () => {
    await page.locator('[data-stop]').first().waitFor();
    await ada.keys('c');
    await page.getByText('Ask about salt.').waitFor();
    await page.getByText('2 less').first().waitFor();
    await page.getByText(words.fixed).first().waitFor();
    await until('no open marks', async () => {
      return (await page.locator('[data-mark="1"]:enabled').count()) === 0;
    });
  });
  await check('a knock-out is a fact with its words', () =>
    page.locator('.found-fact').getByText('At four is fine').waitFor(),
  );
  await look(page, 'reading-compared');
}

async function sessionEnds(ada) {
  const { page, words } = ada;
  await check('a session that ends keeps the text, and the text is stored after it', async () => {
    await ada.keys('j', 'm');
    await page.keyboard.type('Bakes at night.');
    await ada.context.clearCookies();
    await ada.keys('Control+Enter');
    const asked = page.getByRole('dialog', { name: words.sessionEnded });
    await asked.waitFor();
    await asked.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.locator('.comment-text', { hasText: 'Bakes at night.' }).waitFor();
  });
}

async function decides(ada, grace, { id }) {
  const { page, words } = ada;
  const place = `/interviews/${id}/decisions`;
  await check(
    'of two who decide at once the second one is told, and keeps the reason',
    async () => {
      await ada.keys('d', 'Tab');
      // From the chosen way to the reason: in a group of radio buttons Tab leaves the group.
      await page.getByLabel(words.against).check();
      const reason = page.locator('.reason textarea');
      await reason.fill('Too little salt.');
      const made = await grace.call(
        'POST',
        place,
        { isAdverse: false, reason: 'A good starter.' },
        { 'if-match': '"none"' },
      );
      equal(made.status, 201, 'Grace decides');
      await page.getByRole('button', { name: words.record }).click();
      await page.getByText(words.meanwhile).waitFor();
      await page.getByText('A good starter.').waitFor();
      equal(await reason.inputValue(), 'Too little salt.', 'the reason');
    },
  );
  await look(page, 'reading-decided', 2);
  await check('who has read it may decide after it, and both stay', async () => {
    await page.getByRole('button', { name: words.record }).click();
    await page.getByText(words.recorded).waitFor();
    await until('two decisions', async () => (await page.locator('.made').count()) === 2);
  });
  await check('the form is shut after it, and d with Enter opens it again', async () => {
    await page.locator('.deciding').waitFor({ state: 'detached' });
    await ada.keys('d', 'Enter');
    await page.locator('.deciding').waitFor();
    await page.reload();
    await page.locator('.made').first().waitFor();
    equal(await page.locator('.deciding').count(), 0, 'forms');
  });
  await check('the signed file is downloaded', async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: words.file }).click(),
    ]);
    const file = JSON.parse(fs.readFileSync(await download.path(), 'utf8'));
    equal([file.format, file.payload.decisions.length], ['colloquy-decision/1', 2], 'the file');
  });
}

async function oldAddress(ada, { id, name }) {
  const { page, heading } = ada;
  await check('an old link leads to the page with a session', async () => {
    await page.goto(`${server.base}/console/transcripts/${id}`);
    await heading(name).waitFor();
    equal(new URL(page.url()).pathname, `/console/interviews/${id}`, 'the address');
  });
}

async function erased(ada, interview) {
  const { page, words, heading } = ada;
  await page.goto(`${server.base}/console/interviews/${interview.id}`);
  await heading(interview.name).waitFor();
  await check('a candidate who is erased meanwhile is gone from the page', async () => {
    equal((await interview.forget()).status, 204, 'status of the erasure');
    await ada.keys('j', '4', '4');
    await heading(words.gone).waitFor();
    equal(await page.getByText(interview.name).count(), 0, 'names on the page');
  });
}

async function onPhone(admin, interview) {
  const one = await invited(admin, PHONE, 'ru', 'Вера Белова');
  const { page, words, heading } = one;
  await page.getByRole('link', { name: interview.name }).tap();
  await heading(interview.name).waitFor();
  await check('an interview is rated by taps on a phone, in Russian', async () => {
    for (const [index, mark] of [3, 4, 0].entries()) {
      await page.locator('.criterion').nth(index).locator(`[data-mark="${mark}"]`).tap();
    }
    await until('everything to be saved', async () => {
      return (await page.getByText(words.saved, { exact: true }).count()) === 2;
    });
    await page.getByRole('button', { name: words.compare }).tap();
    await page.getByText(words.noScores).waitFor();
  });
  await look(page, 'reading-ru');
  await check('nothing overflows sideways', async () => {
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    equal(over > 0, false, 'horizontal overflow');
  });
  await one.context.close();
}

try {
  const file = path.join(server.data, 'first-admin-link');
  const link = await until('the link of the first admin', () => {
    return fs.existsSync(file) && fs.readFileSync(file, 'utf8').trim();
  });
  const ada = await person(DESKTOP, 'en');
  await join(ada, link, 'Ada Stone');
  await byToken('POST', '/vacancies', VACANCY);
  const grace = await invited(ada, DESKTOP, 'en', 'Grace Hill');
  const first = await interviewed('Maria Orlova');
  const second = await interviewed('Peter Stern');
  await part('A recruiter rates by the keyboard alone', () => rates(ada, grace, first));
  await part('and reads', () => goesAround(ada, first, second));
  await part('and compares', () => compares(ada));
  await part('while a session ends', () => sessionEnds(ada));
  await part('and decides', () => decides(ada, grace, first));
  await part('by an old link', () => oldAddress(ada, first));
  await part('On a phone', () => onPhone(ada, second));
  await part('An erasure in the middle', () => erased(ada, second));
  await check('no page logged an error', () => equal(errors, [], 'errors'));
} finally {
  await browser.close();
  await server.close();
  await model.close();
}
process.exitCode = report() ? 0 : 1;
