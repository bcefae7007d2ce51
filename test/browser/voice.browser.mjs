/**
 * Voice messages in a real browser, with Chromium's fake microphone and a model server that transcribes.
 * Also what a candidate sees without a microphone, a permission or a connection. The suite always
 * starts dist/main.js itself, beside its own model server.
 */
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { Candidate } from './candidate.mjs';
import {
  CHROMIUM_ARGS,
  PHONE,
  check,
  equal,
  look,
  part,
  report,
  startServer,
  until,
} from './harness.mjs';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../..', import.meta.url));
require(path.join(root, 'tools/support/swc-register.cjs'));
const { ModelServer } = require(path.join(root, 'tools/fake-model/model-server.ts'));

const model = await ModelServer.start();
const server = await startServer({
  OPENAI_API_KEY: 'test',
  OPENAI_BASE_URL: model.baseUrl,
  OPENAI_TRANSCRIPTION_MODEL: 'w-1',
  INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '4',
  INTERVIEW_TYPING_DEBOUNCE_TIMEOUT: '4',
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
  args: [...CHROMIUM_ARGS, '--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'],
});
const { language } = await (
  await fetch(`${server.base}/api/v1/invites/${server.invite.replace('/i/', '')}`)
).json();

const WORDS = {
  en: {
    record: 'Record a voice message',
    recording: 'Recording',
    send: 'Send voice message',
    cancel: 'Cancel recording',
    discard: 'Discard recording',
    retry: 'Send again',
    unsent: /Your recording is kept/,
    disconnected: /The microphone was disconnected/,
    tooLong: /Too long by/,
    transcribing: /Listening to your message/,
    correct: 'Correct',
    correctLabel: 'What you said',
    keep: 'Keep it as it is',
    save: 'Save',
    denied: /does not allow the microphone/,
    noDevice: /No microphone found/,
    close: 'Close',
  },
  ru: {
    record: 'Записать голосовое сообщение',
    recording: 'Идёт запись',
    send: 'Отправить голосовое сообщение',
    cancel: 'Отменить запись',
    discard: 'Удалить запись',
    retry: 'Отправить ещё раз',
    unsent: /Запись сохранена/,
    disconnected: /Микрофон отключился/,
    tooLong: /Лишних знаков/,
    transcribing: /Слушаю ваше сообщение/,
    correct: 'Исправить',
    correctLabel: 'Что вы сказали',
    keep: 'Оставить как есть',
    save: 'Сохранить',
    denied: /не даёт доступа к микрофону/,
    noDevice: /Микрофон не найден/,
    close: 'Закрыть',
  },
}[language];

async function arrive() {
  const context = await browser.newContext({ viewport: PHONE, locale: language, hasTouch: true });
  const one = new Candidate(await context.newPage(), server.base, server.invite, language);
  await one.open();
  await one.button(one.words.agree).click();
  await one.introduce();
  await one.field().waitFor();
  return one;
}

/** The element gets the focus after the one that had it was removed. */
function takesFocus(locator) {
  return until('the focus to come back', () =>
    locator.evaluate((it) => it === document.activeElement),
  );
}

async function spoken(one) {
  const { page } = one;
  await look(page, 'voice-idle', 2);
  await check('recording begins with a press, shows its time, and can be cancelled', async () => {
    await one.button(WORDS.record).click();
    await page.getByText(WORDS.recording, { exact: true }).waitFor();
    await page.getByText('0:01').waitFor();
    await one.button(WORDS.cancel).click();
    await one.field().waitFor();
    equal((await one.conversation()).messages.length, 2, 'messages');
  });
  await check('after a cancelled recording the record button has the focus', () =>
    takesFocus(one.button(WORDS.record)),
  );
  model.transcriptions.hold();
  model.transcriptions.text = 'I have worked with red and bread for eight years.';
  await check(
    'the keyboard sends a recording, and the page says that it is being transcribed',
    async () => {
      await one.button(WORDS.record).focus();
      await page.keyboard.press('Enter');
      await page.getByText('0:02').waitFor();
      await look(page, 'voice-recording');
      await one.button(WORDS.send).focus();
      await page.keyboard.press('Enter');
      await page.getByText(WORDS.transcribing).waitFor();
    },
  );
  await check('after a recording was sent the record button has the focus', () =>
    takesFocus(one.button(WORDS.record)),
  );
  await look(page, 'voice-transcribing');
  await check('the server gets the audio that the browser recorded', async () => {
    const { fileName, audio } = await model.transcriptions.request(1);
    equal(fileName, 'voice.webm', 'the name');
    equal(audio.subarray(0, 4).toString('hex'), '1a45dfa3', 'the beginning of a WebM file');
  });
  await check('the transcript replaces the recording, and can be corrected', async () => {
    model.transcriptions.release();
    await page.getByRole('log').getByText('with red and bread').waitFor();
    await look(page, 'voice-heard');
    await one.button(WORDS.correct).click();
    const field = page.getByLabel(WORDS.correctLabel);
    await field.fill('I have worked with rye and bread for eight years.');
    await look(page, 'voice-correcting');
    await one.button(WORDS.save).click();
    await page.getByRole('log').getByText('with rye and bread').waitFor();
    await takesFocus(one.button(WORDS.correct));
  });
  await check('the interviewer replies to the corrected text', async () => {
    // The page shows the correction before the server has it.
    const isCorrected = ({ text }) => text.includes('with rye and bread');
    const { messages } = await one.quiet(
      (view) => view.messages.some(isCorrected) && view.messages.at(-1).role === 'assistant',
    );
    equal(messages.filter(isCorrected).length, 1, 'the correction');
  });
  await check('a correction that is given up gives the focus back to its button', async () => {
    const ways = [() => page.keyboard.press('Escape'), () => one.button(WORDS.keep).click()];
    for (const giveUp of ways) {
      await one.button(WORDS.correct).click();
      await page.getByLabel(WORDS.correctLabel).waitFor();
      await giveUp();
      await takesFocus(one.button(WORDS.correct));
    }
  });
  await check(
    'a correction that is too long is not sent, and Escape does not drop it',
    async () => {
      await one.button(WORDS.correct).click();
      const field = page.getByLabel(WORDS.correctLabel);
      await field.fill('rye '.repeat(4_001));
      await page.locator('.length').getByText(WORDS.tooLong).waitFor();
      equal(await one.button(WORDS.save).isDisabled(), true, 'Save is disabled');
      await look(page, 'voice-too-long', 2);
      await field.press('Escape');
      equal(await field.isVisible(), true, 'the correction is open');
      await one.button(WORDS.keep).click();
      await field.waitFor({ state: 'hidden' });
    },
  );
  await look(page, 'voice-answered', 2);
}

/** Waits until the server has transcribed so many voice messages. */
function heard(one, count) {
  return until(`voice ${String(count)} to be heard`, async () => {
    const { messages, transcribing } = await one.conversation();
    const voices = messages.filter(({ contentType }) => contentType === 'VOICE');
    return transcribing === 0 && voices.length === count;
  });
}

async function unsent(one) {
  const { page } = one;
  await check(
    'without a connection the recording is kept, and it is sent when there is one',
    async () => {
      await one.button(WORDS.record).click();
      await page.getByText('0:01').waitFor();
      await page.context().setOffline(true);
      await one.button(WORDS.send).click();
      await page.getByText(WORDS.unsent).waitFor();
      await look(page, 'voice-unsent', 2);
      await page.context().setOffline(false);
      await heard(one, 2);
      await page.getByText(WORDS.unsent).waitFor({ state: 'hidden' });
    },
  );
  await one.quiet();
  await check('a recording that the server could not take is sent again by a press', async () => {
    const voices = '**/conversation/voice*';
    await page.route(voices, (route) => route.abort());
    await one.button(WORDS.record).click();
    await page.getByText('0:01').waitFor();
    await one.button(WORDS.send).click();
    await page.getByText(WORDS.unsent).waitFor();
    await page.unroute(voices);
    await one.button(WORDS.retry).click();
    await heard(one, 3);
  });
  await check('after a recording was sent again the record button has the focus', () =>
    takesFocus(one.button(WORDS.record)),
  );
  await one.quiet();
}

async function interrupted(one) {
  const { page } = one;
  await check('the browser asks before a page with a recording is left', async () => {
    await one.button(WORDS.record).click();
    await page.getByText('0:01').waitFor();
    const asking = page.waitForEvent('dialog');
    await page.evaluate(() => void setTimeout(() => location.reload()));
    const dialog = await asking;
    equal(dialog.type(), 'beforeunload', 'the question');
    await dialog.dismiss();
    await page.getByText('0:02').waitFor();
    await one.button(WORDS.cancel).click();
  });
  await check('when the microphone is unplugged, the recording until then is sent', async () => {
    await page.evaluate(() => {
      const { mediaDevices } = navigator;
      const open = mediaDevices.getUserMedia.bind(mediaDevices);
      mediaDevices.getUserMedia = async (wanted) => (window.microphone = await open(wanted));
    });
    await one.button(WORDS.record).click();
    await page.getByText('0:02').waitFor();
    await page.evaluate(() => {
      for (const track of window.microphone.getTracks()) {
        track.stop();
        track.dispatchEvent(new window.Event('ended'));
      }
    });
    await page.getByText(WORDS.disconnected).waitFor();
    await look(page, 'voice-disconnected', 2);
    await one.button(WORDS.send).click();
    await heard(one, 4);
  });
  await one.quiet();
}

/** What happens beside the recorder. */
async function focus(one) {
  const { page } = one;
  await check('the recorder has the focus while it asks for the microphone', async () => {
    await page.evaluate(() => {
      const { mediaDevices } = navigator;
      const open = mediaDevices.getUserMedia;
      const denied = new window.DOMException('no', 'NotAllowedError');
      mediaDevices.getUserMedia = () =>
        new Promise((_, reject) => {
          window.deny = () => {
            mediaDevices.getUserMedia = open;
            reject(denied);
          };
        });
    });
    await one.button(WORDS.record).focus();
    await page.keyboard.press('Enter');
    await takesFocus(page.locator('.recorder'));
    await page.evaluate(() => window.deny());
    await takesFocus(one.button(WORDS.record));
    await one.button(WORDS.close).click();
  });
  await check('a recording that cannot be sent leaves the focus in a correction', async () => {
    const voices = '**/conversation/voice*';
    let fail;
    const held = new Promise((resolve) => (fail = resolve));
    await page.route(voices, async (route) => {
      await held;
      await route.abort();
    });
    await one.button(WORDS.record).click();
    await page.getByText('0:01').waitFor();
    await one.button(WORDS.send).click();
    await one.button(WORDS.correct).last().click();
    const field = page.getByLabel(WORDS.correctLabel);
    await takesFocus(field);
    fail();
    await page.getByText(WORDS.unsent).waitFor();
    equal(await field.evaluate((it) => it === document.activeElement), true, 'the focus');
    await page.unroute(voices);
    await one.button(WORDS.keep).click();
    await one.button(WORDS.discard).click();
    await one.field().waitFor();
  });
}

async function refused(one) {
  const { page } = one;
  const problems = [
    ['NotAllowedError', WORDS.denied, 'voice-denied'],
    ['NotFoundError', WORDS.noDevice, 'voice-no-device'],
  ];
  for (const [name, words, shot] of problems) {
    await check(`${name} shows a helpful message, and the candidate can write`, async () => {
      await page.evaluate((errorName) => {
        navigator.mediaDevices.getUserMedia = () =>
          Promise.reject(new window.DOMException('no', errorName));
      }, name);
      await one.button(WORDS.record).click();
      await page.getByText(words).waitFor();
      equal(await one.field().isVisible(), true, 'the field');
      await look(page, shot, 2);
      await one.button(WORDS.close).click();
      await page.getByText(words).waitFor({ state: 'hidden' });
      await takesFocus(one.button(WORDS.record));
    });
  }
}

try {
  const one = await arrive();
  for (const walk of [spoken, unsent, interrupted, focus, refused]) {
    if (!(await part(walk.name, () => walk(one)))) break;
  }
  await check('the console shows no error', () => equal(one.errors, [], 'errors'));
  await check('nothing overflows, and what can be pressed is at least 44 px', async () => {
    const { page } = one;
    const small = await page.locator('button:visible').evaluateAll((all) =>
      all
        .map((it) => [it.textContent || it.ariaLabel, it.getBoundingClientRect()])
        .filter(([, { width, height }]) => width < 44 || height < 44)
        .map(([name]) => name),
    );
    equal(small, [], 'small targets');
    const overflow = () => document.documentElement.scrollWidth - window.innerWidth;
    equal((await page.evaluate(overflow)) > 0, false, 'horizontal overflow');
  });
} finally {
  model.transcriptions.release();
  await browser.close();
  await server.close();
  await model.close();
}
process.exitCode = report() ? 0 : 1;
