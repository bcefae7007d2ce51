/**
 * Links that begin no interview, in both languages: a vacancy that is closed, and an open link that has had
 * as many people as it takes. Each on a phone and a desktop, light and dark. Also the API's page on a phone.
 */
import { spawnSync } from 'node:child_process';
import { PHONE, check, equal, look, openBrowser, part, report, startServer } from './harness.mjs';

const VACANCIES = [
  ['en', 'backend-engineer', 'This vacancy is closed', 'Too many interviews at once'],
  ['ru', 'support-lead', 'Вакансия закрыта', 'Сейчас слишком много интервью'],
];

const server = await startServer({ OPEN_LINK_INTERVIEWS_PER_DAY: '1' });
const browser = await openBrowser();

/** The open links that the start printed, by the language of their vacancies. */
async function linksByLanguage() {
  const links = {};
  for (const [, token] of server.output().matchAll(/\/i\/([\w-]+)/g)) {
    const { language } = await (await fetch(`${server.base}/api/v1/invites/${token}`)).json();
    links[language] = token;
  }
  return links;
}

async function visit(url) {
  const context = await browser.newContext({ viewport: PHONE });
  const page = await context.newPage();
  await page.goto(`${server.base}${url}`, { waitUntil: 'networkidle' });
  return page;
}

async function begin(token) {
  const page = await visit(`/i/${token}`);
  await page.getByRole('main').getByRole('button').first().click();
  return page;
}

const links = await linksByLanguage();

for (const [language, slug, closed, full] of VACANCIES) {
  await part(`${slug} (${language})`, async () => {
    const first = await begin(links[language]);
    await first
      .getByRole('checkbox')
      .or(first.getByRole('heading', { level: 1 }))
      .first()
      .waitFor();
    await first.context().close();

    const late = await begin(links[language]);
    await late.getByRole('heading', { name: full }).waitFor();
    await look(late, `link-full-${language}`);
    await late.context().close();

    const { status, stderr } = spawnSync(
      process.execPath,
      ['dist/cli/colloquy.js', 'vacancy', 'close', slug],
      {
        env: { ...process.env, COLLOQUY_DATA_DIR: server.data, DATABASE_URL: '' },
        encoding: 'utf8',
      },
    );
    await check('the vacancy is closed', async () => equal([status, stderr], [0, ''], 'command'));
    const page = await visit(`/i/${links[language]}`);
    await page.getByRole('heading', { name: closed }).waitFor();
    await check('the page offers no button that begins', async () =>
      equal(await page.getByRole('main').getByRole('button').count(), 0, 'buttons'),
    );
    await look(page, `vacancy-closed-${language}`);
    await page.context().close();
  });
}

await part('the API on a phone', async () => {
  const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
  const page = await context.newPage();
  await page.goto(`${server.base}/docs`);
  await page.locator('.opblock-tag').first().waitFor();
  const tag = page.locator('.opblock-tag').filter({ hasText: 'Interview' }).first();
  if (await tag.count()) await tag.click();
  const operation = page.locator('.opblock-summary').first();
  if (await operation.count()) await operation.click();
  await check('nothing is wider than the screen', async () => {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    equal(wide, 360, 'width');
  });
  await page.screenshot({ path: '.tmp/browser/docs-360.png' });
  await page.locator('.opblock-tag').first().scrollIntoViewIfNeeded();
  await page.screenshot({ path: '.tmp/browser/docs-360-list.png' });
  await context.close();
});

await browser.close();
await server.close();
process.exitCode = report() ? 0 : 1;
