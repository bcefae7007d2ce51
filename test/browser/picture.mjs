/**
 * Makes docs/page.png, the picture of the candidate page in the README. It needs a production build
 * and Chromium: npm run build && node test/browser/picture.mjs
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { openBrowser, startServer } from './harness.mjs';

const PICTURE = fileURLToPath(new URL('../../docs/page.png', import.meta.url));
const ANSWERS = [
  'I live in Porto and I am a Portuguese citizen, so no permit is needed.',
  'Our ledger: double entry bookkeeping on PostgreSQL, about 300 writes a second.',
  'Idempotent posting was my part: a retried payment is never booked twice.',
];

const server = await startServer();
const browser = await openBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 760 } });
  await page.goto(`${server.base}${server.invite}`);
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByRole('button', { name: /^I agree/ }).click();
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel(/Email/).fill('ada@example.com');
  await page.getByRole('button', { name: /first question/ }).click();
  const [first, ...rest] = ANSWERS;
  await send(page, first);
  await page.getByText('Question 2 of').waitFor();
  await page.waitForTimeout(500);
  for (const answer of rest) await send(page, answer);
  await page.getByText('Question 3 of').waitFor();
  await page.getByLabel('Your answer').waitFor();
  await page.waitForTimeout(1500);
  await page.screenshot({ path: PICTURE });
  console.log(path.relative(process.cwd(), PICTURE));
} finally {
  await browser.close();
  await server.close();
}

async function send(page, text) {
  await page.getByLabel('Your answer').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}
