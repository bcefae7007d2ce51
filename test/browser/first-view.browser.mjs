/**
 * The first view of a candidate's link, which the server renders: it can be read before any script has
 * run, React takes it over as it is, and it is set in the page's own fonts without a layout shift.
 */
import { PHONE, check, equal, openBrowser, part, report, startServer, until } from './harness.mjs';

const server = await startServer();
const browser = await openBrowser();
const token = server.invite.replace('/i/', '');
const invite = await (await fetch(`${server.base}/api/v1/invites/${token}`)).json();
const other = invite.language === 'ru' ? 'en' : 'ru';

async function visit(options = {}, init = () => undefined) {
  const context = await browser.newContext({ viewport: PHONE, ...options });
  const page = await context.newPage();
  const errors = [];
  const requests = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
  page.on('request', (request) => requests.push(new URL(request.url()).pathname));
  await page.addInitScript(init);
  await page.goto(`${server.base}${server.invite}`, { waitUntil: 'networkidle' });
  return { page, context, errors, requests };
}

function noteShifts() {
  globalThis.shifts = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) globalThis.shifts += value;
  }).observe({ type: 'layout-shift', buffered: true });
}

await part('without scripts', async () => {
  const { page, context } = await visit({ javaScriptEnabled: false });
  const heading = await page.locator('h1').textContent();
  const title = await page.title();
  const language = await page.locator('html').getAttribute('lang');
  const isStyled = await page.locator('button.button').isVisible();
  await context.close();

  await check('the vacancy stands in the heading and the title', async () => {
    equal(heading, invite.vacancyTitle, 'heading');
    equal([title.includes(invite.vacancyTitle), isStyled], [true, true], 'title, button');
  });
  await check('the document is in the language of the vacancy', async () =>
    equal(language, invite.language, 'lang'),
  );
});

await part('with scripts', async () => {
  const { page, context, errors, requests } = await visit({}, noteShifts);
  const families = await page.evaluate(() =>
    [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family),
  );
  const shifts = await page.evaluate(() => globalThis.shifts);
  await page.locator('button.button').click();
  await until('the consent page', () => page.locator('button.button').count());
  const asked = requests.filter((path) => path.startsWith('/api/v1/invites'));
  await context.close();

  await check('React takes the view over without an error', async () =>
    equal(errors, [], 'errors'),
  );
  await check('the page does not ask again what the document says', async () =>
    equal(asked, [], 'requests'),
  );
  await check('it is set in Inter and Source Serif 4', async () => {
    const names = families.map((name) => name.replaceAll('"', ''));
    const own = [...new Set(names.filter((name) => !name.includes(' as ')))].sort();
    equal(own, ['Inter', 'Source Serif 4'], 'fonts');
  });
  await check('nothing moves when the fonts arrive', async () => equal(shifts, 0, 'layout shift'));
});

await part('in a browser where the other language was chosen', async () => {
  const { page, context, errors } = await visit();
  await page.locator(`button[lang="${other}"]`).click();
  await page.reload({ waitUntil: 'networkidle' });
  const language = await page.locator('html').getAttribute('lang');
  const headings = await page.locator('h1').count();
  await context.close();

  await check('the page is in that language, once', async () => {
    equal([language, headings, errors], [other, 1, []], 'language, headings, errors');
  });
});

await part('while the part that follows cannot be loaded', async () => {
  const context = await browser.newContext({ viewport: PHONE });
  const page = await context.newPage();
  await page.route('**/assets/conversation-part*', (route) => route.abort());
  await page.goto(`${server.base}${server.invite}`, { waitUntil: 'networkidle' });
  const begin = page.locator('button.button');
  const label = await begin.textContent();
  await begin.click();
  const problem = page.getByRole('alert');
  await check('the page says so, and the candidate can begin again', async () => {
    await problem.waitFor();
    equal(await begin.textContent(), label, 'the button');
  });
  await page.unroute('**/assets/conversation-part*');
  await begin.click();
  await check('the interview begins once it can be loaded', async () => {
    await problem.waitFor({ state: 'detached' });
    await page
      .getByRole('button', { name: invite.language === 'ru' ? 'Даю согласие' : 'I agree' })
      .waitFor();
  });
  await context.close();
});

await part(
  'while a new version is rolled out, and the document is of another version',
  async () => {
    const context = await browser.newContext({ viewport: PHONE });
    const page = await context.newPage();
    let documents = 0;
    await page.route('**/i/*', async (route) => {
      documents += 1;
      const response = await route.fetch();
      const html = await response.text();
      const ofAnother = html.replaceAll(/(\/assets\/[\w.-]+)-[\w-]{8}\.js/g, '$1-00000000.js');
      await route.fulfill({ response, body: documents < 3 ? ofAnother : html });
    });
    await page.goto(`${server.base}${server.invite}`);
    await check('the page is opened again until its script is there, and works', async () => {
      await until('the third document', () => documents === 3);
      await until('the page', () =>
        page
          .evaluate(() => performance.getEntriesByName('interactive').length === 1)
          .catch(() => false),
      );
    });
    await context.close();
  },
);

await browser.close();
await server.close();
if (!report()) process.exitCode = 1;
