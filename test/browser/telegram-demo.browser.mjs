/**
 * The page of `npm run demo:telegram` in Chromium: a person watches a candidate who is played, and writes
 * to a bot, whose messages have all that Telegram allows, and also forbidden markup.
 */
import { createRequire } from 'node:module';
import { check, equal, look, openBrowser, part, PHONE, report, until } from './harness.mjs';

const require = createRequire(import.meta.url);
require('../../tools/support/swc-register.cjs');
const { TelegramServer } = require('../../tools/fake-telegram');
const { DemoPage } = require('../../tools/fake-telegram/demo/demo-page.ts');

const GREETING = [
  'Здравствуйте! Я <b>Colloquy, <i>ИИ-интервьюер</i></b>.',
  '<blockquote>Решение принимает человек.</blockquote>',
  '<a href="https://example.org/privacy">Подробнее</a>, <code>1 &lt; 2</code>, <tg-spoiler>тсс</tg-spoiler>',
].join('\n');
const HOSTILE = [
  '<b>&lt;img src=x onerror=hacked()&gt; &lt;script&gt;hacked()&lt;/script&gt;</b>',
  '<a href="javascript:hacked()">press</a> <a href="https://example.org/&quot;onclick=hacked()">me</a>',
].join(' ');

const telegram = await TelegramServer.start();
const maya = telegram.user({ id: 99, first_name: 'Maya', language_code: 'en' });
const played = {
  user: maya,
  label: 'Maya (English)',
  state: 'waiting',
  begin() {
    if (this.state === 'waiting') maya.writes('I live in Porto.');
    this.state = 'playing';
  },
};
const demo = new DemoPage(telegram, { played: [played], startPayload: () => 'open-1' });
await demo.open();
const browser = await openBrowser();
const context = await browser.newContext({ viewport: PHONE, locale: 'ru-RU' });
const page = await context.newPage();
const problems = [];
page.on('pageerror', (error) => problems.push(String(error)));
page.on('console', (line) => line.type() === 'error' && problems.push(line.text()));

async function call(method, params) {
  const response = await fetch(`${telegram.apiRoot}/bot${telegram.token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
  });
  const { ok, description, result } = await response.json();
  if (!ok) throw new Error(description);
  return result;
}

const send = (text, more = {}) =>
  call('sendMessage', { chat_id: 2, text, parse_mode: 'HTML', ...more });
/** The newest update's content. */
const told = () => Object.values(telegram.pendingUpdates.at(-1) ?? {})[1];
const bubbles = () => page.locator('.bubble .said').allTextContents();

async function watching() {
  await page.goto(demo.url);
  await check('the page opens on an interview that is under way', async () => {
    await page.locator('.line.own', { hasText: 'I live in Porto.' }).waitFor();
    equal(await page.locator('#watch').getAttribute('aria-pressed'), 'true', 'Watch');
    equal(await page.locator('#composer').isVisible(), false, 'the composer');
  });
  await send('Спасибо, ответ записан.', {
    chat_id: 99,
    reply_markup: { inline_keyboard: [[{ text: 'Да', callback_data: 'yes' }]] },
  });
  await page.locator('.press').waitFor();
  await check('whoever watches cannot press for the candidate', async () => {
    equal(await page.locator('.press').isDisabled(), true, 'the button');
  });
  await look(page, 'telegram-demo-watch', 2);
  await page.click('#play');
  await check(
    '"Play yourself" opens an empty chat, which begins with the open vacancy',
    async () => {
      await page.click('#start');
      await until('the start', () => told()?.text === '/start open-1');
      await until('one message', async () => (await page.locator('.line').count()) === 1);
    },
  );
}

async function conversation() {
  await page.goto(`${demo.url}/?user=2&start=invite-1`);
  await page.click('#start');
  await check('the Start button carries the deep link', () =>
    until('the start', () => told()?.text === '/start invite-1'),
  );
  const yes = [[{ text: 'Согласен', callback_data: 'yes' }]];
  await send(GREETING, { reply_markup: { inline_keyboard: yes } });
  await page.waitForSelector('.press');
  await check("Telegram's tags are shown as formatting", async () => {
    const bot = page.locator('.line.bot .said').first();
    equal(await bot.locator('strong em').textContent(), 'ИИ-интервьюер', 'italics in bold');
    equal(await bot.locator('a').getAttribute('href'), 'https://example.org/privacy', 'link');
    equal(await bot.locator('code').textContent(), '1 < 2', 'code');
    equal(await bot.locator('blockquote').count(), 1, 'quotes');
  });
  await look(page, 'telegram-demo');
  await page.click('.press');
  await check('a press of a button reaches the bot', () =>
    until('press', () => told()?.data === 'yes'),
  );
  await page.fill('#text', 'Я Анна\nПишу на TypeScript');
  await page.press('#text', 'Enter');
  await check('Enter sends', () => until('text', () => told()?.text?.startsWith('Я Анна')));
  await page.locator('.edit').last().click();
  await page.fill('#text', 'Я Анна.');
  await page.press('#text', 'Enter');
  await check('an edit reaches the bot', () =>
    until('edit', () => told()?.edit_date !== undefined && told()?.text === 'Я Анна.'),
  );
}

async function whatIsWritten() {
  await call('sendChatAction', { chat_id: 2, action: 'typing' });
  await check('typing is shown', () => page.waitForSelector('#status.busy'));
  await call('sendMessageDraft', { chat_id: 2, draft_id: 1, text: 'Расск' });
  await check('a draft is shown', () => page.waitForSelector('.draft >> text=Расск'));
  await send('Расскажите.', { reply_markup: { keyboard: [[{ text: 'Готово' }]] } });
  await check('the message replaces the draft', async () => {
    await page.waitForSelector('.draft', { state: 'detached' });
    equal((await bubbles()).at(-1), 'Расскажите.', 'the last message');
  });
  await page.click('#keyboard .key');
  await check('a reply keyboard sends its text', () =>
    until('key', () => told()?.text === 'Готово'),
  );
}

async function hostility() {
  await send(HOSTILE);
  await until('the message', async () => (await bubbles()).at(-1)?.includes('onerror'));
  await check(
    'scripts in a message of the bot are not run, and forbidden links are removed',
    async () => {
      const last = page.locator('.line.bot').last();
      equal(await last.locator('img, script, [onclick], [onerror]').count(), 0, 'elements');
      const links = await last.locator('a').evaluateAll((all) => all.map((one) => one.href));
      equal(
        links.every((href) => href === '' || href.startsWith('https://example.org/')),
        true,
        'links',
      );
    },
  );
  await page.click('#block');
  await check('Block blocks', () =>
    until('403', () => send('x').catch(({ message }) => message.includes('blocked'))),
  );
}

await part('an interview is watched', watching);
await part('a person writes to the bot', conversation);
await part('a reply is on its way', whatIsWritten);
await part('a hostile message', hostility);
await check('the page had no errors', () => equal(problems, [], 'errors'));
await browser.close();
await demo.close();
await telegram.close();
process.exitCode = report() ? 0 : 1;
