/**
 * The page beside the questions: invalid links, the page's language, focus, sizes and motion, the two
 * ways out of an interview, and what candidates do with their data.
 */
import fs from 'node:fs';
import { DESKTOP, PHONE, changeInvite, check, equal, look, until } from './harness.mjs';

export async function links(candidate) {
  const visitor = await candidate();
  const { page, words } = visitor;
  await page.goto(`${visitor.base}/i/no-such-link`);
  await check('an unknown link says so', () => visitor.heading(words.unknown).waitFor());
  await look(page, 'unknown');

  await changeInvite(page, { state: 'expired' });
  await page.goto(visitor.url);
  await check('an expired link says so', () => visitor.heading(words.expired).waitFor());
  await look(page, 'expired');
  await page.context().close();
}

export async function surface(one) {
  const { page, words } = one;
  await check('the page switches to the other language, also in the attribute lang', async () => {
    await one.chooseMore(words.otherLanguage);
    await page.getByLabel(words.otherAnswer).waitFor();
    const other = one.language === 'en' ? 'ru' : 'en';
    equal(await page.locator('html').getAttribute('lang'), other, 'lang');
    await one.chooseMore(words.thisLanguage, words.otherMore);
    await one.field().waitFor();
  });
  await check('a dialog closed by Escape gives the focus back', async () => {
    await one.button(words.person).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await look(page, 'dialog-person');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    equal(
      await one.button(words.person).evaluate((it) => it === document.activeElement),
      true,
      'focus',
    );
  });
  await check(
    'everything that can be pressed is at least 44 px, and nothing overflows',
    async () => {
      const small = await page.locator('button:visible').evaluateAll((buttons) =>
        buttons
          .map((it) => [it.textContent || it.ariaLabel, it.getBoundingClientRect()])
          .filter(([, { width, height }]) => width < 44 || height < 44)
          .map(([name]) => name),
      );
      equal(small, [], 'small targets');
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - window.innerWidth,
      );
      equal(overflow > 0, false, 'horizontal overflow');
    },
  );
  await check('nothing moves with the setting for reduced motion', async () => {
    await page.emulateMedia({ reducedMotion: 'reduce' });
    equal(await page.evaluate(() => document.getAnimations().length), 0, 'animations');
    await page.emulateMedia({ reducedMotion: null });
  });
}

export async function waysOut(candidate) {
  const one = await candidate({ viewport: DESKTOP });
  const { page, words } = one;
  await one.open();
  await one.button(words.agree).click();
  await one.introduce();
  await one.field().fill('Sent by the keyboard alone.');
  await page.keyboard.press('Enter');
  await check('on a desktop Enter sends the message', () =>
    page.getByText('Sent by the keyboard alone.').waitFor(),
  );
  await one.finishAnswer();
  await check('on a desktop a panel lists the questions as they come', async () => {
    const asked = page.getByRole('complementary').locator('ol li');
    await until('the second question', async () => (await asked.count()) === 2);
    equal(await asked.last().getAttribute('aria-current'), 'step', 'the waiting question');
  });
  await check('no person is asked for before the candidate confirms it', async () => {
    await one.button(words.person).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    equal((await one.conversation()).owner, 'model', 'who replies');
  });
  await check('the candidate can ask for a person, and cancel that', async () => {
    await one.button(words.person).click();
    await one.inDialog(words.personConfirm).click();
    await one.heading(words.askedForPerson).waitFor();
    await one.button(words.person).waitFor({ state: 'hidden' });
    await look(page, 'asked-for-person');
    await one.button(words.resume).click();
    await page.getByText(words.goingOn).first().waitFor();
    await one.heading(words.askedForPerson).waitFor({ state: 'hidden' });
    await one.button(words.person).waitFor();
    await one.seesTheWholeTranscript();
  });
  await check('a cancellation that fails shows an error, and can be tried again', async () => {
    await one.button(words.person).click();
    await one.inDialog(words.personConfirm).click();
    await one.heading(words.askedForPerson).waitFor();
    await page.route('**/conversation/resume', (route) => route.abort());
    await one.button(words.resume).click();
    await page.getByRole('alert').filter({ hasText: words.failed }).waitFor();
    await page.unroute('**/conversation/resume');
  });
  await check(
    'a message of a person is marked, also for a screen reader, and the candidate can no longer cancel',
    async () => {
      await one.team('reply', { text: 'Nora here. Shall we talk on Friday?' });
      await page.getByText('Nora here. Shall we talk on Friday?').first().waitFor();
      await one.heading(words.withPerson).waitFor();
      equal(await one.button(words.resume).isVisible(), false, 'the button that cancels');
      const said = await page.getByTestId('spoken').locator('p').last().textContent();
      equal(said, `${words.fromPerson}: Nora here. Shall we talk on Friday?`, 'the announced text');
      await page.getByRole('log').getByText(words.fromPerson, { exact: true }).waitFor();
    },
  );
  await check('a candidate can write to the person', async () => {
    await one.write('A word for the person.');
    await until('the message to be kept', async () => {
      const { messages } = await one.conversation();
      return messages.some(({ text }) => text === 'A word for the person.');
    });
    await one.seesTheWholeTranscript();
  });
  await look(page, 'with-person');
  await check('the interview continues when the team returns it', async () => {
    await one.team('return', { by: 'Nora' });
    await one.heading(words.withPerson).waitFor({ state: 'hidden' });
    await one.button(words.person).waitFor();
    await one.seesTheWholeTranscript();
  });
  await check('a candidate can withdraw', async () => {
    await one.chooseMore(words.withdraw);
    await page.getByRole('dialog').waitFor();
    await look(page, 'dialog-withdraw', 2);
    await one.button(words.withdrawConfirm).click();
    await one.heading(words.withdrawn).waitFor();
    equal(await one.field().isVisible(), false, 'the field');
  });
  await look(page, 'withdrawn');
  await check('the console shows no error (ways out)', () => equal(one.errors, [], 'errors'));
  await page.context().close();
}

/** Runs on a phone, where the menu is longest and the dialogs are narrowest. */
export async function ownData(candidate) {
  const one = await candidate({ viewport: PHONE, hasTouch: true, acceptDownloads: true });
  const { page, words } = one;
  await one.open();
  await one.button(words.agree).click();
  await one.introduce();
  await one.write('Words that are to be forgotten.');
  await one.finishAnswer();
  await one.field().fill('a draft that is to be forgotten');
  await one.button(words.more).click();
  await look(page, 'menu');
  await check('the menu fits, and its items are at least 44 px high', async () => {
    const items = await page.locator('#more button').evaluateAll((buttons) =>
      buttons.map((it) => {
        const { left, right, height } = it.getBoundingClientRect();
        return left >= 0 && right <= window.innerWidth && height >= 44;
      }),
    );
    equal(items, [true, true, true, true, true, true], 'items of the menu');
  });
  await page.keyboard.press('Escape');
  await check('the stored data can be downloaded as one readable file', async () => {
    await one.chooseMore(words.data);
    await page.getByRole('dialog').waitFor();
    await look(page, 'dialog-data', 2);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      one.button(words.dataConfirm).click(),
    ]);
    const data = JSON.parse(fs.readFileSync(await download.path(), 'utf8'));
    equal(download.suggestedFilename(), 'my-data.json', 'the name of the file');
    equal(data.profile.name, 'Maria Orlova', 'the name in the file');
    const texts = data.conversations[0].transcript.map(({ text }) => text);
    equal(texts.includes('Words that are to be forgotten.'), true, 'own words in the file');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });
  await check('cancelling the deletion deletes nothing and gives the focus back', async () => {
    await one.chooseMore(words.erase);
    await page.getByRole('dialog').waitFor();
    await look(page, 'dialog-erase');
    await one.button(words.cancel).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    // The dialog is hidden first, and then says that it is closed.
    await until('the focus to come back', () =>
      one.button(words.more).evaluate((it) => it === document.activeElement),
    );
    await one.seesTheWholeTranscript();
  });
  await check('a deletion that fails shows an error, and can be tried again', async () => {
    await page.route('**/conversation/forget', (route) => route.abort());
    await one.chooseMore(words.erase);
    await one.button(words.eraseConfirm).click();
    await page.getByRole('dialog').getByRole('alert').filter({ hasText: /\S/ }).waitFor();
    await page.unroute('**/conversation/forget');
  });
  await check('everything is deleted at the server and in the browser', async () => {
    await one.button(words.eraseConfirm).click();
    await one.heading(words.erased).waitFor();
    const status = await page.evaluate(async () => (await fetch('/api/v1/conversation')).status);
    equal(status, 401, 'GET /conversation');
    equal(await page.evaluate(() => Object.keys(localStorage)), [], 'what the browser keeps');
    const cookies = await page.context().cookies();
    const session = cookies.filter(({ name }) => name === 'colloquy_session');
    equal(session, [], 'the session cookie');
    equal(await one.heading(words.erased).evaluate((it) => it === document.activeElement), true);
  });
  await look(page, 'erased');
  await check('after the deletion the link shows the greeting again', async () => {
    await page.reload();
    await one.button(words.begin).waitFor();
  });
  await check('the console shows no error (own data)', () => equal(one.errors, [], 'errors'));
  await page.context().close();
}

/** Leaves a shared device by the keyboard alone; nothing stays on it. */
export async function leaving(candidate) {
  const one = await candidate({ viewport: PHONE, hasTouch: true });
  const { page, words } = one;
  await one.open();
  await one.button(words.agree).click();
  await one.introduce();
  await one.write('Words that stay in the interview.');
  await one.finishAnswer();
  await one.field().fill('a draft that stays nowhere');
  const cookies = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`);
  await check('a candidate can leave the device by the keyboard', async () => {
    await one.button(words.more).focus();
    await page.keyboard.press('Enter');
    await one.button(words.leave).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await look(page, 'dialog-leave');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await one.heading(words.left).waitFor();
    equal(await one.heading(words.left).evaluate((it) => it === document.activeElement), true);
  });
  await look(page, 'left');
  await check('after that the browser keeps nothing, and its old session is refused', async () => {
    equal(await page.evaluate(() => Object.keys(localStorage)), [], 'what the browser keeps');
    equal(await page.context().cookies(), [], 'cookies');
    const headers = { cookie: cookies.join('; ') };
    const { status } = await fetch(`${one.base}/api/v1/conversation`, { headers });
    equal(status, 401, 'GET /conversation with the old cookie');
  });
  await check('the console shows no error (leaving)', () => equal(one.errors, [], 'errors'));
  await page.context().close();
}
