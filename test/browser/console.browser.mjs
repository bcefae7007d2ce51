/**
 * The team's console: from the first admin's link to a colleague who is invited, joins, signs out and in, ends
 * another session, and is disabled; the list of interviews; a session that ends under what was typed. At a desk in
 * English, the list by the keyboard alone, then on a phone in Russian with taps. The suite always starts
 * dist/main.js itself.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pressPlace } from './console-places.mjs';
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

const server = await startServer();
const browser = await openBrowser();
const PASSWORD = 'seven slow green trams';

const WORDS = {
  en: {
    join: 'Join the hiring team',
    joinAction: 'Join',
    name: 'Your name',
    email: 'E-mail',
    password: 'Password',
    ended: 'This link no longer works',
    interviews: 'Interviews',
    people: 'People',
    account: 'Account',
    signIn: 'Sign in',
    signOut: 'Sign out',
    wrong: /is not right/,
    inviteOpen: 'Invite',
    invite: 'Invite a colleague',
    inviteName: /^Name/,
    makeLink: 'Make the link',
    ready: 'The invitation is ready',
    done: 'Done',
    endTitle: /^End the session on/,
    end: 'End',
    thisOne: 'This one',
    current: 'Current password',
    next: 'New password',
    change: 'Change the password',
    sessionEnded: 'Your session has ended',
    changed: /Your password is changed/,
    actions: (name) => `Actions for ${name}`,
    disable: 'Disable',
    disabled: 'Disabled',
    shortcuts: 'Keyboard shortcuts',
    search: 'Search by name',
    opened: 'Opened',
    nobody: 'Nobody matches these filters',
    place: '1 of 1',
    menu: /: your menu$/,
    dark: 'Dark',
    asSystem: 'Same as system',
  },
  ru: {
    join: /^Присоединяйтесь/,
    joinAction: 'Присоединиться',
    name: 'Ваше имя',
    email: 'Почта',
    password: 'Пароль',
    ended: 'Ссылка больше не действует',
    interviews: 'Интервью',
    people: 'Коллеги',
    account: 'Учётная запись',
    signIn: 'Вход',
    signOut: 'Выйти',
    wrong: /Неверный/,
    inviteOpen: 'Пригласить',
    invite: 'Пригласить коллегу',
    inviteName: /^Имя/,
    makeLink: 'Создать ссылку',
    ready: 'Приглашение готово',
    done: 'Готово',
    endTitle: /^Завершить сеанс/,
    end: 'Завершить',
    thisOne: 'Этот сеанс',
    current: 'Текущий пароль',
    next: 'Новый пароль',
    change: 'Изменить пароль',
    sessionEnded: 'Сеанс завершён',
    changed: /Пароль изменён/,
    actions: (name) => `Действия: ${name}`,
    disable: 'Отключить',
    disabled: 'Доступ отключён',
    shortcuts: 'Сочетания клавиш',
    search: 'Поиск по имени',
    opened: 'Открыто',
    nobody: 'Никого не нашлось',
    place: '1 из 1',
    menu: /: ваше меню$/,
    dark: 'Тёмное',
    asSystem: 'Как в системе',
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
  const words = WORDS[language];
  return {
    context,
    page,
    words,
    isPhone,
    /** As people of the device do it. */
    press: (locator) => (isPhone ? locator.tap() : locator.click()),
    heading: (name) => page.getByRole('heading', { name, level: 1 }),
    button: (name) => page.getByRole('button', { name, exact: true }),
    field: (name) => page.getByLabel(name, { exact: true }),
    dialog: (name) => page.getByRole('dialog', { name }),
    keys: async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    },
  };
}

async function join(one, link, { name, email }) {
  const { page, words, heading, button, field } = one;
  await page.goto(link);
  await heading(words.join).waitFor();
  await field(words.name).fill(name);
  await field(words.email).fill(email);
  await field(words.password).fill(PASSWORD);
  await one.press(button(words.joinAction));
  await heading(words.interviews).waitFor();
}

async function signIn(one, email, password = PASSWORD) {
  const { words, field } = one;
  await field(words.email).fill(email);
  await field(words.password).fill(password);
  await one.keys('Enter');
}

async function signOut(one) {
  const { page, words, heading } = one;
  await one.press(page.getByRole('button', { name: words.menu }));
  await one.press(page.getByRole('menuitem', { name: words.signOut }));
  await heading(words.signIn).waitFor();
}

/** By its keys; on a phone in the bar below. */
async function goTo(one, place) {
  const { words, heading } = one;
  const keys = { interviews: 'i', people: 'p', account: 'a' };
  if (one.isPhone) await pressPlace(one, words[place]);
  else await one.keys('g', keys[place]);
  await heading(words[place]).waitFor();
}

/** Returns the link. */
async function invite(one, { name, role }) {
  const { page, words, button, dialog } = one;
  await goTo(one, 'people');
  if (one.isPhone) await one.press(button(words.inviteOpen));
  else await one.keys('n');
  await dialog(words.invite).waitFor();
  await page.getByLabel(words.inviteName).fill(name);
  if (role !== undefined) await page.locator(`input[value="${role}"]`).check();
  await one.press(button(words.makeLink));
  await dialog(words.ready).waitFor();
  const link = await page.locator('input[readonly]').inputValue();
  await one.press(button(words.done));
  await dialog(words.ready).waitFor({ state: 'hidden' });
  return link;
}

/** Somebody who has opened the example interview and given a name. */
async function interviewed(name) {
  const api = `${server.base}/api/v1`;
  const json = { 'content-type': 'application/json' };
  const invite = server.invite.replace('/i/', '');
  const begun = await fetch(`${api}/sessions`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ invite }),
  });
  const { sessionToken } = await begun.json();
  const headers = { ...json, authorization: `Bearer ${sessionToken}` };
  const { disclosure } = await (await fetch(`${api}/conversation`, { headers })).json();
  const post = (action, body) =>
    fetch(`${api}/conversation/${action}`, { method: 'POST', headers, body: JSON.stringify(body) });
  await post('consent', { version: disclosure.version, accepted: true });
  await post('profile', { name, contact: 'candidate@example.org' });
}

async function listByKeyboard(one, name) {
  const { page, words, heading, field } = one;
  await goTo(one, 'interviews');
  await page.getByRole('link', { name }).waitFor();
  await check('the shortcuts are shown by ? and closed by Escape', async () => {
    await one.keys('?');
    await one.dialog(words.shortcuts).waitFor();
    await one.keys('Escape');
    await one.dialog(words.shortcuts).waitFor({ state: 'hidden' });
  });
  await check('a search is begun by / and stands in the address', async () => {
    await one.keys('/');
    await page.keyboard.type(name.slice(0, 5));
    await until('the search in the address', () => page.url().includes('?text='));
    await page.getByRole('link', { name }).waitFor();
  });
  await check('a state is chosen by the keyboard, and Escape clears the search', async () => {
    await field(words.search).focus();
    await one.keys('Escape');
    await until('an empty search', () => !page.url().includes('text='));
    await one.keys('Tab');
    await one.keys('ArrowDown');
    await page.getByRole('option', { name: words.opened }).waitFor();
    await one.keys('ArrowUp', 'Enter');
    await until('a state in the address', () => page.url().includes('state='));
    await page.getByText(words.nobody).waitFor();
  });
  await check('an address with filters shows the same to everybody', async () => {
    await page.goto(`${server.base}/console/interviews?text=${encodeURIComponent(name)}`);
    await page.getByRole('link', { name }).waitFor();
  });
  await check(
    'j goes to the first interview, Enter opens it, and one comes back to the same list',
    async () => {
      await one.keys('j');
      await until('the focus on the row', () =>
        page.getByRole('link', { name }).evaluate((link) => link === document.activeElement),
      );
      await one.keys('Enter');
      await page.waitForURL('**/console/interviews/*');
      await heading(name).waitFor();
      await page.getByRole('link', { name: words.place }).click();
      await heading(words.interviews).waitFor();
      equal(page.url().includes('text='), true, 'the filters are kept');
    },
  );
}

async function listByTouch(one, name) {
  const { page, words, heading, field } = one;
  await goTo(one, 'interviews');
  await check('a card opens its interview, and one comes back to the search', async () => {
    await field(words.search).fill(name);
    await until('the search in the address', () => page.url().includes('?text='));
    await until('one row', async () => (await page.locator('[data-interview]').count()) === 1);
    await one.press(page.getByRole('link', { name }));
    await page.waitForURL('**/console/interviews/*');
    await heading(name).waitFor();
    await one.press(page.getByRole('link', { name: words.place }));
    await heading(words.interviews).waitFor();
    equal(page.url().includes('text='), true, 'the filters are kept');
  });
}

async function endsElsewhere(one, other, email) {
  const { page, words, dialog } = one;
  await other.page.goto(`${server.base}/console/account`);
  await other.heading(words.signIn).waitFor();
  await signIn(other, email);
  await check('signing in leads to where one wanted to go', () =>
    other.heading(words.account).waitFor(),
  );
  await other.field(words.current).fill(PASSWORD);
  await other.field(words.next).fill('nine quick blue buses');
  await goTo(one, 'account');
  await check('both sessions are listed, and one is this one', async () => {
    await page.getByText(words.thisOne).waitFor();
    await until('two sessions', async () => (await page.locator('.person-session').count()) === 2);
  });
  await check('the other session is ended after a question', async () => {
    await one.press(page.getByRole('button', { name: words.endTitle }));
    const end = dialog(words.endTitle).getByRole('button', { name: words.end, exact: true });
    await one.press(end);
    await until('one session', async () => (await page.locator('.person-session').count()) === 1);
  });
  await check('the ended one keeps what was typed, asks for a sign-in and goes on', async () => {
    await other.press(other.button(words.change));
    const asked = other.dialog(words.sessionEnded);
    await asked.waitFor();
    await asked.locator('input[name=password]').fill(PASSWORD);
    await other.keys('Enter');
    await other.page.getByText(words.changed).waitFor();
  });
}

/** In another tab of the same browser: nothing of the first person stays, and no question keeps the page open. */
async function anotherSignsIn(size, language, first, second) {
  const one = await person(size, language);
  const { page, context } = one;
  await page.goto(`${server.base}/console/invitations/new?mode=many`);
  await one.heading(one.words.signIn).waitFor();
  await signIn(one, first.email, first.password);
  const rows = page.locator('textarea.source-text');
  await rows.fill('Ann Lee, ann@example.org');
  await check(
    'somebody else who signs in in another tab has nothing of what was typed',
    async () => {
      let questions = 0;
      page.on('dialog', (dialog) => {
        questions += 1;
        return dialog.accept();
      });
      const address = `${server.base}/api/v1/team/session`;
      const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
      let signedIn = () => undefined;
      const isSignedIn = new Promise((resolve) => (signedIn = resolve));
      // The page asks who is signed in as soon as it hears of the end, which may be before the other one is in.
      await page.route(address, async (route) => {
        await isSignedIn;
        await route.fallback();
      });
      await context.request.delete(address, { headers });
      const { email, password } = second;
      const response = await context.request.post(address, { headers, data: { email, password } });
      equal(response.ok(), true, 'the sign-in of the other one');
      signedIn();
      const who = page.locator('.shell-who strong');
      await until('the name of the other one', async () => {
        return (await who.count()) === 1 && (await who.textContent()) === second.name;
      });
      equal([questions, await rows.inputValue()], [0, ''], 'questions, and what is typed');
    },
  );
  await context.close();
}

/** Light or dark, in the own menu. */
async function choosesColours(one) {
  const { page, words } = one;
  const choose = async (name) => {
    await one.press(page.getByRole('button', { name: words.menu }));
    await one.press(page.getByRole('menuitemradio', { name }));
    await page.getByRole('menuitemradio', { name, checked: true }).waitFor();
    await one.keys('Escape');
    await page.getByRole('menu').waitFor({ state: 'hidden' });
  };
  const colours = () => page.locator('html').getAttribute('data-mantine-color-scheme');
  await check('the colours are chosen in the menu, and stay after a reload', async () => {
    await choose(words.dark);
    await page.reload();
    await one.heading(words.people).waitFor();
    equal(await colours(), 'dark', 'scheme');
    await choose(words.asSystem);
    equal(await colours(), 'light', 'scheme');
  });
}

async function story(size, language, firstLink, suffix) {
  const admin = await person(size, language);
  const { page, words } = admin;
  const email = (who) => `${who}-${suffix}@example.org`;
  const colleagueName = `Grace ${suffix}`;
  await check(`the first link makes an admin (${language})`, () =>
    join(admin, firstLink, { name: `Ada ${suffix}`, email: email('ada') }),
  );
  await check('the link works once', async () => {
    const second = await person(size, language);
    await second.page.goto(firstLink);
    await second.heading(words.ended).waitFor();
    await second.context.close();
  });
  const link = await invite(admin, { name: colleagueName });

  const colleague = await person(size, language);
  const other = await person(size, language);
  if (language === 'en') {
    await colleague.page.goto(link);
    await colleague.heading(words.join).waitFor();
    await look(colleague.page, 'console-join');
  }
  await check('a colleague joins by the link, and has no page of the people', async () => {
    await join(colleague, link, { name: colleagueName, email: email('grace') });
    equal(await colleague.page.getByRole('link', { name: words.people }).count(), 0, 'links');
  });
  await check('they sign out and in; a wrong password is said in words', async () => {
    await signOut(colleague);
    await signIn(colleague, email('grace'), 'another long password');
    await colleague.page.getByText(words.wrong).waitFor();
    await signIn(colleague, email('grace'));
    await colleague.heading(words.interviews).waitFor();
  });
  if (language === 'en') {
    const stranger = await person(size, language);
    await stranger.page.goto(`${server.base}/console`);
    await stranger.field(words.password).waitFor();
    await look(stranger.page, 'console-sign-in');
    await stranger.context.close();
  }
  await endsElsewhere(colleague, other, email('grace'));
  await anotherSignsIn(
    size,
    language,
    { email: email('grace'), password: 'nine quick blue buses' },
    { name: `Ada ${suffix}`, email: email('ada'), password: PASSWORD },
  );

  const candidate = `Orlova ${suffix}`;
  await interviewed(candidate);
  await page.reload();
  // Keys that come before the page is there are lost.
  await admin.heading(words.people).waitFor();
  if (admin.isPhone) await listByTouch(admin, candidate);
  else await listByKeyboard(admin, candidate);
  if (language === 'en') await look(page, 'console-interviews');

  await check('an admin disables them', async () => {
    await goTo(admin, 'people');
    const actions = admin.button(words.actions(colleagueName));
    await admin.press(actions);
    const item = page.getByRole('menuitem', { name: words.disable, exact: true });
    await item.waitFor();
    if (language === 'en') await look(page, 'console-people-menu', 2);
    await admin.press(item);
    const disable = page.getByRole('dialog').getByRole('button', { name: words.disable });
    await disable.waitFor();
    if (language === 'en') await look(page, 'console-disable', 2);
    await admin.press(disable);
    await page.getByText(words.disabled, { exact: true }).waitFor();
    await until('the focus on the button that began it', () =>
      actions.evaluate((button) => button === document.activeElement),
    );
  });
  if (language === 'en') await look(page, 'console-people');
  await check('they are out at once, and cannot sign in', async () => {
    await other.page.reload();
    await other.heading(words.signIn).waitFor();
    await signIn(other, email('grace'), 'nine quick blue buses');
    await other.page.getByText(words.wrong).waitFor();
  });
  await choosesColours(admin);
  if (language === 'en') {
    await goTo(admin, 'account');
    await look(page, 'console-account');
  }
  const next = await invite(admin, { name: 'Next', role: 'admin' });
  for (const { context } of [admin, colleague, other]) await context.close();
  return next;
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
