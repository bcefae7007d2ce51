import { type ModelFailure, ModelAbortedError, ModelUnavailableError } from '../../src/llm';
import { OpenAiTools, type ToolRequest } from '../../src/llm/openai-tools';
import { FakeClock } from '../../tools/support/fake-clock';
import { SECRET, WORDS } from '../support/model-calls';
import { type ModelReply, ModelServer } from '../../tools/fake-model/model-server';
import { callTools, completion } from '../../tools/fake-model/tool-replies';

const clock = new FakeClock();
const CALM = new AbortController().signal;
const REQUEST: ToolRequest = {
  system: 'Choose.',
  messages: [
    { role: 'user', content: JSON.stringify({ question: WORDS }) },
    { role: 'calls', calls: [{ id: 'a', name: 'fetch', input: { ids: ['p1'] } }] },
    { role: 'result', callId: 'a', content: '{}' },
  ],
  tools: [{ name: 'select', description: 'Ends.', inputSchema: { type: 'object' } }],
  maxOutputTokens: 300,
};
let server: ModelServer;

beforeEach(async () => {
  server = await ModelServer.start();
});

afterEach(async () => {
  await server.close();
});

function client(): OpenAiTools {
  const { baseUrl } = server;
  return new OpenAiTools({ apiKey: SECRET, baseUrl, model: 'm', timeoutMs: 30_000 }, clock);
}

test('sends the conversation and the tools without streaming', async () => {
  server.next(callTools(['select', { ids: ['p1'] }], ['fetch', '{"ids":']));

  const response = await client().request(REQUEST, CALM);

  expect(response).toEqual({
    calls: [
      { id: 'call_1', name: 'select', input: { ids: ['p1'] } },
      { id: 'call_2', name: 'fetch', input: undefined },
    ],
    inputTokens: 100,
    outputTokens: 10,
  });
  const call = { name: 'fetch', arguments: '{"ids":["p1"]}' };
  expect(server.requests[0]?.body).toEqual({
    model: 'm',
    max_tokens: 300,
    messages: [
      { role: 'system', content: 'Choose.' },
      { role: 'user', content: JSON.stringify({ question: WORDS }) },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'a', type: 'function', function: call }],
      },
      { role: 'tool', tool_call_id: 'a', content: '{}' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'select', description: 'Ends.', parameters: { type: 'object' } },
      },
    ],
  });
});

test.each<[string, object, number]>([
  ['only words', { content: WORDS }, 0],
  ['null for calls', { tool_calls: null }, 0],
  ['an object for calls', { tool_calls: { length: 9 } }, 0],
  ['broken calls', { tool_calls: [null, 1, {}, { function: null }, { function: {} }] }, 0],
  ['a call without an id', { tool_calls: [{ function: { name: 'select', arguments: {} } }] }, 1],
  ['more calls than are read', { tool_calls: Array(50).fill({ function: { name: 'x' } }) }, 8],
])('reads the calls of %s', async (_, message, count) => {
  server.next(completion(message));

  expect((await client().request(REQUEST, CALM)).calls).toHaveLength(count);
});

const OK = { kind: 'body', contentType: 'application/json' } as const;

test.each<[string, ModelReply, string]>([
  ['an outage', { kind: 'status', status: 502, error: { message: WORDS } }, 'unavailable'],
  ['a refusal', { kind: 'status', status: 400, error: { message: WORDS } }, 'bad_request'],
  ['a broken connection', { kind: 'drop' }, 'unavailable'],
  ['an error inside 200', { ...OK, body: '{"error":{"type":"server_error"}}' }, 'unavailable'],
  ['a web page', { ...OK, contentType: 'text/html', body: WORDS }, 'unavailable'],
  ['no JSON', { ...OK, body: WORDS }, 'malformed'],
  ['no choices', { ...OK, body: '{"choices":[]}' }, 'malformed'],
  ['no message', completion(null), 'malformed'],
])('classifies %s, without text of the server or of a person', async (_, reply, kind) => {
  server.next(reply);

  const error: unknown = await client()
    .request(REQUEST, CALM)
    .catch((e: unknown) => e);

  const isAway = error instanceof ModelUnavailableError;
  expect(isAway ? 'unavailable' : (error as ModelFailure).kind).toBe(kind);
  const { message, fields, cause } = error as ModelFailure;
  expect(JSON.stringify([message, fields, cause])).not.toContain(WORDS);
});

test('uses the other name of the token limit after a rejection', async () => {
  const tools = client();
  const error = { message: "Unsupported parameter: 'max_tokens'" };
  server.next({ kind: 'status', status: 400, error }, callTools(['select', {}]));

  await expect(tools.request(REQUEST, CALM)).rejects.toMatchObject({ kind: 'bad_request' });
  await tools.request(REQUEST, CALM);

  expect(server.requests[1]?.body.max_completion_tokens).toBe(300);
});

test('ends the request after the timeout, as unavailable', async () => {
  server.next({ kind: 'silent' });
  const asking = client()
    .request(REQUEST, CALM)
    .catch((e: unknown) => e);
  const request = await server.request(1);
  clock.advance(30_000);
  expect(await asking).toBeInstanceOf(ModelUnavailableError);
  await request.closed;
});

test('ends the request when the caller aborts', async () => {
  server.next({ kind: 'silent' });
  const caller = new AbortController();
  const asking = client()
    .request(REQUEST, caller.signal)
    .catch((e: unknown) => e);
  const request = await server.request(1);
  caller.abort();
  expect(await asking).toBeInstanceOf(ModelAbortedError);
  await request.closed;
});
