import { FakeClock } from '../../tools/support/fake-clock';
import type { ModelFailure, ModelRequest } from '../../src/llm';
import type { OpenAiClient } from '../../src/llm/openai-client';
import { clientOf, kindOf, readAll, REQUEST } from '../support/model-calls';
import { type ModelReply, ModelServer, replyWith } from '../../tools/fake-model/model-server';

/** Several completions of one request (`n`), from servers that know it, ignore it, and reject it. */

let server: ModelServer;

beforeAll(async () => {
  server = await ModelServer.start();
});
afterAll(() => server.close());

const HOUR_MS = 3_600_000;
const KNOWING: ModelReply = {
  kind: 'choices',
  content: (_body, n) => JSON.stringify({ text: `number ${String(n)} and the rest of it` }),
  chunkSize: 5,
};

function prompt(content: string, choices = 3): ModelRequest {
  return { ...REQUEST, messages: [{ role: 'user', content }], choices };
}

async function send(client: OpenAiClient, reply: ModelReply, request = prompt('one')) {
  server.next(reply);
  const ended = await readAll(client, undefined, undefined, request);
  const written = ended.chunks.flatMap((chunk) => (chunk.type === 'choice' ? [chunk.choice] : []));
  const { body } = await server.request(server.requests.length);
  return { ...ended, written, n: body.n };
}

describe('a server that knows n', () => {
  test('gives all completions of one request, although their pieces are mixed', async () => {
    const { written, text, error, n } = await send(clientOf(server, new FakeClock()), KNOWING);

    const texts = [1, 2, 3].map((of) => `{"text":"number ${String(of)} and the rest of it"}`);
    expect({ n, error }).toEqual({ n: 3, error: null });
    expect(written).toEqual(texts.map((one) => ({ ok: true, text: one })));
    // What is read while it arrives is one of them, and nothing of the others.
    expect(text).toBe(texts[0]);
  });

  test('may send one after the other, with the finish of the first before the second begins', async () => {
    const piece = (index: number, delta: object, reason: string | null = null): string =>
      `data: ${JSON.stringify({ choices: [{ index, delta, finish_reason: reason }] })}`;
    const lines = [0, 1, 2].flatMap((index) => [
      piece(index, { content: '{"a":' }),
      piece(index, { content: `${String(index)}}` }),
      piece(index, {}, 'stop'),
    ]);
    const { written } = await send(clientOf(server, new FakeClock()), {
      kind: 'lines',
      lines: [...lines, 'data: [DONE]'],
    });

    expect(written).toEqual(['{"a":0}', '{"a":1}', '{"a":2}'].map((text) => ({ ok: true, text })));
  });

  test('may send a whole completion that is no stream', async () => {
    const choices = [2, 1, 0].map((index) => ({
      index,
      message: { content: `{"a":${String(index)}}` },
      finish_reason: 'stop',
    }));
    const { written } = await send(clientOf(server, new FakeClock()), {
      kind: 'body',
      contentType: 'application/json',
      body: JSON.stringify({ choices }),
    });

    expect(written).toEqual(['{"a":2}', '{"a":1}', '{"a":0}'].map((text) => ({ ok: true, text })));
  });

  test('loses nothing of the others when one is refused', async () => {
    const { written, error } = await send(clientOf(server, new FakeClock()), {
      kind: 'choices',
      content: (_body, n) => (n === 1 ? null : `{"n":${String(n)}}`),
    });

    expect(error).toBeNull();
    expect(written).toEqual([
      { ok: false, reason: 'refused' },
      { ok: true, text: '{"n":2}' },
      { ok: true, text: '{"n":3}' },
    ]);
  });

  test('has refused the request when it refused each of them', async () => {
    const ended = await send(clientOf(server, new FakeClock()), {
      kind: 'choices',
      content: () => null,
    });

    expect(kindOf(ended)).toBe('refused');
  });

  test('is not asked for several by a request that wants one', async () => {
    const client = clientOf(server, new FakeClock());
    const { n, written } = await send(client, replyWith('answered', 'Hi'), prompt('one', 1));

    expect([n, written]).toEqual([undefined, []]);
  });
});

test('of a server that ignores n the one completion is used, and n is not sent again for an hour', async () => {
  const clock = new FakeClock();
  const client = clientOf(server, clock);
  const reply = replyWith('answered', 'Hi');

  const first = await send(client, reply);
  const second = await send(client, reply, prompt('two'));
  clock.advance(HOUR_MS);
  const later = await send(client, reply, prompt('three'));
  const last = await send(client, reply, prompt('four'));

  expect(first.written).toHaveLength(1);
  expect(second.written).toEqual([]);
  expect([first, second, later, last].map(({ error }) => error)).toEqual([null, null, null, null]);
  expect([first, second, later, last].map(({ n }) => n)).toEqual([3, undefined, 3, undefined]);
});

test('when a server learns n, it is used again after an hour', async () => {
  const clock = new FakeClock();
  const client = clientOf(server, clock);
  await send(client, replyWith('answered', 'Hi'));
  clock.advance(HOUR_MS);

  expect((await send(client, KNOWING, prompt('two'))).written).toHaveLength(3);
  expect((await send(client, KNOWING, prompt('three'))).written).toHaveLength(3);
});

test.each([
  ['OpenAI', { message: "Unsupported value: 'n' does not support 3.", param: 'n' }],
  ['Groq', { message: "'n' : number must be at most 1", type: 'invalid_request_error' }],
  [
    'llama.cpp',
    { message: 'Only one completion choice is allowed', type: 'invalid_request_error' },
  ],
  ['Google', { message: 'Multiple candidates is not enabled for this model' }],
  ['vLLM', { message: 'n must be 1 when using greedy sampling, got 3.' }],
  ['one that gives no reason', {}],
])('%s rejects n: one rejection, and then one completion a request', async (_who, error) => {
  const client = clientOf(server, new FakeClock());

  const rejected = await send(client, { kind: 'status', status: 400, error });
  const again = await send(client, replyWith('answered', 'Hi'));
  const other = await send(client, replyWith('answered', 'Hi'), prompt('two'));

  expect((rejected.error as ModelFailure).isAdjusted).toBe(true);
  expect([rejected, again, other].map(({ n }) => n)).toEqual([3, undefined, undefined]);
  expect([again.error, other.error]).toEqual([null, null]);
});

test('what another prompt learns between a rejection and its repeat does not hide the reason', async () => {
  const client = clientOf(server, new FakeClock());
  const alone = replyWith('answered', 'Hi');
  const message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.";

  await send(client, { kind: 'status', status: 400, error: { message } });
  await send(client, alone, prompt('two'));
  await send(client, alone);

  await send(client, alone, prompt('three'));
  const { body } = await server.request(server.requests.length);
  expect(body).toMatchObject({ max_completion_tokens: 400 });
  expect(body.n).toBeUndefined();
});
