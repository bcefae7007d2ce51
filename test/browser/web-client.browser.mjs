/**
 * The clients of docs/web-client.md, taken out of the page as they stand there. Each holds a whole
 * interview in Chromium; the model server holds its replies, so that the cut is in mid-reply.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { check, equal, openBrowser, part, report, startServer, until } from './harness.mjs';
import { OneOrigin } from './one-origin.mjs';

const require = createRequire(import.meta.url);
require('../../tools/support/swc-register.cjs');
const { ModelServer, replyWith } = require('../../tools/fake-model/model-server.ts');

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PAGE = path.join(ROOT, 'docs/web-client.md');
const BLOCK = /^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm;
const HALF = 'Спасибо, 👩‍🚀 that is clear.';
const REST = ' Noted.';

/** Two questions and no follow-ups, so that an interview is short. */
const VACANCY = `slug: short
language: en
title: Baker
company: Corner Bakery
owner: { name: Ada Byron }
greeting: Welcome.
closing: Thank you, that was all.
questions:
  - { id: flour, text: Which flour do you like?, rubric: Names a flour. }
  - { id: early, text: When do you get up?, rubric: Names a time. }
`;

/** Of each client: the messages of its first answer, and which stream is cut during the reply. */
const CLIENTS = [
  ['event-source.html', ['Rye, 👩‍🌾 mostly.', 'And spelt.'], '/api/v1/conversation/events'],
  ['use-chat.jsx', ['Rye, 👩‍🌾 mostly.', 'And spelt.'], '/api/chat'],
  // assistant-ui sends nothing more until it has its reply.
  ['assistant-ui.jsx', ['Rye, 👩‍🌾 mostly.'], '/api/chat'],
];

/** Writes the page's clients to a folder; those with JSX are built, as a developer's tools would. */
async function takeClients(outDir) {
  // Inside the project, where the packages of the clients are found.
  const sources = path.join(ROOT, '.tmp', 'web-client');
  fs.rmSync(sources, { recursive: true, force: true });
  fs.mkdirSync(sources, { recursive: true });
  const blocks = new Map(
    [...fs.readFileSync(PAGE, 'utf8').matchAll(BLOCK)].map(([, name, text]) => [name, text]),
  );
  equal(
    [...blocks.keys()],
    CLIENTS.map(([name]) => name),
    'the files in docs/web-client.md',
  );
  const pages = [];
  for (const [name, text] of blocks) {
    if (name.endsWith('.html')) {
      fs.writeFileSync(path.join(outDir, name), text);
      continue;
    }
    fs.writeFileSync(path.join(sources, name), text);
    const page = path.join(sources, name.replace('.jsx', '.html'));
    const script = `<script type="module" src="./${name}"></script>`;
    fs.writeFileSync(page, `<!doctype html><div id="root"></div>${script}`);
    pages.push(page);
  }
  await build({
    configFile: false,
    root: sources,
    base: '/clients/',
    logLevel: 'error',
    build: { outDir, emptyOutDir: false, rollupOptions: { input: pages } },
  });
}

/** Imports the short vacancy and returns the token of its open link. */
function importVacancy(data) {
  const file = path.join(scratch, 'short.yaml');
  fs.writeFileSync(file, VACANCY);
  const colloquy = (...args) => {
    const env = { ...process.env, COLLOQUY_DATA_DIR: data };
    delete env.DATABASE_URL;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [path.join(ROOT, 'scripts/colloquy.mjs'), ...args],
      { cwd: ROOT, env, encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`colloquy ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  colloquy('vacancy', 'import', file);
  return /"(?:[^"]*\/i\/)?([\w-]{20,})"/.exec(colloquy('vacancy', 'show', 'short', '--json'))[1];
}

async function interview([file, answer, cutPath]) {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.on('dialog', (dialog) => void dialog.accept());
  const press = (name) => page.getByRole('button', { name, exact: true }).click();
  const write = async (text) => {
    await page.getByLabel('Message').fill(text);
    await press('Send');
  };
  const shown = () => page.locator('[data-role]').allTextContents();
  const stored = () =>
    page.evaluate(async () => {
      const response = await fetch('/api/v1/conversation');
      return { httpStatus: response.status, ...(await response.json()) };
    });
  const seesTheTranscript = async () => {
    const texts = async () => (await stored()).messages.map(({ text }) => text);
    const isSame = async () => JSON.stringify(await shown()) === JSON.stringify(await texts());
    await until('the transcript', isSame, 10_000).catch(() => undefined);
    equal(await shown(), await texts(), 'what the page shows');
  };
  const requested = (pathname) =>
    origin.requests.slice(before).filter((one) => one.path === pathname);
  const before = origin.requests.length;
  const requests = model.requests.length;

  await check(`${file}: asks for consent and profile before the first question`, async () => {
    await page.goto(`${origin.base}/clients/${file.replace('.jsx', '.html')}?invite=${invite}`);
    await page.getByText(/AI interviewer/).waitFor();
    equal((await stored()).status, 'new', 'status before the consent');
    await press('I agree');
    await page.getByLabel('Name').fill('Grace');
    await page.getByLabel('E-mail or phone').fill('grace@example.org');
    await press('Begin');
    await page.getByText('Which flour do you like?').waitFor();
  });
  await check(`${file}: an answer gets one reply, whole and once, after a cut`, async () => {
    const content = JSON.stringify({ verdict: 'answered', text: HALF + REST.slice(0, 2) }).slice(
      0,
      -2,
    );
    model.next({ kind: 'hold', content, rest: `${JSON.stringify(REST.slice(2)).slice(1)}}` });
    for (const message of answer) {
      await write(message);
      await until('the message', async () => (await shown()).includes(message));
    }
    await press('That is my answer');
    const seesHalf = async () => (await shown()).at(-1) === HALF;
    await until('the half of the reply', seesHalf);
    const opened = requested(cutPath).length;
    equal(origin.cut(cutPath) > 0, true, 'a connection was cut');
    await until('the client to come back', () => requested(cutPath).length > opened);
    await until('the half of the reply again', seesHalf);
    model.release();
    await page.getByText('When do you get up?').waitFor();
    await seesTheTranscript();
    equal(model.requests.length - requests, 1, 'requests to the model');
    equal(requested('/api/v1/conversation/activity').length > 0, true, 'typing was reported');
    if (!cutPath.endsWith('events')) return;
    const { headers } = requested(cutPath).at(-1);
    equal(/^\d+(\.\d+){3}$/.test(headers['last-event-id']), true, 'Last-Event-ID was sent');
  });
  await check(`${file}: the interview ends, and the page says so`, async () => {
    await write('At four.');
    await page.getByText('The interview has ended.').waitFor();
    equal((await stored()).status, 'completed', 'status');
    await seesTheTranscript();
    const own = (await stored()).messages.filter(({ role }) => role === 'user');
    equal(
      own.map(({ text }) => text),
      [...answer, 'At four.'],
      'messages',
    );
  });
  await check(`${file}: erases everything at the candidate's word`, async () => {
    await press('Erase everything about me');
    await page.getByText('Everything about you is erased.').waitFor();
    equal((await stored()).httpStatus, 401, 'status of the response');
  });
  await context.close();
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'colloquy-web-client-'));
const closing = [() => fs.rmSync(scratch, { recursive: true, force: true })];
let model, origin, browser, invite;
try {
  await takeClients(scratch);
  model = await ModelServer.start(replyWith('answered', 'Thanks.'));
  closing.unshift(() => model.close());
  const data = path.join(scratch, 'data');
  const server = await startServer({
    // Longer than a busy machine takes between the messages of one answer.
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '6',
    COLLOQUY_DATA_DIR: data,
    OPENAI_API_KEY: 'test',
    OPENAI_BASE_URL: model.baseUrl,
  });
  closing.unshift(() => server.close());
  invite = importVacancy(data);
  origin = await OneOrigin.start(server.base, scratch);
  closing.unshift(() => origin.close());
  browser = await openBrowser();
  closing.unshift(() => browser.close());
  for (const client of CLIENTS) {
    await part(client[0], () => interview(client));
    model.release();
  }
} finally {
  for (const close of closing) await close();
}
process.exitCode = report() ? 0 : 1;
