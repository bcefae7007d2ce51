/**
 * The same interview on two channels: what a link from a messenger asks, and how to continue in
 * Telegram. Telegram itself is not called: this test serves a page at its address.
 */
import { changeInvite, check, equal, look } from './harness.mjs';

const DISCLOSURE = { version: '2026-11', text: 'An AI asks.\n\nPeople read the answers.' };

/** Makes the candidate's link one from a messenger. */
function asContinuation(page, state) {
  const disclosure = state === 'open' ? DISCLOSURE : null;
  return changeInvite(page, { kind: 'continuation', state, disclosure });
}

export async function arrival(candidate) {
  const one = await candidate();
  const { page, words } = one;
  for (const state of ['used', 'expired']) {
    await asContinuation(page, state);
    await page.goto(one.url);
    await check(`a link from a messenger says that it is ${state}`, () =>
      one.heading(state === 'used' ? words.used : words.expired).waitFor(),
    );
    await look(page, `continuation-${state}`, 2);
  }
  await asContinuation(page, 'open');
  await page.goto(one.url);
  await check(
    'a link from a messenger asks whose interview it is, and does nothing before that',
    async () => {
      await one.button(words.goOn).waitFor();
      await page.getByText('People read the answers.').waitFor();
      const status = await page.evaluate(async () => (await fetch('/api/v1/conversation')).status);
      equal(status, 401, 'GET /conversation');
    },
  );
  await look(page, 'continuation');
  await check(
    'a visitor who says that it is not theirs can leave, and nothing is kept',
    async () => {
      await one.button(words.notMine).click();
      await one.heading(words.nothingLinked).waitFor();
      equal(await page.evaluate(() => localStorage.length), 0, 'what the browser keeps');
      equal((await page.context().cookies()).length, 0, 'cookies');
    },
  );
  await look(page, 'not-mine', 1);
  await page.goto(one.url);
  await check('a link that another browser has already used says so', async () => {
    await page.route('**/api/v1/sessions', (route) =>
      route.fulfill({ status: 410, json: { code: 'continuation_used', status: 410 } }),
    );
    await one.button(words.goOn).click();
    await one.heading(words.used).waitFor();
    await page.unroute('**/api/v1/sessions');
  });
  await check('continuing opens the conversation', async () => {
    await page.reload();
    await one.button(words.goOn).click();
    await one.button(words.agree).waitFor();
  });
  await check('the console shows no error (arrival)', () => equal(one.errors, [], 'errors'));
  await page.context().close();
}

export async function departure(candidate) {
  const one = await candidate({ hasTouch: true });
  const { page, words } = one;
  await one.open();
  await one.button(words.agree).click();
  await one.introduce();
  await one.field().waitFor();
  if (!(await one.conversation()).telegram) {
    console.log('          (this server has no Telegram bot: the link to Telegram is not tested)');
    await page.context().close();
    return;
  }
  await page.route('https://t.me/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Telegram</title>' }),
  );
  await check('the menu offers Telegram, and the candidate can stay', async () => {
    await one.button(words.more).click();
    await one.button(words.telegram).waitFor();
    await look(page, 'menu', 2);
    await one.button(words.telegram).click();
    await page.getByRole('dialog').waitFor();
    await look(page, 'dialog-telegram');
    await one.button(words.stay).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });
  await check('without a link the page says so, and the candidate stays', async () => {
    await page.route('**/conversation/continuation', (route) => route.abort());
    await one.chooseMore(words.telegram);
    await one.button(words.openTelegram).click();
    await page.getByRole('alert').filter({ hasText: words.failed }).waitFor();
    await one.button(words.stay).click();
    await page.unroute('**/conversation/continuation');
  });
  await check(
    'Telegram is opened by its own link, and the candidate can come back to the page',
    async () => {
      await one.chooseMore(words.telegram);
      await one.button(words.openTelegram).click();
      await page.waitForURL(/^https:\/\/t\.me\/\w+\?start=[\w-]{32}$/);
      await page.goBack();
      await one.field().waitFor();
      await one.seesTheWholeTranscript();
    },
  );
  await check('the console shows no error (departure)', () => equal(one.errors, [], 'errors'));
  await page.context().close();
}
