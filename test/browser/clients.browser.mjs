/**
 * Unmodified clients of other projects in Chromium: the AI SDK's `useChat`, assistant-ui and the
 * browser's own EventSource. The model server holds its replies, so that every cut is in mid-reply.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { check, equal, openBrowser, part, report, startServer, until } from './harness.mjs';
import { OneOrigin } from './one-origin.mjs';
import { Stranger } from './stranger.mjs';

const require = createRequire(import.meta.url);
require('../../tools/support/swc-register.cjs');
const { ModelServer } = require('../../tools/fake-model/model-server.ts');

const EVENTS = '/api/v1/conversation/events';

async function buildPage(outDir) {
  await build({
    configFile: false,
    root: fileURLToPath(new URL('clients', import.meta.url)),
    base: '/clients/',
    logLevel: 'error',
    build: { outDir, emptyOutDir: true },
  });
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'colloquy-clients-'));
const closing = [() => fs.rmSync(scratch, { recursive: true, force: true })];

async function begin(client) {
  return Stranger.begin({ browser, origin, invite: server.invite, model, client });
}

async function sending() {
  const one = await begin('use-chat');
  await check('useChat: a message is sent, and its reply is streamed', async () => {
    await one.sendAndSeeHalf('Rye, 👩‍🌾 mostly.');
    equal(await one.status(), 'streaming', 'status');
    model.release();
    await one.seesTheTranscript();
    equal(await one.status(), 'ready', 'status');
  });
  await check('useChat: the next message gets the next reply', async () => {
    await one.sendAndSeeHalf('Wheat, too.');
    model.release();
    await one.seesTheTranscript();
    equal(one.requestsOf('POST', '/api/chat').length, 2, 'requests');
  });
  await one.close();
}

async function cutting() {
  const one = await begin('use-chat-with-chat');
  await check(
    'useChat: after a cut in mid-reply, resumeStream shows the whole reply once',
    async () => {
      await one.sendAndSeeHalf('Rye.');
      equal(origin.cut('/api/chat'), 1, 'connections cut');
      await until('the client to notice', async () => (await one.status()) === 'error');
      await one.press('Resume');
      await until('the client to resume', async () => (await one.status()) === 'streaming');
      await one.seesHalf();
      model.release();
      await one.seesTheTranscript();
    },
  );
  await check(
    'useChat: after two cuts, one of them while it resumes, the whole reply is shown once',
    async () => {
      await one.sendAndSeeHalf('Wheat.');
      origin.cut('/api/chat');
      await until('the client to notice', async () => (await one.status()) === 'error');
      await one.press('Resume');
      await until('the client to resume', async () => (await one.status()) === 'streaming');
      equal(origin.cut(`/api/chat/${one.conversationId}/stream`), 1, 'connections cut');
      await until('the client to notice', async () => (await one.status()) === 'error');
      await one.press('Resume');
      await until('the client to resume', async () => (await one.status()) === 'streaming');
      model.release();
      await one.seesTheTranscript();
    },
  );
  await check(
    'useChat: when the reply has ended after a cut, regenerate shows it once',
    async () => {
      await one.sendAndSeeHalf('Barley.');
      const requested = model.requests.length;
      origin.cut('/api/chat');
      await until('the client to notice', async () => (await one.status()) === 'error');
      model.release();
      await one.storedTexts();
      await one.press('Regenerate');
      await one.seesTheTranscript();
      equal(model.requests.length, requested, 'requests to the model');
    },
  );
  await one.close();
}

async function reloading() {
  const one = await begin('use-chat');
  await check('useChat: a reload in mid-reply shows the whole reply once', async () => {
    await one.sendAndSeeHalf('Rye.');
    await one.page.reload();
    await one.seesHalf();
    model.release();
    await one.seesTheTranscript();
    await one.page.reload();
    await one.seesTheTranscript();
  });
  await check('useChat: a reload before the first word shows the whole reply once', async () => {
    await one.send('Wheat.');
    await until('the message', async () => (await one.texts()).at(-1) === 'Wheat.');
    await until('the request', () => one.requestsOf('POST', '/api/chat').length === 2);
    await until('the message to be kept', () => one.isKept('Wheat.'));
    await one.page.reload();
    await one.seesHalf();
    model.release();
    await one.seesTheTranscript();
  });
  await one.close();
}

async function stopping() {
  const one = await begin('use-chat');
  await check('useChat: Stop keeps the shown text, and no more is stored', async () => {
    await one.sendAndSeeHalf('Rye.');
    await one.press('Stop');
    await until('the client to stop', async () => (await one.status()) === 'ready');
    await one.seesTheTranscript();
    await one.seesHalf();
    equal((await one.conversation()).messages.at(-1).partial, true, 'partial');
    model.release();
  });
  await check('useChat: the interview continues after a Stop', async () => {
    await one.sendAndSeeHalf('Wheat.');
    model.release();
    await one.seesTheTranscript();
  });
  await one.close();
}

async function tabs() {
  const one = await begin('use-chat');
  await one.sendAndSeeHalf('Rye.');
  const second = await one.anotherTab('use-chat-with-chat');
  const reader = await one.anotherTab('event-source');
  await check('a second tab of useChat sees the same text, and its end', async () => {
    await second.seesHalf();
    await reader.seesHalf();
    model.release();
    await one.seesTheTranscript();
    await second.seesTheTranscript();
  });
  await check('an EventSource beside them sees the same text, and its end', () =>
    reader.seesTheTranscript(),
  );
  await one.close();
}

async function eventSource() {
  const one = await begin('event-source');
  await check("Chromium's EventSource shows messages and the streamed reply", async () => {
    await one.postAndSeeHalf('Rye.');
    model.release();
    await one.seesTheTranscript();
  });
  await check(
    'after a cut in mid-reply EventSource reconnects by itself, without a gap or repeated text',
    async () => {
      await one.postAndSeeHalf('Wheat.');
      equal(origin.cut(EVENTS), 1, 'connections cut');
      await until('the client to reconnect', async () => (await one.status()) === '2');
      const { headers } = one.requestsOf('GET', EVENTS).at(-1);
      equal(/^\d+(\.\d+){3}$/.test(headers['last-event-id']), true, 'the event id that it sends');
      model.release();
      await one.seesTheTranscript();
    },
  );
  await check('when the reply has ended after a cut, EventSource gets the rest', async () => {
    await one.postAndSeeHalf('Barley.');
    origin.cut(EVENTS);
    model.release();
    await one.storedTexts();
    await one.seesTheTranscript();
    equal(await one.status(), '3', 'the number of connections');
  });
  await one.close();
}

async function assistantUi() {
  const one = await begin('assistant-ui');
  await check('assistant-ui: a message is sent, and its reply is streamed', async () => {
    const before = (await one.conversation()).messages.length;
    await one.sendAndSeeHalf('Rye, 👩‍🌾 mostly.');
    model.release();
    await one.seesTheTranscript(before);
  });
  await check('assistant-ui: the next message gets the next reply', async () => {
    const { messages } = await one.conversation();
    const before = messages.findIndex(({ role }) => role === 'user');
    await one.sendAndSeeHalf('Wheat, too.');
    model.release();
    await one.seesTheTranscript(before);
  });
  await one.close();
}

let model, server, origin, browser;
try {
  await buildPage(scratch);
  model = await ModelServer.start();
  closing.unshift(() => model.close());
  server = await startServer({ OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.baseUrl });
  closing.unshift(() => server.close());
  origin = await OneOrigin.start(server.base, scratch);
  closing.unshift(() => origin.close());
  browser = await openBrowser();
  closing.unshift(() => browser.close());
  for (const walk of [sending, cutting, reloading, stopping, tabs, eventSource, assistantUi]) {
    await part(walk.name, walk);
    model.release();
  }
} finally {
  for (const close of closing) await close();
}
process.exitCode = report() ? 0 : 1;
