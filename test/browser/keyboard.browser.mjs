/**
 * A whole interview by the keyboard alone, at a desk: from the welcome to what is added after the last
 * question, with a person asked for, a reply stopped and continued, and the menu. Wherever the focus is, it
 * can be seen; and it is never lost when what had it disappears.
 */
import { DESKTOP, PHONE, check, equal, part, report, until } from './harness.mjs';
import { PictureApp } from './pictures/picture-app.mjs';

const MOST_TABS = 80;
const stage = await PictureApp.open();
const scene = await stage.enter('en', { viewport: DESKTOP });
const { page, candidate, script } = scene;
const { words } = candidate;
const { keyboard } = page;
const unseen = new Set();

function isFocused(locator) {
  return locator.evaluateAll((all) => all.includes(document.activeElement));
}

function focusIsOn(locator) {
  return until(`the focus on ${String(locator)}`, () => isFocused(locator), 5_000);
}

/** Notes the focused element if nothing shows that it has the focus. */
async function noteFocus() {
  const name = await page.evaluate(() => {
    const focused = document.activeElement;
    if (focused === document.body) return null;
    const shows = (element) => {
      const { outlineStyle, boxShadow } = getComputedStyle(element);
      return outlineStyle !== 'none' || boxShadow !== 'none';
    };
    const around = focused.closest('form')?.querySelector(':focus-within:has(textarea:focus)');
    if (shows(focused) || (around !== null && around !== undefined && shows(around))) return null;
    return focused.outerHTML.slice(0, 120);
  });
  if (name !== null) unseen.add(name);
}

async function tabTo(locator) {
  await locator.first().waitFor();
  for (let presses = 0; presses < MOST_TABS; presses += 1) {
    if (await isFocused(locator)) return;
    await keyboard.press('Tab');
    await noteFocus();
  }
  throw new Error(`${MOST_TABS} presses of Tab do not lead to ${String(locator)}`);
}

async function press(locator) {
  await tabTo(locator);
  await keyboard.press('Enter');
}

/** Types into the field and sends with Enter. */
async function write(text) {
  await tabTo(candidate.field());
  await keyboard.type(text);
  await keyboard.press('Enter');
  await page.getByText(text).first().waitFor();
}

async function answer(text) {
  const { interviewStep } = await candidate.conversation();
  await write(text);
  await press(candidate.button(words.done));
  await candidate.quiet((view) => view.interviewStep > interviewStep);
}

/** The button can be pressed again at once after its request has failed. */
function keepsFocus(request, button) {
  return check(`a button whose request fails keeps the focus (${request})`, async () => {
    const requests = `**/conversation/${request}`;
    await page.route(requests, (route) => route.abort());
    await press(button);
    await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
    await page.unroute(requests);
    equal(await isFocused(button), true, 'the focus');
  });
}

/** Counts how often a screen reader is told something by the form of the answer. */
function noteAnnouncements() {
  globalThis.announced = 0;
  new MutationObserver((changes) => {
    const isLive = ({ target }) => {
      const element = target instanceof Element ? target : target.parentElement;
      return element?.closest('[role=status], [aria-live]') != null;
    };
    if (changes.some(isLive)) globalThis.announced += 1;
  }).observe(document.querySelector('.composer'), {
    subtree: true,
    childList: true,
    characterData: true,
  });
}

async function longAnswer() {
  await check('a long answer is counted at every key, and announced at a few', async () => {
    const { limits } = await candidate.conversation();
    const nearlyFull = limits.maxMessageChars * 0.9;
    await candidate.field().fill('x'.repeat(nearlyFull - 1));
    await tabTo(candidate.field());
    await page.evaluate(noteAnnouncements);
    for (let keys = 0; keys < 21; keys += 1) await keyboard.press('y');
    const left = new Intl.NumberFormat('en').format(limits.maxMessageChars - nearlyFull - 20);
    const announced = await page.evaluate(() => globalThis.announced);
    const count = await page.locator('.length').textContent();
    await candidate.field().fill('');
    equal(count, `${left} characters left`, 'the count');
    equal(announced, 1, 'announcements of 21 keys');
  });
}

async function beginning() {
  await page.goto(candidate.url);
  await press(page.getByRole('main').getByRole('button').first());
  await check(
    'a person is asked for before consent, and the focus is on what follows',
    async () => {
      await press(candidate.button(words.person));
      await press(candidate.inDialog(words.personConfirm));
      await focusIsOn(candidate.heading(words.askedForPerson));
      await press(candidate.button(words.resume));
    },
  );
  await keepsFocus('consent', candidate.button(words.agree));
  await press(candidate.button(words.agree));
  await tabTo(page.getByLabel(words.name));
  await keyboard.type(script.name);
  await tabTo(page.getByLabel(words.contact));
  await keyboard.type(script.contact);
  await keyboard.press('Enter');
  await check('consent and contact are given, and the first question is there', async () => {
    await candidate.field().waitFor();
    await page.getByText(words.progress).filter({ visible: true }).first().waitFor();
  });
}

async function question() {
  await check('Enter that ends a word of an input method sends nothing, as in Safari', async () => {
    await tabTo(candidate.field());
    await keyboard.type('nihongo');
    await candidate.field().evaluate((field) => {
      const init = { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true };
      field.dispatchEvent(new window.KeyboardEvent('keydown', init));
    });
    equal(await candidate.field().inputValue(), 'nihongo', 'the field');
    await candidate.field().fill('');
  });
  await answer(script.answers[0][0]);
  await check('an answer is written, sent and finished, and the next question comes', async () =>
    equal((await candidate.conversation()).progress.question, 2, 'question'),
  );
  await press(candidate.button(words.more));
  await check('the menu opens, and Escape gives the focus back', async () => {
    await tabTo(candidate.button(words.data));
    await keyboard.press('Escape');
    equal(await isFocused(candidate.button(words.more)), true, 'the focus');
  });
}

async function person() {
  await press(candidate.button(words.person));
  await page.getByRole('dialog').waitFor();
  await press(candidate.button(words.personConfirm));
  await check('a person is asked for', async () => {
    await focusIsOn(candidate.heading(words.askedForPerson));
  });
  await keepsFocus('resume', candidate.button(words.resume));
  await check('the interview is resumed', async () => {
    await press(candidate.button(words.resume));
    await candidate.heading(words.askedForPerson).waitFor({ state: 'hidden' });
    await focusIsOn(page.locator('#answer-status'));
  });
}

async function stop() {
  stage.model.standStill(script.slow, script.slowBegun);
  await write(script.slow);
  await press(candidate.button(words.done));
  await check('after Done the focus is on the state of the answer, not lost', async () => {
    await candidate.button(words.done).waitFor({ state: 'hidden' });
    equal(await isFocused(page.locator('#answer-status')), true, 'the focus');
  });
  await page.getByText(script.slowBegun).first().waitFor();
  await press(candidate.button(words.stop));
  await check('a reply is stopped, and the interview continues', async () => {
    await page.getByText(words.stopped).first().waitFor();
    await press(candidate.button(words.continue));
    await candidate.quiet((view) => view.progress.question === 3);
  });
}

/** What disappears while it has the focus. */
async function disappearing() {
  const log = page.getByRole('log');
  await check('Edit on a refused message gives the focus to the field', async () => {
    const sending = '**/conversation/messages';
    const json = { status: 409, code: 'conversation_full' };
    await page.route(sending, (route) => route.fulfill({ status: 409, json }));
    await write('Words without room.');
    await page
      .getByRole('alert')
      .filter({ hasText: /no room/ })
      .waitFor();
    await page.unroute(sending);
    await press(page.getByRole('button', { name: 'Edit', exact: true }));
    await focusIsOn(candidate.field());
    equal(await candidate.field().inputValue(), 'Words without room.', 'the field');
    await candidate.field().fill('');
  });
  await check('a file that is removed gives the focus to the field', async () => {
    const file = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('words') };
    await page.locator('input[type=file]').setInputFiles(file);
    await press(page.getByRole('button', { name: 'Remove notes.txt' }));
    await focusIsOn(candidate.field());
  });
  await check('"To latest" gives the focus to the transcript', async () => {
    await page.setViewportSize({ width: DESKTOP.width, height: 400 });
    await tabTo(log);
    await keyboard.press('Home');
    await press(page.getByRole('button', { name: 'To the latest message' }));
    await focusIsOn(log);
    await page.setViewportSize(DESKTOP);
  });
  await check(
    'the banner gives the focus to the transcript when the connection is back',
    async () => {
      await page.context().setOffline(true);
      await tabTo(page.locator('.banner button'));
      await page.context().setOffline(false);
      await page.locator('.banner').waitFor({ state: 'detached' });
      await focusIsOn(log);
    },
  );
}

/** What disappears after the focus has moved on. */
async function older() {
  await check('older messages that arrive leave the focus in the field', async () => {
    const { messages } = await candidate.conversation();
    const [reading, older] = ['**/api/v1/conversation', '**/conversation/messages?before=*'];
    await page.route(reading, async (route) => {
      const response = await route.fetch();
      const view = await response.json();
      await route.fulfill({ response, json: { ...view, olderCursor: messages[0].seq } });
    });
    let arrive;
    const held = new Promise((resolve) => (arrive = resolve));
    await page.route(older, async (route) => {
      await held;
      await route.fulfill({ json: { messages: [], olderCursor: null } });
    });
    await page.reload();
    await press(page.getByRole('button', { name: 'Show earlier messages' }));
    await tabTo(candidate.field());
    await keyboard.type('While they ');
    arrive();
    await page.locator('.older').waitFor({ state: 'detached' });
    await keyboard.type('arrive');
    const written = await candidate.field().inputValue();
    await candidate.field().fill('');
    await page.unroute(reading);
    await page.unroute(older);
    equal(written, 'While they arrive', 'the field');
  });
}

async function withdrawing() {
  await check('a withdrawal that is being sent can no longer be cancelled', async () => {
    let fail;
    const held = new Promise((resolve) => (fail = resolve));
    await page.route('**/conversation/withdraw', async (route) => {
      await held;
      await route.abort();
    });
    await press(candidate.button(words.more));
    await press(candidate.button(words.withdraw));
    const dialog = page.getByRole('dialog');
    await press(dialog.getByRole('button', { name: words.withdrawConfirm }));
    const goOn = dialog.getByRole('button').first();
    await until('the button that goes on to be off', () => goOn.isDisabled(), 5_000);
    await keyboard.press('Escape');
    equal(await dialog.isVisible(), true, 'the dialog');
    fail();
    await dialog.getByRole('alert').filter({ hasText: /\S/ }).waitFor();
    await page.unroute('**/conversation/withdraw');
    const confirm = dialog.getByRole('button', { name: words.withdrawConfirm });
    equal(await isFocused(confirm), true, 'the focus');
    equal(await goOn.isEnabled(), true, 'the button that goes on');
    await keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  });
}

/** Without a mouse the field does not take the focus, because its keyboard would cover the page. */
async function byTouch() {
  const device = { viewport: PHONE, hasTouch: true, isMobile: true };
  const { page: phone, candidate: one } = await stage.enter('en', device);
  await one.open();
  await one.button(words.agree).click();
  await one.introduce();
  await check('on a phone the focus goes from the profile to the title of the interview', () =>
    until('the focus on the title', () =>
      phone.locator('.interview-title').evaluate((it) => it === document.activeElement),
    ),
  );
  await check('a dialog with one very long word fits a narrow screen', async () => {
    await phone.setViewportSize({ width: 320, height: 640 });
    await phone.route('**/api/v1/conversation', async (route) => {
      const response = await route.fetch();
      const company =
        'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft';
      await route.fulfill({ response, json: { ...(await response.json()), company } });
    });
    await phone.reload();
    await one.field().waitFor();
    await one.button(words.person).click();
    const clipped = await phone
      .getByRole('dialog')
      .evaluate((it) => it.scrollWidth - it.clientWidth);
    equal(clipped, 0, 'what is cut off');
  });
  await phone.context().close();
}

async function ending() {
  await check('every question is answered', async () => {
    const texts = script.answers.slice(2).map(([text]) => text);
    while ((await candidate.conversation()).status !== 'completed') {
      const text = texts.shift();
      if (text === undefined) throw new Error('the questions do not end');
      await answer(text);
    }
    await page.locator('.ending').getByRole('heading').waitFor();
  });
  await check('something is added afterwards', async () => {
    await press(candidate.button(words.add));
    await write('One more thing.');
    await until('the addition', async () => {
      const { messages } = await candidate.conversation();
      return messages.some(({ text }) => text === 'One more thing.');
    });
  });
  await check('wherever the focus was, it could be seen', async () =>
    equal([...unseen], [], 'focused elements without a sign'),
  );
  await check('the console shows no error', async () => equal(candidate.errors, [], 'errors'));
}

try {
  const walks = [
    beginning,
    longAnswer,
    question,
    person,
    stop,
    disappearing,
    older,
    withdrawing,
    ending,
    byTouch,
  ];
  for (const walk of walks) {
    // Later parts depend on this one, so their failures would say nothing new.
    if (!(await part(walk.name, walk))) break;
  }
} finally {
  await stage.close();
}
process.exitCode = report() ? 0 : 1;
