/**
 * The list of interviews as it changes: who waits for a person comes on top without a reload, rows do not move while
 * somebody has the list in hand, several are selected and closed, which is taken back, new links are made, a view is
 * saved, and colleagues see who reads. At a desk in English by the keyboard, then on a phone in Russian with taps. The
 * suite always starts dist/main.js itself.
 */
import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
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
const JSON_TYPE = { 'content-type': 'application/json' };

const WORDS = {
  en: {
    joinAction: 'Join',
    name: 'Your name',
    email: 'E-mail',
    password: 'Password',
    interviews: 'Interviews',
    waiting: /^Waiting for a person/,
    asks: 'Needs a person',
    changed: /changes? in the list/,
    show: /^Show( u)?$/,
    select: (name) => `Select ${name}`,
    selected: '1 selected',
    close: 'Close',
    closed: '1 interview closed',
    undo: 'Undo',
    reopened: '1 interview open again',
    links: 'New links',
    linksOnce: /shown only now/,
    dismiss: 'Close this note',
    expired: 'Expired',
    turn: 'Candidate’s turn',
    save: 'Save this view',
    viewName: 'Name',
    saveAction: 'Save',
    view: 'My vacancy',
    everybody: 'Everybody',
    delete: 'Delete',
    reading: /^Reading now: Grace/,
    clear: 'Clear',
    shortcuts: 'Keyboard shortcuts',
  },
  ru: {
    joinAction: 'Присоединиться',
    name: 'Ваше имя',
    email: 'Почта',
    password: 'Пароль',
    interviews: 'Интервью',
    waiting: /^Ждут человека/,
    asks: 'Нужен человек',
    changed: /изменени. в списке/,
    show: /^Показать( u)?$/,
    select: (name) => `Выбрать: ${name}`,
    selected: 'Выбрано: 1',
    close: 'Закрыть',
    closed: 'Закрыто интервью: 1',
    undo: 'Отменить',
    reopened: 'Снова открыто интервью: 1',
    links: 'Новые ссылки',
    linksOnce: /видны только сейчас/,
    dismiss: 'Убрать сообщение',
    expired: 'Срок вышел',
    turn: 'Ждём кандидата',
    save: 'Сохранить вид',
    viewName: 'Название',
    saveAction: 'Сохранить',
    view: 'Моя вакансия',
    everybody: 'Все',
    delete: 'Удалить',
    reading: /^Сейчас читает: Grace/,
    clear: 'Снять выбор',
    shortcuts: 'Сочетания клавиш',
  },
};

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
    isPhone,
    words: WORDS[language],
    press: (locator) => (isPhone ? locator.tap() : locator.click()),
    button: (name) => page.getByRole('button', { name }),
    keys: async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    },
  };
}

async function join(one, link, { name, email }) {
  const { page, words } = one;
  await page.goto(link);
  await page.getByLabel(words.name, { exact: true }).fill(name);
  await page.getByLabel(words.email, { exact: true }).fill(email);
  await page.getByLabel(words.password, { exact: true }).fill(PASSWORD);
  await one.press(one.button(words.joinAction));
  await page.getByRole('heading', { name: words.interviews, level: 1 }).waitFor();
}

async function api(method, place, body, headers = {}) {
  const response = await fetch(`${server.base}/api/v1/${place}`, {
    method,
    headers: { ...JSON_TYPE, authorization: `Bearer ${ADMIN_TOKEN}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${place}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? null : response.json();
}

/** Somebody who was invited, has opened the link and has agreed. */
async function invited(slug, name) {
  const invitation = await api('POST', `vacancies/${slug}/invitations`, {
    name,
    email: 'candidate@example.org',
  });
  const invite = invitation.link.web.split('/').at(-1);
  const begun = await fetch(`${server.base}/api/v1/sessions`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ invite }),
  });
  const { conversationId: id, sessionToken } = await begun.json();
  const headers = { authorization: `Bearer ${sessionToken}` };
  const { disclosure } = await api('GET', 'conversation', undefined, headers);
  const say = (action, body = {}) => api('POST', `conversation/${action}`, body, headers);
  await say('consent', { version: disclosure.version, accepted: true });
  await say('profile', { name, contact: 'candidate@example.org' });
  return { id, name, say };
}

async function story(one, colleague, slug, suffix) {
  const { page, words, button } = one;
  const row = ({ id }) => page.locator(`[data-interview="${id}"]`);
  const order = () =>
    page
      .locator('[data-interview]')
      .evaluateAll((rows) =>
        rows
          .toSorted((a, b) => Number(a.dataset.index) - Number(b.dataset.index))
          .map(({ dataset }) => dataset.interview),
      );
  // On a phone a finger may be over the list, so that it waits for a sign.
  const appears = (subject) =>
    until(`the row of ${subject.name}`, async () => {
      if ((await row(subject).count()) > 0) return true;
      const show = button(words.show);
      if (one.isPhone && (await show.count()) > 0) await one.press(show);
      return false;
    });
  const first = await invited(slug, `Orlova ${suffix}`);
  const second = await invited(slug, `Petrov ${suffix}`);
  await check('interviews that begin are shown without a reload', async () => {
    await appears(first);
    await appears(second);
    await row(first).getByText(words.turn).waitFor();
  });
  await check('a row changes in its place, and who waits for a person comes on top', async () => {
    await first.say('human');
    await row(first).getByText(words.asks).waitFor();
    if (one.isPhone) {
      await page.getByText(words.changed).waitFor();
      await one.press(button(words.show));
    }
    await page.getByRole('heading', { name: words.waiting }).waitFor();
    // Whoever waits longer stands above it, and its vacancy's other one below, although that began later.
    await until('the interview among those who wait', async () => {
      const ids = await order();
      return ids.indexOf(first.id) < ids.indexOf(second.id);
    });
  });
  let third;
  await check(
    'while the list is in hand no row moves, and what came is shown when asked for',
    async () => {
      if (!one.isPhone) await one.keys('j');
      const before = await order();
      third = await invited(slug, `Sokolova ${suffix}`);
      await page.getByText(words.changed).waitFor();
      equal(await order(), before, 'rows');
      if (one.isPhone) await one.press(button(words.show));
      else await one.keys('u');
      await row(third).waitFor();
    },
  );
  await check('an interview is selected and closed, and that is taken back', async () => {
    if (one.isPhone) {
      await row(second).getByLabel(words.select(second.name)).tap();
    } else {
      await row(second).getByRole('link').focus();
      await one.keys('x');
    }
    await page.getByText(words.selected).waitFor();
    await look(page, `live-selected-${suffix}`, one.isPhone ? 1 : 4);
    if (one.isPhone) await one.press(button(words.close).last());
    else await one.keys('c');
    await page.getByText(words.closed).waitFor();
    await row(second).getByText(words.expired).waitFor();
    await one.press(button(words.undo));
    await page.getByText(words.reopened).waitFor();
    await row(second).getByText(words.turn).waitFor();
    await one.press(button(words.dismiss));
  });
  await check('new links are made, and shown once', async () => {
    await row(third).getByLabel(words.select(third.name)).click();
    await one.press(button(words.links));
    await page.getByText(words.linksOnce).waitFor();
    const link = await page.locator('.fates code').textContent();
    equal(/\/i\/[\w-]+$/.test(link ?? ''), true, 'a link');
    await look(page, `live-links-${suffix}`, one.isPhone ? 1 : 2);
    await one.press(button(words.dismiss));
  });
  await check('colleagues who read an interview are shown at its row', async () => {
    const status = await colleague.page.evaluate(
      async ([tab, interviewId]) => {
        const response = await fetch('/api/v1/team/reading', {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ tab, interviewId }),
        });
        return response.status;
      },
      [randomUUID(), first.id],
    );
    equal(status, 204, 'status');
    await row(first).getByText(words.reading).waitFor({ state: 'attached' });
    await look(page, `live-list-${suffix}`, one.isPhone ? 1 : 4);
  });
  await check('a view is saved, opened again and deleted', async () => {
    await page.goto(`${server.base}/console/interviews?vacancy=${slug}`);
    await row(second).waitFor();
    await one.press(button(words.save));
    const dialog = page.getByRole('dialog', { name: words.save });
    await dialog.getByLabel(words.viewName).fill(words.view);
    await one.press(dialog.getByRole('button', { name: words.saveAction, exact: true }));
    const saved = page.getByRole('link', { name: words.view });
    await saved.waitFor();
    await one.press(page.getByRole('link', { name: words.everybody, exact: true }));
    await until('no filter', () => !page.url().includes('vacancy='));
    await one.press(saved);
    await until('the filter', () => page.url().includes(`vacancy=${slug}`));
    await one.press(page.getByRole('navigation').getByRole('button', { name: words.delete }));
    const asked = page.getByRole('dialog').getByRole('button', { name: words.delete });
    await one.press(asked);
    await saved.waitFor({ state: 'hidden' });
    await one.press(page.getByRole('link', { name: words.everybody, exact: true }));
  });
}

async function inviteColleague(page, name) {
  return page.evaluate(async (given) => {
    const response = await fetch('/api/v1/users/invitations', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ role: 'recruiter', name: given }),
    });
    return (await response.json()).link;
  }, name);
}

try {
  const file = path.join(server.data, 'first-admin-link');
  const link = await until('the link of the first admin', () => {
    return fs.existsSync(file) && fs.readFileSync(file, 'utf8').trim();
  });
  const { items } = await api('GET', 'vacancies');
  const { slug } = items.find(({ language }) => language === 'en');
  const admin = await person(DESKTOP, 'en');
  const colleague = await person(DESKTOP, 'en');
  await part('At a desk, in English', async () => {
    await join(admin, link, { name: 'Ada One', email: 'ada@example.org' });
    const other = await inviteColleague(admin.page, 'Grace Two');
    await join(colleague, other, { name: 'Grace Two', email: 'grace@example.org' });
    await story(admin, colleague, slug, 'One');
  });
  await part('On a phone, in Russian', async () => {
    const phone = await person(PHONE, 'ru');
    const next = await inviteColleague(admin.page, 'Nora Three');
    await admin.context.close();
    await join(phone, next, { name: 'Nora Three', email: 'nora@example.org' });
    await story(phone, colleague, slug, 'Two');
    await phone.context.close();
  });
  await check('no page logged an error', () => equal(errors, [], 'errors'));
} finally {
  await browser.close();
  await server.close();
}
process.exitCode = report() ? 0 : 1;
