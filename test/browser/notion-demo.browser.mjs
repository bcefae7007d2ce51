/**
 * The page of `npm run demo:notion` in Chromium: a person picks a board, edits a task by a click and
 * adds a task, a connection ranks them, and the page counts down to the next ranking.
 */
import { createRequire } from 'node:module';
import {
  check,
  DESKTOP,
  equal,
  look,
  openBrowser,
  part,
  PHONE,
  report,
  until,
} from './harness.mjs';

const require = createRequire(import.meta.url);
require('../../tools/support/swc-register.cjs');
const { Client } = require('@notionhq/client');
const { NotionServer } = require('../../tools/fake-notion');
const { DemoPage } = require('../../tools/fake-notion/demo/demo-page.ts');
const { fill } = require('../../tools/fake-notion/demo/fill.ts');

const notion = await NotionServer.start();
const filled = fill(notion, { people: 5, tasksEach: 12, today: new Date('2026-03-02') });
const queue = [];
const colleagues = { isOn: true };
const demo = new DemoPage(notion, filled, { queue: () => queue, colleagues });
await demo.open();
const client = new Client({ auth: notion.token, baseUrl: notion.url, retry: false });
const browser = await openBrowser();
const context = await browser.newContext({ viewport: DESKTOP, locale: 'en-US' });
const page = await context.newPage();
const problems = [];
page.on('pageerror', (error) => problems.push(String(error)));
page.on('console', (line) => line.type() === 'error' && problems.push(line.text()));

const firstRow = page.locator('#tasks tr').first();
const cell = (column) => firstRow.locator('td').nth(column).textContent();

async function board() {
  await page.goto(demo.url);
  await firstRow.waitFor();
  const other = filled.people[3];
  await page.selectOption('#person', other.id);
  await check('another board can be picked', () =>
    until('the title', async () => (await page.title()).startsWith(other.name)),
  );
  await check("the board's address opens it again", async () => {
    await page.reload();
    await firstRow.waitFor();
    equal(await page.inputValue('#person'), other.id, 'the person');
  });
}

async function edits() {
  const before = Number(await page.locator('.value').first().textContent());
  const more = page.locator('.step').nth(1);
  await more.focus();
  await page.keyboard.press('Enter');
  await check('the keyboard raises the importance, and the focus stays', async () => {
    await until('one more', async () => Number(await cell(2).then(digits)) === before + 1);
    equal(await more.evaluate((one) => one === one.ownerDocument.activeElement), true, 'focus');
  });
  const rows = await page.locator('#tasks tr').count();
  await page.fill('#name', '<img src=x onerror=hacked()>');
  await page.press('#name', 'Enter');
  await check('a task is added, and its name is shown as plain text', async () => {
    await until('a row more', async () => (await page.locator('#tasks tr').count()) === rows + 1);
    equal(await page.locator('#tasks img').count(), 0, 'pictures');
  });
  await firstRow.locator('select').selectOption('Done');
  await check('a task that is done leaves the board', () =>
    until('a row less', async () => (await page.locator('#tasks tr').count()) === rows),
  );
}

const digits = (text) => text.replaceAll(/\D/g, '');

async function ranks() {
  const task = filled.board.tasks.find(({ title }) => title.startsWith('<img'));
  await client.pages.update({
    page_id: task.id,
    properties: {
      'Queue Rank': { number: 1 },
      'Projected Completion': { date: { start: '2026-03-09' } },
      'At risk': { checkbox: true },
    },
  });
  await check('ranks that the connection writes are shown at once', async () => {
    await until('the rank', async () => (await cell(0)) === '1');
    equal(await cell(6), 'Mar 9', 'the projected completion');
    equal(await cell(7), 'at risk', 'the risk');
  });
}

async function aroundTheBoard() {
  await page.selectOption('#by', filled.people[1].id);
  await page.locator('.step').nth(1).click();
  await check('an edit is told in the name of whoever is chosen', () =>
    page.locator('#happened li', { hasText: filled.people[1].name }).first().waitFor(),
  );
  queue.push({ personId: filled.people[3].id, state: 'waiting', dueAtMs: Date.now() + 600_000 });
  await check('the page counts down to the next ranking of the board', async () => {
    const shown = page.locator('#countdown');
    await page.locator('#countdown', { hasText: 'ranking in' }).waitFor();
    const before = Number(digits(await shown.textContent()));
    await until('a second less', async () => Number(digits(await shown.textContent())) < before);
    equal(await page.locator('#queue li').count(), 1, 'boards to be ranked');
  });
  await check('the calls of the last minute are shown against the limit', async () => {
    equal(await page.locator('#minute').textContent(), '1 / 180', 'calls');
  });
  await page.locator('#colleagues').uncheck();
  await check('colleagues can be asked to stop', () =>
    until('that colleagues stop', () => !colleagues.isOn),
  );
  await look(page, 'notion-demo');
  await page.setViewportSize(PHONE);
  await check('on a phone a task is a card, and nothing overflows', async () => {
    equal(await firstRow.evaluate((row) => getComputedStyle(row).display), 'flex', 'display');
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    equal(overflow > 0, false, 'horizontal overflow');
  });
}

await part('somebody picks a board', board);
await part('tasks are edited', edits);
await part('tasks are ranked', ranks);
await part('around the board', aroundTheBoard);
await check('the page had no errors', () => equal(problems, [], 'errors'));
await browser.close();
await demo.close();
await notion.close();
process.exitCode = report() ? 0 : 1;
