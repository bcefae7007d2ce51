/**
 * Inviting in the team's console: one person, with a link, a PIN, a QR code and a message; many from a pasted
 * spreadsheet, of whom three rows are wrong, corrected and sent again alone; the links as a file; an import that a
 * closed page comes back to; issuing again and revoking; a closed vacancy; a session that ends under what was pasted.
 * At a desk in English, then on a phone in Russian with taps. The suite always starts dist/main.js itself.
 */
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

const WORDS = {
  en: {
    join: 'Join the hiring team',
    joinAction: 'Join',
    name: 'Your name',
    email: 'E-mail',
    password: 'Password',
    interviews: 'Interviews',
    invitations: 'Invitations',
    invite: 'Invite',
    newTitle: 'Invite candidates',
    vacancy: 'Vacancy',
    one: {
      name: 'Name',
      email: 'E-mail',
      action: 'Make the link',
      wrong: /"E-mail" is not one e-mail address/,
      ready: (name) => `The invitation of ${name} is ready`,
      other: 'Russian',
      greeting: (name) => `Здравствуйте, ${name}!`,
    },
    link: 'Link',
    pin: 'PIN',
    message: 'Message to send',
    qr: 'QR code of the link',
    done: 'Done',
    many: 'Many people',
    paste: 'Rows of the spreadsheet',
    says: (column) => `What “${column}” says`,
    action: (count) => `Invite ${count} ${count === 1 ? 'person' : 'people'}`,
    fullName: 'Full name',
    mail: 'E-mail',
    leave: 'Do not send',
    nobody: /No column says who is invited/,
    created: (count) => `${count} ${count === 1 ? 'link' : 'links'} made`,
    refused: (count) => `${count} refused`,
    line: (line) => `Line ${line}`,
    correct: (count) => `Send ${count} corrected row${count === 1 ? '' : 's'}`,
    download: 'Download the links',
    downloaded: /^Downloaded/,
    again: 'Download once more',
    keptLinks: /are not downloaded yet/,
    show: 'Show',
    every: 'Every row',
    search: 'Search by name or external id',
    actions: (name) => `Actions for ${name}`,
    reissue: 'Issue again',
    reissueTitle: (name) => `A new link for ${name}?`,
    revoke: 'Revoke',
    revokeTitle: (name) => `Revoke the invitation of ${name}?`,
    told: (name) => `The invitation of ${name} is revoked.`,
    revoked: 'Revoked',
    state: 'State',
    revokedState: 'Revoked or replaced',
    closed: /vacancy is closed/,
    sessionEnded: 'Your session has ended',
  },
  ru: {
    join: /^Присоединяйтесь/,
    joinAction: 'Присоединиться',
    name: 'Ваше имя',
    email: 'Почта',
    password: 'Пароль',
    interviews: 'Интервью',
    invitations: 'Приглашения',
    invite: 'Пригласить',
    newTitle: 'Пригласить кандидатов',
    vacancy: 'Вакансия',
    one: {
      name: 'Имя',
      email: 'Почта',
      action: 'Создать ссылку',
      wrong: /«Почта» — не один адрес/,
      ready: (name) => `Приглашение готово: ${name}`,
      other: 'По-английски',
      greeting: (name) => `Hello ${name},`,
    },
    link: 'Ссылка',
    pin: 'PIN-код',
    message: 'Текст для отправки',
    qr: 'QR-код ссылки',
    done: 'Готово',
    many: 'Много людей',
    paste: 'Строки таблицы',
    says: (column) => `Что в столбце «${column}»`,
    action: (count) => `Пригласить ${count} человек`,
    fullName: 'Полное имя',
    mail: 'Почта',
    leave: 'Не отправлять',
    nobody: /Ни один столбец не говорит/,
    created: (count) => `Ссылок готово: ${count}`,
    refused: (count) => `Не принято: ${count}`,
    line: (line) => `Строка ${line}`,
    correct: (count) => `Отправить ${count} исправленные строки`,
    download: 'Скачать ссылки',
    downloaded: /^Скачано/,
    again: 'Скачать ещё раз',
    keptLinks: /ещё не скачаны/,
    show: 'Показать',
    every: 'Все строки',
    search: 'Поиск по имени или внешнему id',
    actions: (name) => `Действия: ${name}`,
    reissue: 'Выпустить заново',
    reissueTitle: (name) => `Новая ссылка: ${name}?`,
    revoke: 'Отозвать',
    revokeTitle: (name) => `Отозвать приглашение: ${name}?`,
    told: (name) => `Приглашение отозвано: ${name}.`,
    revoked: 'Отозвано',
    state: 'Состояние',
    revokedState: 'Отозвано или заменено',
    closed: /вакансия закрыта|Вакансия закрыта/,
    sessionEnded: 'Сеанс завершён',
  },
};

/** What a page logged as an error, but not a response that the test provokes. */
const errors = [];

async function person(size, language) {
  const isPhone = size === PHONE;
  const touch = isPhone ? { hasTouch: true, isMobile: true } : {};
  const context = await browser.newContext({
    viewport: size,
    locale: language,
    acceptDownloads: true,
    ...touch,
  });
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
    language,
    words: WORDS[language],
    /** As people of the device do it. */
    press: (locator) => (isPhone ? locator.tap() : locator.click()),
    heading: (name, level = 1) => page.getByRole('heading', { name, level }),
    button: (name) => page.getByRole('button', { name, exact: true }),
    field: (name) => page.getByLabel(name, { exact: true }),
    dialog: (name) => page.getByRole('dialog', { name }),
  };
}

async function api(method, place, body) {
  const response = await fetch(`${server.base}/api/v1/${place}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${method} ${place}: ${response.status}`);
  return response.json();
}

/** A small vacancy, so that closing it harms no other part of the walk. */
function addVacancy(slug, title, language) {
  return api('POST', 'vacancies', {
    ...{ slug, language, title, company: 'Harbourline', minutes: 25 },
    owner: { name: 'Nora Lindqvist' },
    ...{ greeting: 'Hello, and welcome.', closing: 'Thank you, that was all.' },
    questions: [{ id: 'last', text: 'What did you bake last?', rubric: 'A bread.' }],
  });
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

/** By its keys; on a phone in the bar below. */
async function toInvitations(one) {
  const { page, words, heading } = one;
  if (one.isPhone) {
    await one.press(page.getByRole('link', { name: words.invitations, exact: true }).first());
  } else {
    for (const key of ['g', 't']) await page.keyboard.press(key);
  }
  await heading(words.invitations).waitFor();
}

async function toNew(one, slug) {
  await one.page.goto(`${server.base}/console/invitations/new?vacancy=${slug}`);
  await one.heading(one.words.newTitle).waitFor();
}

/** As the candidate's page is told. */
async function stateOf(link) {
  const token = link.split('/').at(-1);
  return (await (await fetch(`${server.base}/api/v1/invites/${token}`)).json()).state;
}

/** Returns the link. */
async function invitesOne(one, slug, name) {
  const { page, words, field, button, heading } = one;
  const form = page.locator('.one-form');
  await toInvitations(one);
  if (one.isPhone) await one.press(page.getByRole('link', { name: words.invite, exact: true }));
  else await page.keyboard.press('n');
  await heading(words.newTitle).waitFor();
  await toNew(one, slug);
  await check(
    'what the server would not take is said in words, and what was typed stays',
    async () => {
      await form.getByLabel(words.one.name, { exact: true }).fill(name);
      await form.getByLabel(words.one.email, { exact: true }).fill('nowhere');
      await one.press(button(words.one.action));
      await page.getByText(words.one.wrong).waitFor();
      equal(await form.getByLabel(words.one.name, { exact: true }).inputValue(), name, 'the name');
    },
  );
  if (one.language === 'en') await look(page, 'invitations-one');
  await form.getByLabel(words.one.email, { exact: true }).fill('ada@example.org');
  await one.press(button(words.one.action));
  await heading(words.one.ready(name), 2).waitFor();
  const link = await field(words.link).inputValue();
  await check('the link, the PIN, the QR code and a message to send are shown', async () => {
    equal(await stateOf(link), 'open', 'the link');
    equal(/^\d{4}-\d{4}-\d{4}$/.test(await field(words.pin).inputValue()), true, 'a PIN');
    await page.locator('.qr .qr-code').waitFor();
    const message = page.locator('.link-message textarea');
    const text = await message.inputValue();
    for (const needed of [name, link, 'Harbourline', '25']) {
      equal([needed, text.includes(needed)], [needed, true], 'the message');
    }
    await one.press(button(words.one.other));
    equal((await message.inputValue()).startsWith(words.one.greeting(name)), true, 'the other one');
  });
  if (one.language === 'en') await look(page, 'invitations-link');
  await check('the printed page has the QR code and nothing of the console', async () => {
    await page.emulateMedia({ media: 'print' });
    equal(await page.locator('.print-page .qr-code').isVisible(), true, 'the code');
    equal(await page.locator('.shell').isVisible(), false, 'the console');
    await page.emulateMedia({ media: null });
  });
  return link;
}

/** Twelve people under names of columns that nobody knows; the rows of lines 4, 8 and 14 are wrong. */
function sheet(suffix) {
  const rows = Array.from({ length: 12 }, (_, at) => {
    const number = at + 1;
    const name = number === 3 ? '???' : `Guest ${suffix} ${number}`;
    const mail =
      number === 7 || number === 12 ? 'nowhere' : `guest-${suffix}-${number}@example.org`;
    return `${name}\t${mail}\t${1000 + number}`;
  });
  // An empty line, as spreadsheets have them: lines are counted with it.
  return ['Person\tWhere to write\tWage', ...rows.slice(0, 8), '', ...rows.slice(8)].join('\n');
}

async function pasted(one, text) {
  const { page, words, field } = one;
  await one.press(page.getByRole('link', { name: words.many, exact: true }));
  await field(words.paste).fill(text);
}

async function invitesMany(one, slug, suffix, email) {
  const { page, words, field, button } = one;
  await toNew(one, slug);
  await pasted(one, sheet(suffix));
  await check('columns that nobody knows are asked about', async () => {
    await page.getByText(words.nobody).waitFor();
    await field(words.says('Person')).selectOption({ label: words.fullName });
    await field(words.says('Where to write')).selectOption({ label: words.mail });
    await field(words.says('Wage')).selectOption({ label: words.leave });
    await button(words.action(12)).waitFor();
    equal(await page.locator('.columns-scroll tbody tr').count(), 5, 'rows of the preview');
  });
  if (one.language === 'en') await look(page, 'invitations-columns');
  await check('a session that ends under it asks for a sign-in, and goes on', async () => {
    await one.context.clearCookies();
    await one.press(button(words.action(12)));
    const asked = one.dialog(words.sessionEnded);
    await asked.waitFor();
    equal(await field(words.paste).inputValue(), sheet(suffix), 'what was pasted');
    await asked.locator('input[name=email]').fill(email);
    await asked.locator('input[name=password]').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL(/new\?import=/);
  });
  await check('nine are invited; three are refused in the lines of the sheet', async () => {
    await page.getByText(words.created(9), { exact: true }).waitFor();
    await page.getByText(words.refused(3), { exact: true }).waitFor();
    const lines = await page.locator('.correct-row strong').allTextContents();
    equal(lines, [4, 8, 14].map(words.line), 'lines');
  });
  await check('nobody sees what was left out', async () => {
    equal(await page.getByText('1003').count(), 0, 'wages');
  });
  if (one.language === 'en') await look(page, 'invitations-refused');
  await check('the three are corrected in place, and only they are sent again', async () => {
    const rows = page.locator('.correct li');
    await rows.nth(0).getByLabel('Person', { exact: true }).fill(`Guest ${suffix} 3`);
    for (const at of [1, 2]) {
      await rows.nth(at).getByLabel('Where to write').fill(`corrected-${suffix}-${at}@example.org`);
    }
    await one.press(button(words.correct(3)));
    await page.getByText(words.created(12), { exact: true }).waitFor();
    await page.getByText(words.refused(0), { exact: true }).waitFor();
    const { items } = await api('GET', `invitations?vacancy=${slug}&limit=100&text=Guest`);
    equal(items.length, 12, 'invitations');
  });
  await downloads(one, suffix);
}

async function downloads(one, suffix) {
  const { page, words, button } = one;
  await check('the links are saved with the own columns, and the key is forgotten', async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      one.press(button(words.download)),
    ]);
    await page.getByText(words.downloaded).waitFor();
    const lines = fs
      .readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n');
    equal(lines.length, 13, 'lines');
    equal(lines[0].includes('Where to write'), true, 'own columns');
    equal(lines[0].includes('Wage'), false, 'what was left out');
    const third = lines.find((line) => line.includes(`Guest ${suffix} 3`)) ?? '';
    equal(
      await stateOf(/https?:\S+?(?=[,;])/.exec(third)?.[0] ?? ''),
      'open',
      'a link of a corrected row',
    );
    const kept = await page.evaluate(() => localStorage.getItem('colloquy.imports'));
    equal(/"linkKey":"/.test(kept ?? ''), false, 'kept keys');
    await button(words.again).waitFor();
  });
}

async function comesBack(one, slug, suffix) {
  const { page, words, button } = one;
  await toNew(one, slug);
  await pasted(
    one,
    `name,email\nBack ${suffix},back-${suffix}@example.org\nWrong ${suffix},nowhere\n`,
  );
  await one.press(page.locator('.many-form').getByRole('button').last());
  await page.waitForURL(/new\?import=/);
  await check('a page that was closed is told of by the list, which leads back', async () => {
    await page.goto(`${server.base}/console/invitations`);
    await page.getByText(words.keptLinks).waitFor();
    if (one.language === 'en') await look(page, 'invitations-kept', 2);
    await one.press(page.getByRole('link', { name: words.show, exact: true }));
    await page.getByText(words.created(1), { exact: true }).waitFor();
    equal(await page.locator('.correct-row strong').allTextContents(), [words.line(3)], 'lines');
    await page.getByRole('region', { name: words.every }).getByText(words.line(2)).waitFor();
  });
  await check('its links are still there, once', async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      one.press(button(words.download)),
    ]);
    equal(
      fs
        .readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\r\n').length,
      2,
      'lines',
    );
    await page.goto(`${server.base}/console/invitations`);
    await page.getByRole('table').waitFor();
    equal(await page.getByText(words.keptLinks).count(), 0, 'what is told');
  });
}

async function choosesAction(one, name, action) {
  await one.press(one.button(one.words.actions(name)));
  await one.press(one.page.getByRole('menuitem', { name: action, exact: true }));
}

async function changesOne(one, name, link) {
  const { page, words, field, button, dialog } = one;
  await toInvitations(one);
  await field(words.search).fill(name);
  await until('the search in the address', () => page.url().includes('?text='));
  await page.getByText(name, { exact: true }).waitFor();
  if (one.language === 'en') await look(page, 'invitations-list');
  await check('a new link is shown once, and the old one works no more', async () => {
    await choosesAction(one, name, words.reissue);
    await dialog(words.reissueTitle(name)).waitFor();
    await one.press(dialog(words.reissueTitle(name)).getByRole('button', { name: words.reissue }));
    await dialog(words.one.ready(name)).waitFor();
    const next = await field(words.link).inputValue();
    equal([await stateOf(link), await stateOf(next)], ['expired', 'open'], 'the links');
    if (one.language === 'en') await look(page, 'invitations-reissued', 2);
    await one.press(button(words.done));
    await dialog(words.one.ready(name)).waitFor({ state: 'hidden' });
  });
  await check('revoking is asked, done and told', async () => {
    const rows = page.locator('.row-of-list');
    await until('the replaced one and the new one', async () => (await rows.count()) === 2);
    await choosesAction(one, name, words.revoke);
    const asked = dialog(words.revokeTitle(name));
    await one.press(asked.getByRole('button', { name: words.revoke, exact: true }));
    await page.getByText(words.told(name)).waitFor();
    await rows.first().getByText(words.revoked, { exact: true }).waitFor();
  });
  await check('a state is chosen, and stands in the address', async () => {
    await one.press(page.locator(`input[aria-label="${words.state}"]`));
    await one.press(page.getByRole('option', { name: words.revokedState }));
    await until('a state in the address', () => page.url().includes('state=revoked'));
    await until('both rows', async () => (await page.locator('.row-of-list').count()) === 2);
  });
}

async function findsItClosed(one, slug, title, language) {
  const { page, words, button } = one;
  await addVacancy(slug, title, language);
  await toNew(one, slug);
  const form = page.locator('.one-form');
  await check('a vacancy that closes meanwhile is said in words', async () => {
    await form.getByLabel(words.one.name, { exact: true }).fill('Too Late');
    await api('POST', `vacancies/${slug}/close`);
    await one.press(button(words.one.action));
    await page.getByText(words.closed).first().waitFor();
  });
  await check('one that is closed says so before anything is typed', async () => {
    await toNew(one, slug);
    await page.getByText(words.closed).first().waitFor();
  });
}

/** More rows than any window shows, from a server that is played. */
async function scrollsMany(one) {
  const { page } = one;
  const total = 1000;
  const rowOf = (at) => ({
    id: `00000000-0000-7000-8000-${String(at).padStart(12, '0')}`,
    ...{ vacancy: 'night-baker', state: 'invited', interviewId: null, interviewState: null },
    candidate: { id: 'c', name: `Played ${at}`, contact: null },
    ...{ isLatest: true, externalId: null, metadata: {} },
    ...{ createdAt: '2026-11-01T10:00:00.000Z', validUntil: '2026-12-01T10:00:00.000Z' },
  });
  await page.route(/\/api\/v1\/invitations\?/, (route) => {
    const from = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0);
    const to = Math.min(total, from + 50);
    const items = Array.from({ length: to - from }, (_, at) => rowOf(from + at + 1));
    return route.fulfill({ json: { items, cursor: to < total ? String(to) : null } });
  });
  await page.goto(`${server.base}/console/invitations`);
  await check('a thousand rows are scrolled, and few of them are in the document', async () => {
    await page.getByText('Played 1', { exact: true }).waitFor();
    await until('the last row', async () => {
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
      return (await page.getByText(`Played ${total}`, { exact: true }).count()) > 0;
    });
    equal((await page.locator('.row-of-list').count()) < 80, true, 'few rows');
  });
  await page.unroute(/\/api\/v1\/invitations\?/);
}

async function story(size, language, suffix, link) {
  const one = await person(size, language);
  const email = `rita-${suffix}@example.org`.toLowerCase();
  const slug = `baker-${suffix}`.toLowerCase();
  await addVacancy(slug, `Night Baker ${suffix}`, language);
  await join(one, link, { name: `Rita ${suffix}`, email });
  const name = `Ada ${suffix}`;
  const made = await invitesOne(one, slug, name);
  await invitesMany(one, slug, suffix, email);
  await comesBack(one, slug, suffix);
  await changesOne(one, name, made);
  await findsItClosed(one, `closing-${suffix}`.toLowerCase(), `Closing ${suffix}`, language);
  if (!one.isPhone) await scrollsMany(one);
  return one;
}

/** A link for another admin, who works on another device. */
async function nextLink(one) {
  const made = await one.page.evaluate(async () => {
    const response = await fetch('/api/v1/users/invitations', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ role: 'recruiter' }),
    });
    return response.json();
  });
  return made.link;
}

try {
  // A log does not show it.
  const file = path.join(server.data, 'first-admin-link');
  const first = await until('the link of the first admin', () => {
    return fs.existsSync(file) && fs.readFileSync(file, 'utf8').trim();
  });
  let next;
  await part('At a desk, in English', async () => {
    const one = await story(DESKTOP, 'en', 'One', first);
    next = await nextLink(one);
    await one.context.close();
  });
  await part('On a phone, in Russian', async () => {
    const one = await story(PHONE, 'ru', 'Two', next);
    await one.context.close();
  });
  await check('no page logged an error', () => equal(errors, [], 'errors'));
} finally {
  await browser.close();
  await server.close();
}
process.exitCode = report() ? 0 : 1;
