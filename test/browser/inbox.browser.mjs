/**
 * The inbox of the team's console: candidates who wait for a person and who ask something, taken over, written to,
 * handed back, answered and closed; a draft that survives a reload and the end of a session; a colleague who has taken
 * it; a candidate who is erased meanwhile. At a desk in English by the keyboard, then on a phone in Russian with taps.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pressPlace } from './console-places.mjs';
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

const server = await startServer({ ...TAKEN_BY_DONE, ADMIN_TOKEN });
const browser = await openBrowser();
const PASSWORD = 'seven slow green trams';
const QUESTION = 'I have dyslexia; could somebody read the questions to me on the phone?';

const WORDS = {
  en: {
    name: 'Your name',
    email: 'E-mail',
    password: 'Password',
    joinAction: 'Join',
    interviews: 'Interviews',
    inbox: 'Inbox',
    needsPerson: 'Needs a person',
    question: 'Question',
    typing: /is typing…$/,
    takenOver: /^You have the interview/,
    sent: 'Sent.',
    message: 'Your message',
    answer: 'Your answer',
    send: 'Send',
    sendAnswer: 'Send the answer',
    keep: 'Also add it to the vacancy’s documents',
    ownQuestion: 'The question, in your own words',
    answered: /^The answer is sent/,
    takeOver: 'Take over',
    handedBack: /^The interviewer goes on/,
    handBack: 'Hand back',
    close: 'Close',
    closeTitle: 'Close this?',
    reason: 'What was done',
    closed: 'Closed.',
    free: 'Nobody has it.',
    held: /^Grace .+ has it since/,
    takeFrom: /^Take it from Grace/,
    yours: 'It is yours.',
    sessionEnded: 'Your session has ended',
    erased: 'This candidate was erased',
    nothing: 'Nothing needs a person',
  },
  ru: {
    name: 'Ваше имя',
    email: 'Почта',
    password: 'Пароль',
    joinAction: 'Присоединиться',
    interviews: 'Интервью',
    inbox: 'Входящие',
    needsPerson: 'Нужен человек',
    question: 'Вопрос',
    typing: /пишет…$/,
    takenOver: /^Интервью у вас/,
    sent: 'Отправлено.',
    message: 'Ваше сообщение',
    answer: 'Ваш ответ',
    send: 'Отправить',
    sendAnswer: 'Отправить ответ',
    keep: 'Добавить и в документы вакансии',
    ownQuestion: 'Вопрос вашими словами',
    answered: /^Ответ отправлен/,
    takeOver: 'Взять интервью на себя',
    handedBack: /^Интервьюер продолжает/,
    handBack: 'Вернуть интервьюеру',
    close: 'Закрыть',
    closeTitle: 'Закрыть?',
    reason: 'Что сделано',
    closed: 'Закрыто.',
    free: 'Этим никто не занят.',
    nothing: 'Человек сейчас не нужен',
  },
};

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
    press: (locator) => (isPhone ? locator.tap() : locator.click()),
    heading: (name) => page.getByRole('heading', { name, level: 1 }),
    button: (name) => page.getByRole('button', { name, exact: true }),
    field: (name) => page.getByLabel(name, { exact: true }),
    dialog: (name) => page.getByRole('dialog', { name }),
    told: (words) => page.locator('.notice').getByText(words).last(),
  };
}

async function join(one, link, { name, email }) {
  const { page, words, heading, button, field } = one;
  await page.goto(link);
  await field(words.name).fill(name);
  await field(words.email).fill(email);
  await field(words.password).fill(PASSWORD);
  await one.press(button(words.joinAction));
  await heading(words.interviews).waitFor();
}

/** With the session of the page. Returns the body. */
function request(page, method, address, body) {
  return page.evaluate(
    async ([how, where, what]) => {
      const response = await fetch(where, {
        method: how,
        headers: what === null ? {} : { 'content-type': 'application/json' },
        body: what === null ? undefined : JSON.stringify(what),
      });
      if (!response.ok) throw new Error(`${where}: ${response.status} ${await response.text()}`);
      return response.status === 204 ? null : response.json();
    },
    [method, address, body ?? null],
  );
}

/** Somebody who has begun the example interview. */
async function candidate(name) {
  const api = `${server.base}/api/v1`;
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ invite: server.invite.replace('/i/', '') });
  const begun = await fetch(`${api}/sessions`, { method: 'POST', headers: json, body });
  const { sessionToken, conversationId } = await begun.json();
  const headers = { ...json, authorization: `Bearer ${sessionToken}` };
  const view = async () => (await fetch(`${api}/conversation`, { headers })).json();
  const post = (action, what = {}) =>
    fetch(`${api}/conversation/${action}`, { method: 'POST', headers, body: JSON.stringify(what) });
  const { disclosure } = await view();
  await post('consent', { version: disclosure.version, accepted: true });
  await post('profile', { name, contact: 'candidate@example.org' });
  const heard = async (text) => (await view()).messages.some((one) => one.text === text);
  const say = async (text) => {
    await post('messages', { id: text.slice(0, 100), text });
    await post('done', { lastMessageId: text.slice(0, 100) });
  };
  return { name, conversationId, view, post, heard, say };
}

async function asksForPerson(name) {
  const one = await candidate(name);
  await one.post('human');
  return one;
}

/** They ask for something that no document covers. */
async function asks(name, page) {
  const one = await candidate(name);
  await one.say(QUESTION);
  await until(`the question of ${name}`, async () => {
    const { items } = await request(page, 'GET', '/api/v1/admin/attention?kind=question');
    return items.some(({ conversationId }) => conversationId === one.conversationId);
  });
  return one;
}

async function erase({ conversationId }) {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const interview = await fetch(`${server.base}/api/v1/interviews/${conversationId}`, { headers });
  const { candidate: about } = await interview.json();
  const place = `${server.base}/api/v1/admin/candidates/${about.id}/erase`;
  const erased = await fetch(place, { method: 'POST', headers });
  equal(erased.ok, true, 'erased');
}

/** The row of the inbox with this name. */
const rowOf = ({ page }, name) => page.locator('.inbox-row', { hasText: name });

async function atDesk(link) {
  const ada = await person(DESKTOP, 'en');
  const grace = await person(DESKTOP, 'en');
  const { page, words, heading, button, field, dialog } = ada;
  await join(ada, link, { name: 'Ada One', email: 'ada@example.org' });
  const waiting = await asksForPerson('Orlova');
  const asking = await asks('Lund', page);

  await check('g n leads to the inbox, where the longest waiting is first', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('n');
    await heading(words.inbox).waitFor();
    await rowOf(ada, 'Lund').waitFor();
    const names = await page.locator('.inbox-row .row-link').allTextContents();
    equal(names, ['Orlova', 'Lund'], 'names');
    await rowOf(ada, 'Lund').getByText(QUESTION).waitFor();
  });
  const counted = (count) =>
    until('the number at the inbox', async () => {
      return (await page.locator('.shell-count').allTextContents()).join() === count;
    });
  await check('the navigation says how many wait', () => counted('2'));
  await look(page, 'inbox');
  await check('j and Enter open the first one, as its candidate sees it', async () => {
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await heading('Orlova').waitFor();
    await page.locator('.talk-line').first().waitFor();
    await page.getByText(words.free).waitFor();
  });
  await check('t takes over, and the candidate’s page hears of it', async () => {
    await page.keyboard.press('t');
    await ada.told(words.takenOver).waitFor();
    equal((await waiting.view()).owner, 'person', 'owner');
  });
  await check('the candidate types, and it is shown', async () => {
    await waiting.post('activity', { type: 'typing' });
    await page.locator('.talk-typing').getByText(words.typing).waitFor();
  });
  const hello = 'Hello, this is Ada. How can I help?';
  await check('what is typed is there after a reload', async () => {
    await page.keyboard.press('r');
    await page.keyboard.type(hello);
    await page.reload();
    await page.locator('.talk-line').first().waitFor();
    equal(await field(words.message).inputValue(), hello, 'draft');
  });
  await look(page, 'inbox-item');
  await check('Ctrl with Enter sends it, and it stands in the interview', async () => {
    await field(words.message).focus();
    await page.keyboard.press('Control+Enter');
    await page.locator('.talk-person').getByText(hello).waitFor();
    await until('the message', () => waiting.heard(hello));
    equal(await field(words.message).inputValue(), '', 'draft');
  });
  await check('h hands it back, and the candidate is asked again', async () => {
    await page.keyboard.press('Escape');
    await heading('Orlova').focus();
    await page.keyboard.press('h');
    await ada.told(words.handedBack).waitFor();
    equal((await waiting.view()).owner, 'model', 'owner');
  });
  await check('the number follows by itself', () => counted('1'));

  await check(
    'an interview is taken over from its own page, too, and handed back here',
    async () => {
      await page.goto(`${server.base}/console/interviews/${waiting.conversationId}`);
      await button(words.takeOver).click();
      await page.locator('.talk-line').first().waitFor();
      equal((await waiting.view()).owner, 'person', 'owner');
      await heading('Orlova').focus();
      await page.keyboard.press('h');
      await ada.told(words.handedBack).waitFor();
      await until('the interviewer', async () => (await waiting.view()).owner === 'model');
    },
  );

  const invited = await request(page, 'POST', '/api/v1/users/invitations', { role: 'admin' });
  await join(grace, invited.link, { name: 'Grace Two', email: 'grace@example.org' });
  const { items } = await request(page, 'GET', '/api/v1/admin/attention');
  const ofAsking = items.find(({ conversationId }) => conversationId === asking.conversationId);
  const place = `${server.base}/console/inbox/${ofAsking.id}`;
  await check('a colleague takes over, and whoever reads it is told who has it', async () => {
    await page.goto(place);
    await field(words.answer).fill('Half an answer');
    await grace.page.goto(place);
    await grace.press(grace.button(words.takeOver));
    await grace.told(words.takenOver).waitFor();
    await page.getByText(words.held).waitFor();
    equal(await button(words.close).count(), 0, 'buttons');
  });
  await look(page, 'inbox-held', 2);
  await check(
    'it is taken from them after a question, and what was typed is still there',
    async () => {
      await button(words.takeFrom).click();
      await dialog(/Grace/).getByRole('button', { name: words.takeFrom }).click();
      await ada.told(words.yours).waitFor();
      equal(await field(words.message).inputValue(), 'Half an answer', 'draft');
    },
  );
  await check(
    'a session that ends meanwhile keeps the text, and the message is sent after it',
    async () => {
      const { users } = await request(grace.page, 'GET', '/api/v1/users');
      const { id } = users.find(({ name }) => name === 'Ada One');
      await request(grace.page, 'DELETE', `/api/v1/users/${id}/sessions`);
      const asked = dialog(words.sessionEnded);
      await asked.waitFor();
      await asked.locator('input[name=password]').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await asked.waitFor({ state: 'hidden' });
      equal(await field(words.message).inputValue(), 'Half an answer', 'draft');
      await button(words.send).click();
      await until('the message', () => asking.heard('Half an answer'));
    },
  );
  await check('c closes with a reason', async () => {
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('c');
    await dialog(words.closeTitle).getByLabel(words.reason).fill('Called them.');
    await look(page, 'inbox-close', 1);
    await dialog(words.closeTitle).locator('button[type=submit]').click();
    await ada.told(words.closed).waitFor();
    await heading(words.inbox).waitFor();
  });
  await check('who reads an interview whose candidate is erased is told so', async () => {
    await rowOf(ada, 'Lund').locator('.row-link').click();
    await field(words.message).fill('A name nobody may keep');
    await erase(asking);
    await heading(words.erased).waitFor();
    const kept = await page.evaluate(() => JSON.stringify({ ...sessionStorage }));
    equal(kept.includes('A name'), false, 'kept');
  });
  await check('an empty inbox says so', async () => {
    await page.goto(`${server.base}/console/inbox`);
    await page.getByText(words.nothing).waitFor();
  });
  const next = await request(grace.page, 'POST', '/api/v1/users/invitations', { role: 'admin' });
  for (const { context } of [ada, grace]) await context.close();
  return next.link;
}

async function onPhone(link) {
  const vera = await person(PHONE, 'ru');
  const { page, words, heading, button, field } = vera;
  await join(vera, link, { name: 'Вера', email: 'vera@example.org' });
  const asking = await asks('Соколова', page);
  const waiting = await asksForPerson('Белова');

  await check('the inbox is in the bar below, and its rows are cards', async () => {
    // Its name ends with how many wait.
    await pressPlace(vera, words.inbox);
    await heading(words.inbox).waitFor();
    await vera.press(rowOf(vera, 'Соколова').locator('.row-link'));
    await heading('Соколова').waitFor();
    await page.locator('.talk-line').first().waitFor();
  });
  await check('a question is answered and kept in the documents in one step', async () => {
    await field(words.answer).fill('Да, мы позвоним вам завтра.');
    await vera.press(page.getByText(words.keep));
    await field(words.ownQuestion).fill('Можно ли пройти интервью по телефону?');
    await look(page, 'inbox-answer', 2);
    await vera.press(button(words.sendAnswer));
    await vera.told(words.answered).waitFor();
    await until('the answer', () => asking.heard('Да, мы позвоним вам завтра.'));
    const { items } = await request(page, 'GET', '/api/v1/vacancies');
    const documents = [];
    for (const { slug } of items) {
      const found = await request(page, 'GET', `/api/v1/vacancies/${slug}/documents`);
      documents.push(...found.items.map(({ name }) => name));
    }
    equal(
      documents.some((name) => name.startsWith('questions-and-answers.')),
      true,
      'document',
    );
  });
  await check('an interview is taken over, written in and handed back by taps', async () => {
    await vera.press(rowOf(vera, 'Белова').locator('.row-link'));
    await heading('Белова').waitFor();
    await vera.press(button(words.takeOver));
    await vera.told(words.takenOver).waitFor();
    await field(words.message).fill('Здравствуйте, это Вера.');
    await vera.press(button(words.send));
    await until('the message', () => waiting.heard('Здравствуйте, это Вера.'));
    await vera.press(button(words.handBack));
    await vera.told(words.handedBack).waitFor();
  });
  await vera.context.close();
}

try {
  // A log does not show it.
  const file = path.join(server.data, 'first-admin-link');
  const first = await until('the link of the first admin', () => {
    return fs.existsSync(file) && fs.readFileSync(file, 'utf8').trim();
  });
  let link = '';
  await part('At a desk, in English', async () => {
    link = await atDesk(first);
  });
  await part('On a phone, in Russian', () => onPhone(link));
  await check('no page logged an error', () => equal(errors, [], 'errors'));
} finally {
  await browser.close();
  await server.close();
}
process.exitCode = report() ? 0 : 1;
