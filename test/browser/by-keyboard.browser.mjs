/**
 * A recruiter's whole job by the keyboard alone: from the first admin's link over a new vacancy, an invitation, a
 * question and a rating to a decision, and out. Nothing is clicked, filled or focused by the test: every field and
 * button is reached by the shortcuts that `?` shows, and by Tab. Candidates act by the API. The suite always starts
 * dist/main.js itself.
 */
import fs from 'node:fs';
import path from 'node:path';
import {
  DESKTOP,
  TAKEN_BY_DONE,
  check,
  equal,
  openBrowser,
  part,
  report,
  startServer,
  until,
} from './harness.mjs';

const server = await startServer(TAKEN_BY_DONE);
const browser = await openBrowser();
const api = `${server.base}/api/v1`;
const JSON_TYPE = { 'content-type': 'application/json' };
const PASSWORD = 'seven slow green trams';
const QUESTION = 'Who pays for the train to the office on my first day?';
const REASON = 'Names own decisions and what they cost.';
/** More than the fields, links and buttons of any page of the walk. */
const MOST_TABS = 120;

const context = await browser.newContext({ viewport: DESKTOP, locale: 'en' });
const page = await context.newPage();
const errors = [];
page.on('pageerror', (error) => errors.push(String(error)));
const counted = { keys: 0, typed: 0 };

const heading = (name) => page.getByRole('heading', { name, level: 1 });
const button = (name) => page.getByRole('button', { name, exact: true });
const field = (name) => page.getByLabel(name, { exact: true });

async function keys(...pressed) {
  for (const key of pressed) await page.keyboard.press(key);
  counted.keys += pressed.length;
}

async function type(text) {
  await page.keyboard.type(text);
  counted.typed += text.length;
}

const isFocused = (locator) =>
  locator.evaluateAll((found) => found.length === 1 && found[0] === document.activeElement);

/** Presses Tab until the element has the focus. */
async function tabTo(locator, what) {
  await locator.waitFor();
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    if (await isFocused(locator)) return;
    await keys('Tab');
  }
  throw new Error(`Tab does not lead to ${what}`);
}

/** The focus is where the next key is meant to go, without another key. */
async function isAt(locator, what) {
  await locator.waitFor();
  await until(`the focus on ${what}`, () => isFocused(locator));
}

/** Goes down a list by `j` to the link with this name. */
async function rowOf(name) {
  const link = page.getByRole('link', { name });
  await link.waitFor();
  for (let rows = 0; rows < 20; rows += 1) {
    await keys('j');
    if (await isFocused(link)) return;
  }
  throw new Error(`j does not lead to ${name}`);
}

async function joins() {
  const file = path.join(server.data, 'first-admin-link');
  const link = await until('the link of the first admin', () => {
    return fs.existsSync(file) && fs.readFileSync(file, 'utf8').trim();
  });
  await page.goto(link);
  await heading('Join the hiring team').waitFor();
  await tabTo(page.locator('input[name=name]'), 'the name');
  await type('Ada Stone');
  await tabTo(page.locator('input[name=email]'), 'the address');
  await type('ada@example.org');
  await tabTo(page.locator('input[name=password]'), 'the password');
  await type(PASSWORD);
  await keys('Enter');
  await check('the first admin joins', () => heading('Interviews').waitFor());
}

async function learnsTheKeys() {
  await check('? shows the shortcuts, and Escape closes them', async () => {
    await keys('?');
    const shown = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await shown.waitFor();
    await keys('Escape');
    await shown.waitFor({ state: 'hidden' });
  });
}

async function makesVacancy() {
  await keys('g', 'v');
  await heading('Vacancies').waitFor();
  await keys('n');
  await page.getByRole('dialog', { name: 'Begin from which example?' }).waitFor();
  await isAt(page.getByLabel('Short name'), 'the short name');
  await type('payments');
  await keys('Enter');
  const editor = page.locator('.cm-content');
  await tabTo(editor, 'the file');
  await page.getByText('No mistakes', { exact: true }).waitFor();
  // Into the third line, the title.
  await keys('Control+Home', 'ArrowDown', 'ArrowDown', 'End');
  await check('Tab leads out of the editor again', async () => {
    await keys('Tab');
    equal(await isFocused(editor), false, 'the focus is in the editor');
    await tabTo(button('Create the vacancy'), 'the button');
  });
  await keys('Enter');
  await check('a vacancy is made from an example', () =>
    heading('Senior Backend Engineer (Payments)').waitFor(),
  );
}

/** Returns the candidate's link. */
async function invites(name) {
  await keys('g', 't');
  await heading('Invitations').waitFor();
  await keys('n');
  await heading('Invite candidates').waitFor();
  await tabTo(page.getByRole('combobox', { name: 'Vacancy' }), 'the vacancy');
  const options = page.getByRole('option');
  await keys('ArrowDown');
  await options.first().waitFor();
  const titles = await options.allTextContents();
  const at = titles.indexOf('Senior Backend Engineer (Payments)');
  for (let down = 0; down < at; down += 1) await keys('ArrowDown');
  await keys('Enter');
  await tabTo(page.locator('.one-form').getByLabel('Name', { exact: true }), 'the name');
  await type(name);
  await keys('Enter');
  await page
    .getByRole('heading', { name: `The invitation of ${name} is ready`, level: 2 })
    .waitFor();
  const shown = await field('Link').inputValue();
  await check('somebody is invited', async () => {
    const token = shown.split('/').at(-1);
    equal((await (await fetch(`${api}/invites/${token}`)).json()).state, 'open', 'the link');
  });
  return shown;
}

async function begins(link, name) {
  const begun = await fetch(`${api}/sessions`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ invite: link.split('/i/')[1] }),
  });
  const { sessionToken } = await begun.json();
  const headers = { ...JSON_TYPE, authorization: `Bearer ${sessionToken}` };
  const view = async () => (await fetch(`${api}/conversation`, { headers })).json();
  const post = (action, body = {}) =>
    fetch(`${api}/conversation/${action}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { disclosure } = await view();
  await post('consent', { version: disclosure.version, accepted: true });
  await post('profile', { name, contact: 'candidate@example.org' });
  let said = 0;
  return {
    view,
    heard: async (text) => (await view()).messages.some((one) => one.text.includes(text)),
    say: async (text) => {
      said += 1;
      await post('messages', { id: `m${said}`, text });
      await post('done', { lastMessageId: `m${said}` });
      await until('a reply', async () => {
        const { messages, replying, hasBuffer } = await view();
        return messages.at(-1).role === 'assistant' && !replying && !hasBuffer;
      });
    },
  };
}

async function answers(name, candidate) {
  await keys('g', 'n');
  await heading('Inbox').waitFor();
  await rowOf(name);
  await keys('Enter');
  await heading(name).waitFor();
  await page.locator('.talk-line').first().waitFor();
  await keys('r');
  await isAt(field('Your answer'), 'the answer');
  const answer = 'We pay for the train of your first day.';
  await type(answer);
  await keys('Control+Enter');
  await check('a question of a candidate is answered', async () => {
    await page.getByText(/^The answer is sent/).waitFor();
    await until('the answer at the candidate', () => candidate.heard(answer));
  });
}

async function rates(name) {
  await keys('g', 'i');
  await heading('Interviews').waitFor();
  await rowOf(name);
  await keys('Enter');
  await heading(name).waitFor();
  await page.locator('[data-stop]').first().waitFor();
  const criteria = await page.locator('.criterion').count();
  // The first question is about a fact, and has no marks.
  const hasMarks = () =>
    page.evaluate(() => document.activeElement?.matches('.criterion') === true);
  do await keys('j');
  while (!(await hasMarks()));
  for (let at = 0; at < criteria; at += 1) await keys(String((at % 5) + 1));
  await check(`all ${criteria} criteria get a mark by one key each`, async () => {
    equal(criteria > 3, true, 'criteria');
    await until('every mark to be saved', async () => {
      const chosen = await page.locator('.criterion [data-mark][aria-pressed=true]').count();
      const saving = await page.getByText('Saving', { exact: false }).count();
      return chosen === criteria && saving === 0;
    });
  });
  await keys('c');
  await check('what others gave is shown only then', async () => {
    await page
      .getByText(/your marks stay as they are\.$/)
      .first()
      .waitFor();
  });
}

async function decides() {
  await keys('d');
  await tabTo(page.locator('.decision input[type=radio]').first(), 'the ways of a decision');
  await keys('Space');
  await tabTo(page.locator('.reason textarea'), 'the reason');
  await type(REASON);
  await tabTo(button('Record the decision'), 'the button');
  await keys('Enter');
  await check('a decision with its reason is recorded', async () => {
    await page.getByText('Your decision is recorded.').waitFor();
    await page.locator('.made', { hasText: REASON }).waitFor();
  });
}

async function leaves() {
  await keys('Escape');
  await tabTo(page.getByRole('button', { name: /: your menu$/ }), 'the menu');
  await keys('Enter');
  const out = page.getByRole('menuitem', { name: 'Sign out' });
  await out.waitFor();
  for (let items = 0; items < 10 && !(await isFocused(out)); items += 1) await keys('ArrowDown');
  await keys('Enter');
  await check('and signs out', () => heading('Sign in').waitFor());
}

const NAME = 'Maria Orlova';

try {
  await part('By the keyboard alone: joining', joins);
  await part('the shortcuts', learnsTheKeys);
  await part('a vacancy', makesVacancy);
  let link = '';
  await part('an invitation', async () => {
    link = await invites(NAME);
  });
  if (link === '') throw new Error('nobody is invited');
  const candidate = await begins(link, NAME);
  await candidate.say(QUESTION);
  await part('a question', () => answers(NAME, candidate));
  for (let at = 0; at < 40 && (await candidate.view()).status !== 'completed'; at += 1) {
    await candidate.say(
      `Answer ${at}: I led the move of the ledger, and measured what it cost us.`,
    );
  }
  equal((await candidate.view()).status, 'completed', 'the interview');
  await part('a rating', () => rates(NAME));
  await part('a decision', decides);
  await part('the way out', leaves);
  console.log(`  counted: ${counted.keys} keys, and ${counted.typed} letters of texts`);
  await check('no page logged an error', () => equal(errors, [], 'errors'));
} finally {
  await browser.close();
  await server.close();
}
process.exitCode = report() ? 0 : 1;
