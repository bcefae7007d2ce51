import type { ServerResponse } from 'node:http';
import { OpenAiClient } from '../../src/llm/openai-client';
import { OpenAiEmbeddings } from '../../src/llm/openai-embeddings';
import { OpenAiTranscriptions } from '../../src/llm/openai-transcriptions';
import { Watchdog } from '../../src/llm/openai-http';
import { FakeClock } from '../../tools/support/fake-clock';
import { SECRET, kindOf, readAll } from '../support/model-calls';
import { type Gate, gate } from '../../tools/http-fake/gate';
import { Listener } from '../../tools/http-fake/listener';
import { bodyOf } from '../../tools/http-fake/requests';
import { turnOfLoop, untilInProcess } from '../support/until';

const IDLE_MS = 20_000;
const LIMIT_MS = 60_000;
const EMPTY = `data: ${JSON.stringify({
  id: 'c',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content: '' }, finish_reason: null }],
})}\n\n`;

/** Counts how often a client began to wait for the next chunk. */
const waits = jest.spyOn(Watchdog.prototype, 'expect');

let baseUrl: string;
let asked: Gate<ServerResponse>;
let clock: FakeClock;

/** A server whose responses the test writes. */
const server = new Listener(async (request, response) => {
  await bodyOf(request);
  asked.open(response);
});

beforeAll(async () => {
  await server.open();
  baseUrl = `${server.url}/v1`;
});
beforeEach(() => {
  asked = gate();
  clock = new FakeClock();
});
afterAll(() => server.close());

function chat(): OpenAiClient {
  const timeouts = { firstByteTimeoutMs: 30_000, idleTimeoutMs: IDLE_MS };
  return new OpenAiClient(
    {
      ...timeouts,
      requestTimeoutMs: LIMIT_MS,
      apiKey: SECRET,
      baseUrl,
      model: 'm',
      maxOutputTokens: 9,
    },
    clock,
  );
}

test('ends a stream of empty chunks after the request timeout as stalled', async () => {
  const closed = gate();
  const ended = readAll(chat());
  const response = await asked.opened;
  response.once('close', () => {
    closed.open();
  });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (let passedMs = 0; passedMs < LIMIT_MS; passedMs += 10_000) {
    const before = waits.mock.calls.length;
    response.write(EMPTY);
    await untilInProcess('the chunk was read', () => waits.mock.calls.length > before);
    clock.advance(10_000);
  }

  expect(kindOf(await ended)).toBe('stalled');
  await closed.opened;
});

const NEVER = new AbortController().signal;
const OPTIONS = { apiKey: SECRET, model: 'm', timeoutMs: LIMIT_MS };

test.each<[string, () => Promise<unknown>]>([
  ['embeddings', () => new OpenAiEmbeddings({ ...OPTIONS, baseUrl }, clock).embed(['a'], NEVER)],
  [
    'a transcript',
    () =>
      new OpenAiTranscriptions({ ...OPTIONS, baseUrl }, clock).transcribe(
        { bytes: Buffer.from('OggS'), mimeType: 'audio/ogg' },
        NEVER,
      ),
  ],
])('ends an endless response with %s after the request timeout', async (_, ask) => {
  const failed = ask().catch((error: unknown) => error);
  const response = await asked.opened;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{ ');
  await turnOfLoop();
  clock.advance(LIMIT_MS - 1);
  response.write('  ');
  await turnOfLoop();
  clock.advance(1);

  expect(await failed).toMatchObject({ code: 'model_unavailable' });
});
