/**
 * A whole interview by the keyboard alone, at a desk: from the welcome to what is added after the last
 * question, with a person asked for, a reply stopped and continued, and the menu. Wherever the focus is, it
 * can be seen.
 */
import { DESKTOP, check, equal, part, report, until } from './harness.mjs';
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

async function beginning() {
  await page.goto(candidate.url);
  await press(page.getByRole('main').getByRole('button').first());
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
  await check('a person is asked for, and the interview is resumed', async () => {
    await candidate.heading(words.askedForPerson).waitFor();
    await press(candidate.button(words.resume));
    await candidate.heading(words.askedForPerson).waitFor({ state: 'hidden' });
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
  for (const walk of [beginning, question, person, stop, ending]) {
    // Later parts depend on this one, so their failures would say nothing new.
    if (!(await part(walk.name, walk))) break;
  }
} finally {
  await stage.close();
}
process.exitCode = report() ? 0 : 1;
