/**
 * Vacancies in the console: a new one from an example, mistakes beside the lines, two people who edit it at once, a
 * session that ends under a text, versions, a document, a preview, closing. At a desk in English by the keyboard where a
 * keyboard is what people take, then on a phone in Russian. The suite always starts dist/main.js itself.
 */
import fs from 'node:fs';
import path from 'node:path';
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
    name: 'Your name',
    email: 'E-mail',
    password: 'Password',
    joinAction: 'Join',
    interviews: 'Interviews',
    signIn: 'Sign in',
    vacancies: 'Vacancies',
    add: 'New vacancy',
    example: 'Begin from which example?',
    slug: 'Short name',
    open: 'Open in the editor',
    file: 'The file of the vacancy, YAML',
    none: 'No mistakes',
    mistake: '1 mistake',
    unsaved: /Not saved yet/,
    create: 'Create the vacancy',
    save: 'Save',
    saved: /^Saved\./,
    title: 'Senior Backend Engineer (Payments)',
    conflict: 'Two people have changed this vacancy',
    mine: 'Keep mine',
    versions: 'Versions',
    changes: /^What changed/,
    close: 'Close',
    document: /kitchen\.md/,
    preview: 'Preview',
    openPreview: 'Open the preview',
    isPreview: 'This is a preview.',
    back: 'All vacancies',
    closeVacancy: 'Close the vacancy',
    closed: 'Closed',
    reopen: 'Reopen',
  },
  ru: {
    name: 'Ваше имя',
    email: 'Почта',
    password: 'Пароль',
    joinAction: 'Присоединиться',
    interviews: 'Интервью',
    signIn: 'Вход',
    vacancies: 'Вакансии',
    add: 'Новая вакансия',
    example: 'С какого примера начать?',
    slug: 'Короткое имя',
    open: 'Открыть в редакторе',
    file: 'Файл вакансии, YAML',
    none: 'Ошибок нет',
    mistake: '1 ошибка',
    unsaved: /Ещё не сохранено/,
    create: 'Создать вакансию',
    save: 'Сохранить',
    saved: /^Сохранено\./,
    title: 'Руководитель группы поддержки',
    conflict: 'Вакансию изменили двое',
    mine: 'Оставить моё',
    versions: 'Версии',
    changes: /^Что изменилось/,
    close: 'Закрыть',
    document: /kitchen\.md/,
    preview: 'Посмотреть',
    openPreview: 'Открыть просмотр',
    isPreview: 'Это предварительный просмотр.',
    back: 'Все вакансии',
    closeVacancy: 'Закрыть вакансию',
    closed: 'Закрыта',
    reopen: 'Открыть снова',
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
    press: (locator) => (isPhone ? locator.tap() : locator.click()),
    heading: (name) => page.getByRole('heading', { name, level: 1 }),
    button: (name) => page.getByRole('button', { name, exact: true }),
    field: (name) => page.getByLabel(name, { exact: true }),
    dialog: (name) => page.getByRole('dialog', { name }),
    editor: () => page.getByRole('textbox', { name: words.file }),
    text: () => page.locator('.cm-content').innerText(),
    keys: async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    },
  };
}

async function join(one, link, email) {
  const { page, words, heading, field } = one;
  await page.goto(link);
  await field(words.name).fill(`Ada ${email.slice(0, 2)}`);
  await field(words.email).fill(email);
  await field(words.password).fill(PASSWORD);
  await one.press(one.button(words.joinAction));
  await heading(words.interviews).waitFor();
}

async function signIn(one, email) {
  const { words, field } = one;
  await one.heading(words.signIn).waitFor();
  await field(words.email).fill(email);
  await field(words.password).fill(PASSWORD);
  await one.keys('Enter');
}

/** The last line of the text is the cursor's, and is empty. */
async function toEnd(one) {
  await one.editor().focus();
  await one.keys('Control+End', 'Enter');
  // The editor has indented it.
  await one.keys('Shift+Home', 'Backspace');
}

/** Types at the end of the line that begins with `title:`, the third one of a stored file. */
async function changeTitle(one, typed) {
  await one.editor().focus();
  await one.keys('Control+Home', 'ArrowDown', 'ArrowDown', 'End');
  await one.page.keyboard.type(typed);
}

async function begin(one, slug) {
  const { page, words, button, dialog } = one;
  if (one.isPhone) await one.press(button(words.add));
  else await one.keys('n');
  await dialog(words.example).waitFor();
  await page.getByLabel(words.slug).fill(slug);
  await one.press(button(words.open));
  await one.editor().waitFor();
  await page.getByText(words.none, { exact: true }).waitFor();
}

async function mistakes(one) {
  const { page, words } = one;
  await check('the interview of the file is shown beside it', () =>
    page.locator('.plan-title', { hasText: words.title }).waitFor(),
  );
  await toEnd(one);
  await page.keyboard.type('colour: green');
  await check('a mistake is told with its line while one types, and leads there', async () => {
    await page.getByText(words.mistake, { exact: true }).waitFor();
    await one.press(page.locator('.mistakes li button').first());
    await until('the cursor in the editor', () =>
      page.evaluate(() => document.activeElement?.classList.contains('cm-content') === true),
    );
  });
  if (!one.isPhone) await look(page, 'console-vacancy-mistake');
  await check('a reload keeps the text', async () => {
    await page.getByText(words.unsaved).waitFor();
    await page.reload();
    await one.editor().waitFor();
    await page.getByText(words.mistake, { exact: true }).waitFor();
  });
  await one.editor().focus();
  await one.keys('Control+End', 'Shift+Home', 'Backspace');
  await page.getByText(words.none, { exact: true }).waitFor();
}

async function create(one) {
  const { words, heading } = one;
  await one.press(one.button(words.create));
  await heading(words.title).waitFor();
  await one.editor().waitFor();
}

async function leavesByTab(one) {
  await check('the keyboard gets out of the editor by Tab', async () => {
    await one.editor().focus();
    await one.keys('Tab');
    await until('the focus outside of the editor', () =>
      one.page.evaluate(() => document.activeElement?.closest('.yaml-editor') === null),
    );
  });
}

async function save(one) {
  await one.keys('Control+s');
  await one.page.getByText(one.words.saved).first().waitFor();
}

async function twoAtOnce(one, other) {
  const { words } = other;
  await changeTitle(one, ' One');
  await changeTitle(other, ' Other');
  await save(one);
  await check('the second of two sees the difference, and chooses', async () => {
    await other.keys('Control+s');
    await other.dialog(words.conflict).waitFor();
    const difference = other.page.locator('.difference');
    await difference.locator('del', { hasText: 'One' }).waitFor();
    await difference.locator('ins', { hasText: 'Other' }).waitFor();
    await look(other.page, 'console-vacancy-conflict');
    await other.press(other.button(words.mine));
    await other.dialog(words.conflict).waitFor({ state: 'hidden' });
    equal((await other.text()).includes('Other'), true, 'the own text is there');
    await other.editor().focus();
    await save(other);
    await other.heading(`${words.title} Other`).waitFor();
  });
  await check('both are in the versions, with what each has changed', async () => {
    await until('three versions', async () => {
      return (await other.page.locator('.versions li').count()) === 3;
    });
    await other.page.locator('.versions li button').nth(1).click();
    await other.dialog(words.changes).waitFor();
    await other.page.locator('.difference ins', { hasText: 'One' }).waitFor();
    await look(other.page, 'console-vacancy-version', 2);
    await other.press(
      other.dialog(words.changes).locator('.dialog-actions').getByText(words.close),
    );
    await other.dialog(words.changes).waitFor({ state: 'hidden' });
  });
  await check('whoever has typed nothing sees what is stored', async () => {
    await one.page.reload();
    await one.heading(`${words.title} Other`).waitFor();
  });
}

async function sessionEnds(one, other, email) {
  const { page, words } = other;
  await changeTitle(other, ' kept');
  await page.getByText(words.unsaved).waitFor();
  await one.page.evaluate(() => fetch('/api/v1/team/sessions', { method: 'DELETE' }));
  await check(
    'a text outlives the session: after the next sign-in it is in the editor',
    async () => {
      await page.reload();
      await signIn(other, email);
      await other.editor().waitFor();
      await page.getByText(words.unsaved).waitFor();
      equal((await other.text()).includes('Other kept'), true, 'the text is there');
    },
  );
  await other.editor().focus();
  await save(other);
}

async function document(one) {
  const { page, words } = one;
  await check('a document is stored, and the file names it', async () => {
    await page.reload();
    await one.editor().waitFor();
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({
        name: 'kitchen.md',
        mimeType: 'text/markdown',
        buffer: Buffer.from('# Kitchen\n\nWe have two ovens.\n'),
      });
    await page.locator('.vacancy-files li', { hasText: words.document }).waitFor();
    await until('the file with the document', () =>
      page.evaluate(async () => {
        const slug = location.pathname.split('/').at(-1);
        const file = await fetch(`/api/v1/vacancies/${slug}/file`);
        return (await file.text()).includes('kitchen.md');
      }),
    );
  });
}

async function preview(one) {
  const { context, page, words } = one;
  await check('a preview opens the interview in a new tab, and says that it is one', async () => {
    await one.press(one.button(words.preview));
    const opened = context.waitForEvent('page');
    await one.press(one.button(words.openPreview));
    const tab = await opened;
    await tab.getByText(words.isPreview).waitFor();
    if (!one.isPhone) await look(tab, 'console-vacancy-preview', 2);
    await tab.close();
    await page.bringToFront();
  });
}

async function closing(one, slug) {
  const { page, words } = one;
  await one.press(page.getByRole('link', { name: words.back, exact: true }));
  await one.heading(words.vacancies).waitFor();
  const row = page.locator('.vacancy', { has: page.locator(`a[href$="/${slug}"]`) });
  const act = async (name) => {
    await one.press(row.locator('.vacancy-menu'));
    await one.press(page.getByRole('menuitem', { name, exact: true }));
    const asked = page.getByRole('dialog').getByRole('button', { name, exact: true });
    await asked.waitFor();
    if (!one.isPhone && name === words.closeVacancy) await look(page, 'console-vacancy-close', 2);
    await one.press(asked);
    await asked.waitFor({ state: 'hidden' });
  };
  await check('a vacancy is closed and opened again, after a question', async () => {
    await act(words.closeVacancy);
    await row.getByText(words.closed, { exact: true }).waitFor();
    await act(words.reopen);
    await row.getByText(words.closed, { exact: true }).waitFor({ state: 'hidden' });
  });
  await check('inviting from its row begins with it chosen', async () => {
    await one.press(row.locator('.vacancy-invite'));
    await page.waitForURL(`**/console/invitations/new?vacancy=${slug}`);
    const chosen = page.locator('.vacancy-field input').first();
    await until('the vacancy', async () => (await chosen.inputValue()).startsWith(words.title));
  });
}

async function story(size, language, firstLink) {
  const one = await person(size, language);
  const { page, words, heading } = one;
  const email = `${language}@example.org`;
  await join(one, firstLink, email);
  const isDesk = !one.isPhone;
  if (isDesk) await one.keys('g', 'v');
  else await one.press(page.getByRole('link', { name: words.vacancies, exact: true }));
  await heading(words.vacancies).waitFor();
  await page.locator('.vacancy').nth(1).waitFor();
  await look(page, `console-vacancies-${language}`);
  await check('a new vacancy begins from an example', () => begin(one, `from-${language}`));
  if (isDesk) await look(page, 'console-vacancy-new');
  await mistakes(one);
  await check('it is created', () => create(one));
  await look(page, `console-vacancy-${language}`);
  await leavesByTab(one);
  if (isDesk) {
    const other = await person(size, language);
    await other.page.goto(page.url());
    await signIn(other, email);
    await other.editor().waitFor();
    await twoAtOnce(one, other);
    await sessionEnds(one, other, email);
    await other.context.close();
  }
  await document(one);
  await preview(one);
  await closing(one, `from-${language}`);
  // The link of the next admin.
  const link = await page.evaluate(async () => {
    const response = await fetch('/api/v1/users/invitations', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ role: 'admin' }),
    });
    return (await response.json()).link;
  });
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
    link = await story(DESKTOP, 'en', link);
  });
  await part('On a phone, in Russian', () => story(PHONE, 'ru', link));
  await check('no page logged an error', () => equal(errors, [], 'errors'));
} finally {
  await browser.close();
  await server.close();
}
process.exitCode = report() ? 0 : 1;
