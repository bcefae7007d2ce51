/**
 * A whole interview in a real browser: bursts of messages, a reload in the middle of a reply, a lost
 * connection, a second tab, and the ways to leave; with axe on every page.
 *
 * It runs against BASE_URL and INVITE_PATH (an open link), or starts dist/main.js itself.
 */
import fs from 'node:fs';
import { Candidate } from './candidate.mjs';
import {
  PHONE,
  check,
  equal,
  look,
  openBrowser,
  openServer,
  part,
  report,
  until,
} from './harness.mjs';
import { leaving, links, ownData, surface, waysOut } from './page-actions.mjs';
import { arrival, departure } from './two-channels.mjs';

const server = await openServer();
const browser = await openBrowser();

const { language } = await (
  await fetch(`${server.base}/api/v1/invites/${server.invite.replace('/i/', '')}`)
).json();

async function candidate(options = {}) {
  const context = await browser.newContext({ viewport: PHONE, locale: language, ...options });
  return new Candidate(await context.newPage(), server.base, server.invite, language);
}

/** Collects all texts of the polite live region. */
function listen(page) {
  return page.evaluate(() => {
    window.said = [];
    const region = document.querySelector('[data-testid=spoken]');
    new window.MutationObserver((changes) => {
      for (const { addedNodes } of changes) {
        for (const node of addedNodes) window.said.push(node.textContent);
      }
    }).observe(region, { childList: true });
  });
}

async function beginning(one) {
  const { page, words } = one;
  await page.goto(one.url);
  await one.button(words.begin).waitFor();
  await check('the link shows the greeting before anything is stored', async () => {
    const status = await page.evaluate(async () => (await fetch('/api/v1/conversation')).status);
    equal(status, 401, 'GET /conversation');
  });
  await look(page, 'welcome');
  await one.button(words.begin).click();
  await one.button(words.agree).waitFor();
  await look(page, 'consent');
  await check('a person can be asked for before consent, and nothing can be written', async () => {
    await one.button(words.person).click();
    await one.inDialog(words.personConfirm).click();
    await one.heading(words.askedForPerson).waitFor();
    equal(await one.field().count(), 0, 'fields');
    await look(page, 'asked-before-consent');
    await one.button(words.resume).click();
    await one.button(words.agree).waitFor();
  });
  await check('a candidate can decline the disclosure, and change their mind', async () => {
    await one.button(words.refuse).click();
    await one.heading(words.declined).waitFor();
    await look(page, 'declined');
    await one.button(words.reconsider).click();
    await one.button(words.agree).click();
  });
  await page.getByLabel(words.name).waitFor();
  await look(page, 'profile');
  await check('a contact that looks unusual is asked about once, and is not refused', async () => {
    await one.introduce('maria of the bakery');
    await page.getByRole('status').filter({ hasText: words.unusual }).waitFor();
    await look(page, 'profile-unusual');
    await page.getByLabel(words.contact).fill('maria, at the bakery');
    await one.button(words.start).click();
    await one.button(words.confirmContact).click();
    await one.field().waitFor();
    equal((await one.conversation()).profile.contact, 'maria, at the bakery', 'the contact');
  });
  await check(
    'the first question and the progress are shown after consent and profile',
    async () => {
      await one.field().waitFor();
      await page.getByText(words.progress).filter({ visible: true }).waitFor();
      await one.seesTheWholeTranscript();
    },
  );
  await look(page, 'first-question');
}

async function burst(one) {
  const { page, words } = one;
  await listen(page);
  const before = await one.replies();
  await check('three messages get exactly one reply', async () => {
    await one.write('I like that the work is close to people.');
    await one.write('I have written services on PostgreSQL for eight years.');
    await one.write('And the team sounds good.');
    await page.getByText(words.listening).waitFor();
    await one.finishAnswer();
    equal((await one.replies()) - before, 1, 'new replies');
    await one.seesTheWholeTranscript();
  });
  await check(
    'a screen reader gets whole sentences only, from a region outside the log',
    async () => {
      const said = await page.evaluate(() => window.said);
      equal(said.length > 0, true, 'a text was announced');
      const fragments = said.filter((text) => !/[.!?…:]["'»”)]*$/.test(text.trim()));
      equal(fragments, [], 'fragments');
      equal(await page.getByRole('log').getAttribute('aria-live'), 'off', 'aria-live of the log');
    },
  );
  await look(page, 'second-question');
  await one.write('One more thing.');
  await one.field().fill('still typing');
  await look(page, 'listening', 1);
  await one.field().fill('');
  await one.finishAnswer();
}

async function reload(one) {
  const { page, words } = one;
  await check('a draft survives a reload', async () => {
    await one.field().fill('a thought begun');
    await page.reload();
    await one.field().waitFor();
    equal(await one.field().inputValue(), 'a thought begun', 'the draft');
    await one.field().fill('');
  });
  await check('a reload in the middle of a reply shows the whole reply once', async () => {
    const before = await one.replies();
    await one.write('An answer that ends with a reload.');
    await one.done();
    await until('a reply to begin', async () => {
      return (await one.button(words.stop).isVisible()) || (await one.replies()) > before;
    });
    await page.reload();
    await one.field().waitFor();
    await one.quiet();
    equal((await one.replies()) - before, 1, 'new replies');
    await one.seesTheWholeTranscript();
  });
  await check('a message whose sending a reload interrupts is sent once afterwards', async () => {
    const ids = [];
    await page.route('**/conversation/messages', async (route) => {
      ids.push(route.request().postDataJSON().id);
      await route.abort();
    });
    await one.write('Written while the server was away.');
    await page.getByText(words.unsent).waitFor();
    await page.unroute('**/conversation/messages');
    page.on('request', (request) => {
      if (request.url().endsWith('/messages')) ids.push(request.postDataJSON().id);
    });
    await page.reload();
    await one.field().waitFor();
    await until('the message to arrive', async () => {
      const { messages } = await one.conversation();
      return messages.some(({ clientId }) => clientId === ids[0]);
    });
    equal([...new Set(ids)].length, 1, 'ids under which it was sent');
    await one.finishAnswer();
    await one.seesTheWholeTranscript();
  });
}

async function stop(one) {
  const { page, words } = one;
  await check('Stop loses no text, whether or not the reply ends before the click', async () => {
    const before = await one.replies();
    await one.write('An answer whose reply is interrupted.');
    await one.done();
    const running = page.locator('.being-written');
    const isCaught = await until('a reply to run', async () => {
      if (await running.isVisible()) return 'caught';
      return (await one.replies()) > before && 'over';
    });
    // A reply may end before the click. Then there is nothing to stop, and the check passes.
    const button = one.button(words.stop);
    if (isCaught === 'caught') await button.click({ timeout: 1_000 }).catch(() => undefined);
    const { messages } = await one.quiet();
    await button.waitFor({ state: 'hidden' });
    await one.seesTheWholeTranscript();
    const stopped = messages.filter(({ partial }) => partial === true).length;
    equal(await page.getByText(words.stopped).count(), stopped, 'replies marked as stopped');
    console.log(`          (the reply was ${stopped > 0 ? 'stopped' : 'over before the click'})`);
  });
  await look(page, 'stopped', 1);
}

async function offline(one) {
  const { page, words } = one;
  const context = page.context();
  const before = await one.replies();
  await check(
    'without a connection the page says so, and the candidate can keep writing',
    async () => {
      await context.setOffline(true);
      await page.getByText(words.lost).waitFor();
      await one.write('First, written offline.');
      await one.write('Second, written offline.');
      await page.getByText(words.unsent).waitFor();
      equal(await one.field().isEnabled(), true, 'the field');
    },
  );
  await look(page, 'offline');
  await check(
    'when the connection is back, both messages arrive in order and get one reply',
    async () => {
      await context.setOffline(false);
      await page.getByText(words.lost).waitFor({ state: 'hidden' });
      await page.getByText(words.unsent).waitFor({ state: 'hidden' });
      const { messages } = await one.conversation();
      const texts = messages.map(({ text }) => text).filter((text) => /offline/.test(text));
      equal(texts, ['First, written offline.', 'Second, written offline.'], 'what arrived');
      await one.finishAnswer();
      equal((await one.replies()) - before, 1, 'new replies');
      await one.seesTheWholeTranscript();
    },
  );
}

async function secondTab(one) {
  const tab = new Candidate(
    await one.page.context().newPage(),
    server.base,
    server.invite,
    language,
  );
  await check('a second tab shows the same messages, and new ones as they come', async () => {
    await tab.page.goto(tab.url);
    await tab.field().waitFor();
    await tab.seesTheWholeTranscript();
    await one.write('Written in the first tab.');
    await tab.page.getByText('Written in the first tab.').waitFor();
    await tab.done();
    await one.quiet();
    await tab.seesTheWholeTranscript();
    await one.seesTheWholeTranscript();
  });
  equal(tab.errors, [], 'errors in the second tab');
  await tab.page.close();
}

async function finish(one) {
  const { page, words } = one;
  await check('the interview can be completed', async () => {
    for (let answers = 0; answers < 30; answers += 1) {
      if ((await one.conversation()).status === 'completed') break;
      await one.write(`An answer of substance, number ${answers}: I measured it, then fixed it.`);
      await one.done();
      await one.quiet();
    }
    await one.heading(words.completed).waitFor();
    await page.getByText(words.allDone).first().waitFor();
    await one.seesTheWholeTranscript();
  });
  await check(
    'at the end the field is gone until the candidate wants to add something',
    async () => {
      await one.field().waitFor({ state: 'hidden' });
      const title = one.heading(words.completed);
      equal(
        await title.evaluate((it) => it === document.activeElement),
        true,
        'focus on the title',
      );
    },
  );
  await look(page, 'completed');
  await check('the answers can be downloaded as a text that people read', async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      one.button(words.answers).click(),
    ]);
    const text = fs.readFileSync(await download.path(), 'utf8');
    const { messages } = await one.conversation();
    equal(download.suggestedFilename().endsWith('.txt'), true, 'a text file');
    const missing = messages.filter((message) => !text.includes(message.text.trim()));
    equal(missing, [], 'messages that are not in the file');
  });
  await check('an addition is still accepted', async () => {
    await one.button(words.add).click();
    equal(await one.field().evaluate((it) => it === document.activeElement), true, 'focus');
    await one.write('One addition afterwards.');
    await until('the addition to arrive', async () => {
      const { messages } = await one.conversation();
      return messages.some(({ text }) => text === 'One addition afterwards.');
    });
    await one.seesTheWholeTranscript();
  });
  await look(page, 'addition');
}

try {
  await part('links', () => links(candidate));
  const one = await candidate({ hasTouch: true });
  for (const walk of [beginning, burst, reload, stop, offline, secondTab, surface, finish]) {
    // Later parts depend on this one, so their failures would say nothing new.
    if (!(await part(walk.name, () => walk(one)))) break;
  }
  await check('the console shows no error', () => equal(one.errors, [], 'errors'));
  await one.page.context().close();
  await part('waysOut', () => waysOut(candidate));
  await part('arrival', () => arrival(candidate));
  await part('departure', () => departure(candidate));
  await part('leaving', () => leaving(candidate));
  await part('ownData', () => ownData(candidate));
} finally {
  await browser.close();
  await server.close();
}
process.exitCode = report() ? 0 : 1;
