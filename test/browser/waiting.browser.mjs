/**
 * What a candidate sees between an answer and its reply: the time that is left, the answer taken, a reply
 * that is stopped and continued, the question while a long answer is written, and a model that is away.
 */
import { Candidate } from './candidate.mjs';
import {
  DESKTOP,
  PHONE,
  TAKEN_BY_DONE,
  check,
  equal,
  look,
  openBrowser,
  part,
  report,
  startServer,
  until,
} from './harness.mjs';

/** Slow enough that a reply can be stopped in its middle. */
const SLOW_REPLIES = { INTERVIEW_SCRIPTED_PACE: '500' };
/** Nothing listens there. */
const MODEL_AWAY = { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: 'http://127.0.0.1:9' };

const browser = await openBrowser();

async function begin({ base, invite }) {
  const { language } = await (
    await fetch(`${base}/api/v1/invites/${invite.replace('/i/', '')}`)
  ).json();
  const context = await browser.newContext({ viewport: PHONE, locale: language, hasTouch: true });
  const one = new Candidate(await context.newPage(), base, invite, language);
  await one.open();
  await one.button(one.words.agree).click();
  await one.introduce();
  await one.field().waitFor();
  return one;
}

async function twoTabs(one) {
  const { page } = one;
  await check('a draft survives a second tab in which the field was emptied', async () => {
    const text = 'I would like to think about it.';
    const second = new Candidate(await page.context().newPage(), one.base, '', one.language);
    await second.page.goto(one.url);
    await second.field().waitFor();
    await one.field().fill(text);
    await second.field().fill('x');
    await second.field().fill('');
    await second.page.close();
    await page.reload();
    await one.field().waitFor();
    equal(await one.field().inputValue(), text, 'the draft');
    await one.field().fill('');
  });
}

/** Over HTTP/1.1 a browser has six connections for all tabs of a site. */
const TABS = 8;

/** Shows or hides a tab; without a screen Chromium calls every tab visible. */
function show(page, isShown) {
  return page.evaluate(
    (state) => {
      Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    },
    isShown ? 'visible' : 'hidden',
  );
}

async function manyTabs(one) {
  const { page } = one;
  const tabs = [one];
  const text = 'An answer beside seven other tabs.';
  await check(`${TABS} tabs of an interview load, each with the one before it hidden`, async () => {
    while (tabs.length < TABS) {
      await show(tabs.at(-1).page, false);
      const tab = new Candidate(await page.context().newPage(), one.base, '', one.language);
      tabs.push(tab);
      await tab.page.goto(one.url);
      await tab.field().waitFor();
    }
  });
  await look(tabs.at(-1).page, 'eighth-tab', 1);
  await check(
    'a message of the first tab is sent, and is in the others when they are shown',
    async () => {
      await show(tabs.at(-1).page, false);
      await show(page, true);
      await one.write(text);
      await page.getByRole('log').getByText(text).waitFor();
      await until('the message to be stored', async () =>
        (await one.conversation()).messages.some((message) => message.text === text),
      );
      await show(page, false);
      for (const tab of tabs.slice(1)) {
        await show(tab.page, true);
        await tab.seesTheWholeTranscript();
        await show(tab.page, false);
      }
    },
  );
  await look(tabs.at(-1).page, 'eighth-tab-shown', 1);
  for (const tab of tabs.slice(1)) await tab.page.close();
  await check('and the first tab, shown again, has all of it', async () => {
    await show(page, true);
    await one.seesTheWholeTranscript();
  });
}

/** Presses a button whose request does not reach the server. */
async function failing(one, name, path) {
  const { page, words } = one;
  const requests = `**/conversation/${path}`;
  await page.route(requests, (route) => route.abort());
  await one.button(name).click();
  await page.getByRole('alert').filter({ hasText: words.failed }).waitFor();
  await page.unroute(requests);
}

async function collecting(one) {
  const { page } = one;
  await check('a ring shows how long the answer waits, unless motion is reduced', async () => {
    await one.write('I like that the work is close to people.');
    await page.locator('.quiet-ring').waitFor();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    equal(await page.locator('.quiet-ring').isVisible(), false, 'the ring');
    await page.emulateMedia({ reducedMotion: null });
  });
  const question = page.locator('.current-question');
  await check('the question stays visible on a phone while a long answer is written', async () => {
    equal(await question.isVisible(), false, 'the line before');
    await page.setViewportSize({ width: PHONE.width, height: 480 });
    await one.field().fill('I have written services on PostgreSQL for eight years. '.repeat(12));
    await question.waitFor();
    const { messages } = await one.conversation();
    const asked = messages.findLast((message) => message.question !== undefined);
    const text = asked.text.slice(asked.question.start);
    equal((await question.textContent()).endsWith(text), true, 'the question in the line');
    const closed = (await question.boundingBox()).height;
    await question.click();
    equal(await question.getAttribute('aria-expanded'), 'true', 'aria-expanded');
    equal((await question.boundingBox()).height > closed, true, 'the open line is higher');
  });
  await check('Done leads to a text that is too long, and sends nothing', async () => {
    const text = await one.field().inputValue();
    const { limits } = await one.conversation();
    await one.field().fill('x'.repeat(limits.maxMessageChars + 1));
    await one.done();
    const isFocused = await one.field().evaluate((it) => it === document.activeElement);
    await one.field().fill(text);
    equal([isFocused, (await one.conversation()).hasBuffer], [true, true], 'focus, open answer');
  });
  await check('a desktop has no such line', async () => {
    await page.setViewportSize(DESKTOP);
    equal(await question.isVisible(), false, 'the line');
    await page.setViewportSize(PHONE);
  });
}

async function taking(one) {
  const { page, words } = one;
  await check('a Done that failed says so', async () => {
    await failing(one, words.done, 'done');
    await look(page, 'done-failed', 2);
  });
  await check(
    'Done names the last message, and the page takes the answer until a reply',
    async () => {
      const [request] = await Promise.all([
        page.waitForRequest('**/conversation/done'),
        one.done(),
      ]);
      await page.getByText(words.taking).waitFor();
      const { messages } = await one.conversation();
      const { clientId } = messages.findLast(({ role }) => role === 'user');
      equal(request.postDataJSON(), { lastMessageId: clientId }, 'the body of Done');
    },
  );
  await check('Stop is there only while text streams', async () => {
    const seen = await until('a word of the reply', () =>
      page.evaluate(() => {
        const isWriting = document.querySelector('.being-written') !== null;
        const button = document.querySelector('.answer-status .small-button');
        if (button !== null && !isWriting) return 'a button before the first word';
        return isWriting && 'writing';
      }),
    );
    equal(seen, 'writing', 'what came first');
    await one.button(words.stop).waitFor();
  });
}

async function stopping(one) {
  const { page, words } = one;
  const first = (await one.conversation()).messages.findLast(({ question }) => question);
  await check('after Stop the question stands again, with a way to continue', async () => {
    await failing(one, words.stop, 'stop');
    await one.button(words.stop).click();
    await one.button(words.continue).waitFor();
    await page.getByText(words.stopped).waitFor();
    equal(await one.button(words.stop).isVisible(), false, 'Stop');
    const text = await page.locator('.open-question .question').textContent();
    equal(text, first.text.slice(first.question.start), 'the question');
  });
  await look(page, 'stopped');
  await check('a Continue that failed says so, and the next one is sent once', async () => {
    await failing(one, words.continue, 'continue');
    await look(page, 'continue-failed', 2);
    let sent = 0;
    let release;
    const released = new Promise((resolve) => (release = resolve));
    await page.route('**/conversation/continue', async (route) => {
      sent += 1;
      await released;
      await route.continue();
    });
    await one.button(words.continue).dblclick();
    release();
    await one.button(words.continue).waitFor({ state: 'hidden' });
    await page.unroute('**/conversation/continue');
    equal(sent, 1, 'requests');
  });
  await check('Continue goes on with the next question, which is marked as one', async () => {
    const { messages, progress } = await one.quiet(({ progress: { question } }) => question === 2);
    equal(progress.question, 2, 'the progress');
    await one.button(words.continue).waitFor({ state: 'hidden' });
    await one.seesTheWholeTranscript();
    const asked = messages.filter(({ question }) => question !== undefined);
    const texts = asked.map(({ text, question }) => text.slice(question.start));
    equal(await page.locator('.saying .question').allTextContents(), texts, 'the questions');
  });
  await check('the console shows no error', () => equal(one.errors, [], 'errors'));
}

async function waiting(one) {
  const { page, words } = one;
  await check('while the model is away the page says so, without Stop and dots', async () => {
    await one.write('An answer for later.');
    await one.done();
    await page.locator('.note-away').waitFor();
    await page.getByText(words.away).waitFor();
    equal(await page.locator('.answer-status button').count(), 0, 'buttons');
    equal(await page.locator('.thinking').count(), 0, 'dots');
  });
  await look(page, 'away');
}

async function withServer(settings, parts) {
  const server = await startServer(settings);
  try {
    const one = await begin(server);
    for (const work of parts) if (!(await part(work.name, () => work(one)))) break;
    await one.page.context().close();
  } finally {
    await server.close();
  }
}

try {
  await withServer({ ...TAKEN_BY_DONE, ...SLOW_REPLIES }, [
    twoTabs,
    collecting,
    taking,
    stopping,
    manyTabs,
  ]);
  await withServer({ ...TAKEN_BY_DONE, ...MODEL_AWAY }, [waiting]);
} finally {
  await browser.close();
}
process.exitCode = report() ? 0 : 1;
