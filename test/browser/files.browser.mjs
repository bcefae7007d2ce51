/**
 * Files in a real browser, in Russian and in English: choosing by the keyboard, dropping and pasting,
 * progress, refused files, and saving a file. It always starts dist/main.js itself.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Candidate } from './candidate.mjs';
import {
  PHONE,
  check,
  equal,
  look,
  openBrowser,
  part,
  report,
  startServer,
  until,
} from './harness.mjs';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../..', import.meta.url));
require(path.join(root, 'tools/support/swc-register.cjs'));
const { PDF, PNG } = require(path.join(root, 'test/support/sent-files.ts'));
const { ADMIN_TOKEN } = require(path.join(root, 'test/support/secrets.ts'));

const server = await startServer({
  INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '60',
  INTERVIEW_MAX_FILE_BYTES: '2000000',
  ADMIN_TOKEN,
});
const browser = await openBrowser();
const { language } = await (
  await fetch(`${server.base}/api/v1/invites/${server.invite.replace('/i/', '')}`)
).json();

const WORDS = {
  en: {
    attach: /Attach a file/,
    download: 'Download',
    type: /only PDF and DOCX documents and pictures/,
    tooLarge: /can be at most/,
    unsent: /Not sent yet. Keep this page open/,
    retry: 'Send again',
    remove: 'Remove',
  },
  ru: {
    attach: /Прикрепить файл/,
    download: 'Скачать',
    type: /только документы PDF и DOCX и изображения/,
    tooLarge: /может быть не больше/,
    unsent: /Пока не отправлен/,
    retry: 'Отправить ещё раз',
    remove: 'Убрать',
  },
};
const OTHER = { en: 'ru', ru: 'en' };
/** The words in the current language of the page, which the test switches. */
let words = WORDS[language];

async function arrive() {
  const context = await browser.newContext({ viewport: PHONE, locale: language, hasTouch: true });
  const one = new Candidate(await context.newPage(), server.base, server.invite, language);
  await one.open();
  await one.button(one.words.agree).click();
  await one.introduce();
  await one.field().waitFor();
  return one;
}

const log = (one) => one.page.getByRole('log');
const chosen = (one, files) => one.page.locator('input[type=file]').setInputFiles(files);
const pdf = (name, buffer = PDF) => ({ name, mimeType: 'application/pdf', buffer });

async function attached(one) {
  const { page } = one;
  await check('a file is chosen with the keyboard and takes its place in the answer', async () => {
    const choosing = page.waitForEvent('filechooser');
    await one.button(words.attach).focus();
    await page.keyboard.press('Enter');
    await (await choosing).setFiles(pdf('Резюме Ады Лавлейс.pdf'));
    await log(one).getByText('Резюме Ады Лавлейс.pdf').waitFor();
    const { messages } = await one.conversation();
    equal(messages.at(-1).file.mimeType, 'application/pdf', 'its type');
  });
  await check('the file is saved under its own name, with the same bytes', async () => {
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: new RegExp(words.download) }).click();
    const download = await saving;
    equal(download.suggestedFilename(), 'Резюме Ады Лавлейс.pdf', 'the name');
    equal(fs.readFileSync(await download.path()).equals(PDF), true, 'the bytes');
  });
  await look(page, `files-kept-${language}`, 2);
}

async function refused(one) {
  const { page } = one;
  await check('a refused file shows the reason, and the other files are sent', async () => {
    await chosen(one, [
      pdf('huge.pdf', Buffer.alloc(2_000_001, '%PDF-')),
      pdf('notes.pdf', Buffer.from('only words')),
      pdf('letter.pdf'),
    ]);
    await page.getByText(words.tooLarge).waitFor();
    await page.getByText(words.type).waitFor();
    await log(one).getByText('letter.pdf').waitFor();
    await look(page, `files-refused-${language}`, 4);
    for (const name of ['huge.pdf', 'notes.pdf']) {
      await page.getByRole('button', { name: `${words.remove} ${name}` }).click();
    }
    equal(await page.getByText(words.type).count(), 0, 'what was removed');
  });
}

async function slow(one) {
  const { page } = one;
  await check('a slow file shows its progress, and can be cancelled', async () => {
    const client = await page.context().newCDPSession(page);
    const speed = { offline: false, latency: 0, downloadThroughput: -1 };
    await client.send('Network.enable');
    await client.send('Network.emulateNetworkConditions', { ...speed, uploadThroughput: 200_000 });
    await chosen(one, pdf('slow.pdf', Buffer.alloc(1_500_000, '%PDF-')));
    await page.getByRole('progressbar', { name: 'slow.pdf' }).waitFor();
    await page.getByText(/[1-9]\d?\s?%/).waitFor();
    await look(page, `files-sending-${language}`, 1);
    await page.getByRole('button', { name: `${words.remove} slow.pdf` }).click();
    await page.getByRole('progressbar').waitFor({ state: 'detached' });
    await client.send('Network.emulateNetworkConditions', { ...speed, uploadThroughput: -1 });
    await client.detach();
  });
}

async function unsent(one) {
  const { page } = one;
  await check(
    'without a connection the file is kept, and it is sent when there is one',
    async () => {
      await page.context().setOffline(true);
      await chosen(one, pdf('offline.pdf'));
      await page.getByText(words.unsent).waitFor();
      await page.context().setOffline(false);
      await log(one).getByText('offline.pdf').waitFor();
      await page.getByText(words.unsent).waitFor({ state: 'hidden' });
    },
  );
}

async function many(one) {
  const { page } = one;
  const names = Array.from({ length: 10 }, (_, index) => `notes-${String(index)}.pdf`);
  await check('ten files leave the button that sends on the screen, also a low one', async () => {
    await chosen(
      one,
      names.map((name) => pdf(name, Buffer.from('only words'))),
    );
    await until('all of them', async () => (await page.locator('.attached-file').count()) === 10);
    for (const viewport of [PHONE, { width: 360, height: 380 }]) {
      await page.setViewportSize(viewport);
      const { bottom } = await page
        .locator('.send-button')
        .evaluate((it) => it.getBoundingClientRect().toJSON());
      equal(bottom <= viewport.height, true, `the button on the screen (${viewport.height})`);
    }
    await page.setViewportSize(PHONE);
  });
  for (const name of names) {
    await page.getByRole('button', { name: `${words.remove} ${name}` }).click();
  }
}

/** Drops a file as with a mouse, and pastes a picture as from the clipboard. */
async function droppedAndPasted(one) {
  const { page } = one;
  const bytes = [...PNG];
  await check('a picture is dropped on the page, and another one pasted', async () => {
    await page.evaluate((png) => {
      const transfer = (name) => {
        const data = new window.DataTransfer();
        data.items.add(new window.File([new Uint8Array(png)], name, { type: 'image/png' }));
        return data;
      };
      const init = { bubbles: true, cancelable: true };
      const target = document.querySelector('.interview');
      target.dispatchEvent(
        new window.DragEvent('drop', { ...init, dataTransfer: transfer('dropped.png') }),
      );
      document
        .querySelector('textarea')
        .dispatchEvent(
          new window.ClipboardEvent('paste', { ...init, clipboardData: transfer('pasted.png') }),
        );
    }, bytes);
    await log(one).getByText('dropped.png').waitFor();
    await log(one).getByText('pasted.png').waitFor();
  });
}

/** As an office program copies: a text, and a picture of it. */
async function pastedText(one) {
  const { page } = one;
  await check('a text that is pasted with a picture of it is taken as a text', async () => {
    const isLeftToTheBrowser = await page.evaluate(
      (png) => {
        const data = new window.DataTransfer();
        data.setData('text/plain', 'two columns');
        data.items.add(new window.File([new Uint8Array(png)], 'cells.png', { type: 'image/png' }));
        const event = new window.ClipboardEvent('paste', {
          bubbles: true,
          cancelable: true,
          clipboardData: data,
        });
        return document.querySelector('textarea').dispatchEvent(event);
      },
      [...PNG],
    );
    equal(isLeftToTheBrowser, true, 'the browser pastes the text');
    equal(await page.getByText('cells.png').count(), 0, 'files');
  });
}

/** Checks what a recruiter gets. */
async function recruiters(one) {
  await check('a recruiter saves the file from the transcript', async () => {
    const { id } = await one.conversation();
    const context = await browser.newContext({ locale: language });
    const page = await context.newPage();
    await page.goto(`${server.base}/console/transcripts/${id}`);
    await page.locator('input').first().fill(ADMIN_TOKEN);
    await page.keyboard.press('Enter');
    const button = page.getByRole('button', { name: /Резюме Ады Лавлейс\.pdf/ });
    await button.waitFor();
    const saving = page.waitForEvent('download');
    await button.click();
    const download = await saving;
    equal(download.suggestedFilename(), 'Резюме Ады Лавлейс.pdf', 'the name');
    equal(fs.readFileSync(await download.path()).equals(PDF), true, 'the bytes');
    await look(page, 'files-console', 1);
    await context.close();
  });
}

async function inTheOtherLanguage(one) {
  const { page } = one;
  const other = OTHER[language];
  words = WORDS[other];
  await check('the page shows the same in the other language', async () => {
    await page.getByRole('button', { name: one.words.more, exact: true }).click();
    await page.getByText(one.words.otherLanguage, { exact: true }).click();
    await one.page.getByRole('button', { name: words.attach }).waitFor();
    await chosen(one, pdf('notes.pdf', Buffer.from('only words')));
    await page.getByText(words.type).waitFor();
    await look(page, `files-refused-${other}`, 4);
  });
}

try {
  const one = await arrive();
  const sent = [attached, refused, slow, unsent, many, droppedAndPasted, pastedText];
  const walks = [...sent, recruiters, inTheOtherLanguage];
  for (const walk of walks) {
    if (!(await part(walk.name, () => walk(one)))) break;
  }
  await check('the console shows no error', () => {
    // The browser logs each request that the server refuses.
    const others = one.errors.filter(
      (text) => !/status of 4\d\d|ERR_INTERNET|ERR_FAILED/.test(text),
    );
    equal(others, [], 'errors');
  });
  await check('nothing overflows, and what can be pressed is at least 44 px', async () => {
    const { page } = one;
    const small = await page.locator('button:visible').evaluateAll((all) =>
      all
        .map((it) => [it.textContent || it.ariaLabel, it.getBoundingClientRect()])
        .filter(([, { width, height }]) => Math.round(Math.min(width, height)) < 44)
        .map(([name, { width, height }]) => `${name}: ${width} x ${height}`),
    );
    equal(small, [], 'small targets');
    const overflow = () => document.documentElement.scrollWidth - window.innerWidth;
    equal((await page.evaluate(overflow)) > 0, false, 'horizontal overflow');
  });
} finally {
  await browser.close();
  await server.close();
}
process.exitCode = report() ? 0 : 1;
