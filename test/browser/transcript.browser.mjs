/**
 * The recruiter's page: it asks for the admin token once, shows a finished interview and plays a voice
 * message. Also what it shows with a wrong token, with a broken link, and after an erasure. The suite
 * always starts dist/main.js itself, beside its own model server.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Candidate } from './candidate.mjs';
import {
  DESKTOP,
  PHONE,
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

const INJECTIONS = require(path.join(root, 'test/scoring/data/injections.json'));

/** Markup as candidates would try it. */
const MARKUP = INJECTIONS.filter(({ kind }) => kind === 'Markdown and HTML');

const ADMIN_TOKEN = 'the admin token of the browser test'.replaceAll(' ', '-');
const model = await ModelServer.start();
const server = await startServer({
  OPENAI_API_KEY: 'test',
  OPENAI_BASE_URL: model.baseUrl,
  OPENAI_TRANSCRIPTION_MODEL: 'w-1',
  ADMIN_TOKEN,
});
const browser = await openBrowser();

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

/** An interview by the API: consent, a name, a written answer and a spoken one. */
async function interviewed() {
  const api = `${server.base}/api/v1`;
  const json = { 'content-type': 'application/json' };
  const invite = server.invite.replace('/i/', '');
  const begun = await fetch(`${api}/sessions`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ invite }),
  });
  const { conversationId, sessionToken } = await begun.json();
  const authorization = `Bearer ${sessionToken}`;
  const post = (action, body = {}) =>
    fetch(`${api}/conversation/${action}`, {
      method: 'POST',
      headers: { ...json, authorization },
      body: JSON.stringify(body),
    });
  const view = async () =>
    (await fetch(`${api}/conversation`, { headers: { authorization } })).json();
  const { disclosure } = await view();
  await post('consent', { version: disclosure.version, accepted: true });
  await post('profile', { name: 'Maria Orlova', contact: 'maria@example.org' });
  await post('messages', { id: 'one', text: 'Eight years of rye.\n\nAnd a little wheat.' });
  await until('a reply', async () => (await view()).interviewStep === 1);
  await fetch(`${api}/conversation/voice?id=two`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'audio/wav' },
    body: silence(),
  });
  await until('another reply', async () => (await view()).interviewStep === 2);
  return { conversationId, forget: () => post('forget', { confirm: 'erase' }) };
}

async function reader(size, locale) {
  const context = await browser.newContext({ viewport: size, locale });
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  return { page, errors, heading: (name) => page.getByRole('heading', { name, level: 1 }) };
}

const WORDS = {
  en: {
    login: 'Sign in to read this interview',
    label: 'Admin token',
    open: 'Sign in',
    refused: /is not right/,
    gone: 'This interview is no longer here',
    incomplete: 'This link is incomplete',
    details: 'Details',
    play: /^Play/,
    lock: 'Sign out',
  },
  ru: {
    login: 'Войдите, чтобы прочитать интервью',
    label: 'Токен администратора',
    open: 'Войти',
    refused: /не подходит/,
    gone: 'Этого интервью здесь больше нет',
    incomplete: 'Ссылка неполная',
    details: 'Подробности',
    play: /^Послушать/,
    lock: 'Выйти',
  },
};

async function read(conversationId, size, language) {
  const words = WORDS[language];
  const { page, errors, heading } = await reader(size, language);
  const name = `transcript-${language}`;
  const enter = async (token) => {
    await page.getByLabel(words.label).fill(token);
    await page.getByRole('button', { name: words.open }).click();
  };
  await page.goto(`${server.base}/console/transcripts/${conversationId}`);
  await check(`the page asks for the token (${language})`, () => heading(words.login).waitFor());
  await look(page, `${name}-login`);
  await check('a wrong token is refused with a sentence, and no data are shown', async () => {
    await enter('another');
    await page.getByText(words.refused).waitFor();
    equal(await page.getByText('Maria').count(), 0, 'names on the page');
  });
  await look(page, `${name}-refused`, 2);
  await check('a token that no request can carry is refused too, and not kept', async () => {
    await enter('токен');
    await page.getByText(words.refused).waitFor();
    await page.reload();
    await heading(words.login).waitFor();
  });
  await check('with the token the page shows the interview', async () => {
    await enter(ADMIN_TOKEN);
    await heading('Maria Orlova').waitFor();
    await page.getByText('Eight years of rye.').waitFor();
    await page.getByText(model.transcriptions.text).first().waitFor();
  });
  await check('a reply shows its model and its prompt', async () => {
    await page.getByText(words.details).first().click();
    await page
      .getByText(/interviewer \d+ \([0-9a-f]{12}\)/)
      .first()
      .waitFor();
  });
  await check('a voice message can be played', async () => {
    await page.getByRole('button', { name: words.play }).click();
    await page.locator('audio').waitFor();
    const hasFocus = (audio) => audio === document.activeElement;
    equal(await page.locator('audio').evaluate(hasFocus), true, 'the focus on the player');
    await until('the recording to be loaded', () =>
      page.locator('audio').evaluate((audio) => audio.readyState >= 1 && audio.error === null),
    );
  });
  await look(page, name);
  await page.evaluate(() => window.scrollTo(0, 0));
  await look(page, `${name}-top`);
  await check('nothing overflows sideways', async () => {
    await page.setViewportSize(PHONE);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    equal(overflow > 0, false, 'horizontal overflow');
    await page.setViewportSize(size);
  });
  await check('the token is kept for the tab, and is in no address', async () => {
    await page.reload();
    await heading('Maria Orlova').waitFor();
    equal(page.url().includes(ADMIN_TOKEN), false, 'the token in the address');
  });
  await check('the page forgets the token when the recruiter asks for it', async () => {
    await page.getByRole('button', { name: words.lock }).click();
    await heading(words.login).waitFor();
    await page.reload();
    await heading(words.login).waitFor();
    await enter(ADMIN_TOKEN);
    await heading('Maria Orlova').waitFor();
  });
  await check('the page had no errors', () => equal(errors, [], 'errors'));
  return { page, words, heading };
}

/** In a browser of the other language. */
async function chosenLanguage(conversationId) {
  const { page, heading } = await reader(DESKTOP, 'en');
  const { login } = WORDS.ru;
  await check('the language that was chosen on the form stays', async () => {
    await page.goto(`${server.base}/console/transcripts?language=ru`);
    await page.locator('#id').fill('нет номера');
    await page.keyboard.press('Enter');
    await page.getByText('Здесь нет номера интервью').waitFor();
    await page.locator('#id').fill(conversationId);
    await page.keyboard.press('Enter');
    await heading(login).waitFor();
  });
  await page.context().close();
}

async function gone({ page, words, heading }, { conversationId, forget }) {
  await page.goto(`${server.base}/console/transcripts/${conversationId.slice(0, 20)}`);
  await check('an incomplete link says so', () => heading(words.incomplete).waitFor());
  await look(page, 'transcript-incomplete', 2);
  await check('an erased interview says that it is gone', async () => {
    equal((await forget()).status, 204, 'status of the erasure');
    await page.goto(`${server.base}/console/transcripts/${conversationId}`);
    await heading(words.gone).waitFor();
  });
  await look(page, 'transcript-gone', 2);
}

/** Only text: no element of the markup is in what was said. */
async function isOnlyText(page, of) {
  const said = page.locator(of);
  await until('the messages', async () => (await said.allTextContents()).join().includes('<img'));
  const elements = 'script, img, iframe, a[href], b, table, h1, h2, [style*=none], [onerror]';
  equal(await said.locator(elements).count(), 0, 'elements of the markup');
  for (const { text } of MARKUP) {
    const words = text.split('\n')[0];
    equal((await said.allTextContents()).join('\n').includes(words), true, words);
  }
}

/** A candidate writes markup, and the model repeats it in its reply. */
async function markup() {
  const token = server.invite.replace('/i/', '');
  const { language } = await (await fetch(`${server.base}/api/v1/invites/${token}`)).json();
  const text = MARKUP.map((one) => one.text).join('\n\n');
  model.always({
    kind: 'completion',
    // A number would end the reply, because no source of the vacancy has it.
    content: JSON.stringify({
      verdict: 'answered',
      sources: '0',
      text: text.replaceAll(/\d/g, ''),
    }),
  });
  const { page, errors } = await reader(PHONE, language);
  const requested = [];
  page.on('request', (request) => requested.push(request.url()));
  const candidate = new Candidate(page, server.base, server.invite, language);
  await candidate.open();
  await candidate.button(candidate.words.agree).click();
  await candidate.introduce();
  await candidate.field().waitFor();
  await candidate.write(text);
  await candidate.done();
  const { id, messages } = await candidate.quiet((view) => view.interviewStep === 1);
  await check('markup in a message and in a reply is shown as text on the page', async () => {
    const replies = messages.filter(({ role }) => role === 'assistant').map((one) => one.text);
    equal(replies.join('\n').includes('<script>'), true, 'markup in the reply');
    await candidate.seesTheWholeTranscript();
    await isOnlyText(page, '[role=log]');
  });
  await look(page, 'markup');
  await page.goto(`${server.base}/console/transcripts/${id}`);
  await page.getByLabel(WORDS[language].label).fill(ADMIN_TOKEN);
  await page.getByRole('button', { name: WORDS[language].open }).click();
  await check('and on the recruiter’s page', () => isOnlyText(page, '.reading-text'));
  await look(page, 'transcript-markup');
  await check('no address of the markup was called, and no script ran', async () => {
    equal(
      requested.filter((url) => url.includes('evil.example')),
      [],
      'requests',
    );
    equal(errors, [], 'errors');
  });
}

try {
  await part('a transcript is read', async () => {
    const interview = await interviewed();
    await read(interview.conversationId, PHONE, 'ru');
    const desk = await read(interview.conversationId, DESKTOP, 'en');
    await chosenLanguage(interview.conversationId);
    await gone(desk, interview);
  });
  await part('markup is only text', markup);
} finally {
  await browser.close();
  await server.close();
  await model.close();
}
process.exitCode = report() ? 0 : 1;
