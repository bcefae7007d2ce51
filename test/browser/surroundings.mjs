/**
 * What lies around the questions: links that lead nowhere, the page's language, focus, sizes and
 * motion, and the two ways out of an interview.
 */
import { DESKTOP, check, equal, look, until } from './harness.mjs';

export async function links(candidate) {
  const visitor = await candidate();
  const { page, words } = visitor;
  await page.goto(`${visitor.base}/i/no-such-link`);
  await check('an unknown link says so', () => visitor.heading(words.unknown).waitFor());
  await look(page, 'unknown');

  await page.route('**/api/v1/invites/*', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...(await answer.json()), state: 'expired' } });
  });
  await page.goto(visitor.url);
  await check('an expired link says so', () => visitor.heading(words.expired).waitFor());
  await look(page, 'expired');
  await page.context().close();
}

export async function surface(one) {
  const { page, words } = one;
  await check('the page speaks the other language when asked, and says so in lang', async () => {
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
  await check('nothing moves for those who asked for less motion', async () => {
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
  await check('on a desktop Enter sends', () =>
    page.getByText('Sent by the keyboard alone.').waitFor(),
  );
  await one.quiet();
  await check('a person can be asked for', async () => {
    await one.button(words.person).click();
    await one.button(words.personConfirm).click();
    await one.heading(words.handedOver).waitFor();
    await one.write('A word for the person.');
    await until('the message to be kept', async () => {
      const { messages } = await one.conversation();
      return messages.some(({ text }) => text === 'A word for the person.');
    });
    await one.seesTheWholeTranscript();
  });
  await look(page, 'handed-over');
  await check('one can withdraw', async () => {
    await one.chooseMore(words.withdraw);
    await page.getByRole('dialog').waitFor();
    await look(page, 'dialog-withdraw', 2);
    await one.button(words.withdrawConfirm).click();
    await one.heading(words.withdrawn).waitFor();
    equal(await one.field().isVisible(), false, 'the field');
  });
  await look(page, 'withdrawn');
  await check('no error reached the console (ways out)', () => equal(one.errors, [], 'errors'));
  await page.context().close();
}
