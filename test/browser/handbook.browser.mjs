/** The handbook in Chromium: every page and every link of it, its looks, and how one gets there. */
import { check, equal, look, openBrowser, part, report, startServer } from './harness.mjs';

const LOOKED_AT = ['', 'alerts.html', 'architecture.html', 'privacy.html', 'web-client.html'];

async function handbook() {
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));

  await check('the front page and the API page lead to it', async () => {
    await page.goto(`${server.base}/`);
    await page.getByRole('link', { name: 'Handbook' }).click();
    equal(new URL(page.url()).pathname, '/handbook/', 'address');
    const { info } = await (await fetch(`${server.base}/docs/openapi.json`)).json();
    equal(info.description.includes('(/handbook/web-client.html)'), true, 'link');
    equal((await fetch(`${server.base}/handbook`)).url, `${server.base}/handbook/`, 'redirect');
  });

  const pages = new Map();
  await check(
    'every page that another one links to exists, with the place that is named',
    async () => {
      const waiting = ['/handbook/', '/handbook/privacy.html'];
      const broken = [];
      const named = [];
      while (waiting.length > 0) {
        const address = waiting.pop();
        if (pages.has(address)) continue;
        // A file of the project: plain text, for which a browser also asks for an icon that is not there.
        if (address.startsWith('/handbook/files/')) {
          const { status } = await fetch(`${server.base}${address}`);
          if (status !== 200) broken.push(`${address}: ${status}`);
          pages.set(address, { ids: [], links: [], scripts: 0, pictures: [] });
          continue;
        }
        const response = await page.goto(`${server.base}${address}`);
        if (response.status() !== 200) broken.push(`${address}: ${response.status()}`);
        const found = await page.evaluate(() => ({
          ids: [...document.querySelectorAll('[id]')].map(({ id }) => id),
          links: [...document.querySelectorAll('a[href]')].map(({ href }) => href),
          scripts: document.scripts.length,
          pictures: [...document.images].map(({ src }) => src),
        }));
        pages.set(address, found);
        for (const link of found.links) {
          const url = new URL(link);
          if (url.origin !== server.base) continue;
          if (!url.pathname.startsWith('/handbook/')) continue;
          waiting.push(url.pathname);
          if (url.hash !== '')
            named.push([address, url.pathname, decodeURIComponent(url.hash.slice(1))]);
        }
      }
      const missing = named.filter(([, to, id]) => !pages.get(to)?.ids.includes(id));
      equal([...broken, ...missing], [], 'broken links');
      equal(pages.size > 60, true, 'pages were found');
      const example = '/handbook/files/examples/backend-engineer.en.yaml.txt';
      equal(pages.has(example), true, 'the link to an example');
    },
  );
  await check('no page has a script, and every picture is there', async () => {
    const found = [...pages.values()];
    equal(found.filter(({ scripts }) => scripts > 0).length, 0, 'pages with a script');
    const pictures = [...new Set(found.flatMap((one) => one.pictures))];
    const statuses = await Promise.all(pictures.map(async (src) => (await fetch(src)).status));
    equal(
      statuses.filter((status) => status !== 200),
      [],
      'pictures that are missing',
    );
    equal(pictures.length > 10, true, 'pictures were found');
  });
  await check('the table of alerts has each alert, and leads to its entry', async () => {
    const { links, ids } = pages.get('/handbook/alerts.html');
    const entries = links.filter((link) => link.includes('/handbook/runbook.html#'));
    equal(entries.length, ids.filter((id) => id.startsWith('colloquy')).length, 'entries');
    equal(entries.length > 20, true, 'alerts were found');
  });
  for (const name of LOOKED_AT) {
    await page.goto(`${server.base}/handbook/${name}`);
    await look(page, `handbook-${name.replace('.html', '') || 'index'}`);
    await check(`${name || 'the index'}: nothing is wider than a phone`, async () => {
      await page.setViewportSize({ width: 390, height: 844 });
      const { scrollWidth, clientWidth } = await page.evaluate(() => ({
        scrollWidth: document.documentElement.scrollWidth,
        clientWidth: document.documentElement.clientWidth,
      }));
      equal(scrollWidth, clientWidth, 'width');
      await page.setViewportSize({ width: 1280, height: 800 });
    });
  }
  await check('the content security policy refuses nothing', () => equal(complaints, [], 'errors'));
  await context.close();
}

const server = await startServer();
const browser = await openBrowser();
try {
  await part('handbook', handbook);
} finally {
  await browser.close();
  await server.close();
}
process.exitCode = report() ? 0 : 1;
