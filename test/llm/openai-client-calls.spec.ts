import { type ModelRequest } from '../../src/llm';
import { FakeClock } from '../../tools/support/fake-clock';
import { REQUEST, clientOf, kindOf, readAll } from '../support/model-calls';
import { type ModelReply, ModelServer, replyWith } from '../../tools/fake-model/model-server';
import { callTools, streamCalls } from '../../tools/fake-model/tool-replies';

let server: ModelServer;
const clock = new FakeClock();

beforeAll(async () => {
  server = await ModelServer.start();
});

afterAll(async () => {
  await server.close();
});

const TOOL = { name: 'search', description: 'Searches.', inputSchema: { type: 'object' } };
const WITH_TOOL: ModelRequest = { ...REQUEST, tools: [TOOL] };

function send(reply: ModelReply, request = WITH_TOOL, client = clientOf(server, clock)) {
  server.next(reply);
  return readAll(client, undefined, undefined, request);
}

test('assembles a tool call from its pieces, however the server splits it', async () => {
  const input = { query: 'когда начинается смена? 👩‍🚀' };
  const { chunks, error } = await send(streamCalls(['search', input], ['search', {}]));

  expect(error).toBeNull();
  expect(chunks).toEqual([
    { type: 'call', name: 'search', input },
    { type: 'call', name: 'search', input: {} },
  ]);
  expect(server.requests.at(-1)?.body.tools).toEqual([
    {
      type: 'function',
      function: { name: 'search', description: 'Searches.', parameters: { type: 'object' } },
    },
  ]);
});

test('reads tool calls of a server that does not stream', async () => {
  const { chunks, error } = await send(callTools(['search', { query: 'pay' }]));
  expect(error).toBeNull();
  expect(chunks).toContainEqual({ type: 'call', name: 'search', input: { query: 'pay' } });
});

test('separates whole calls that all have the same index', async () => {
  const call = (id: string, query: string) =>
    `data: ${JSON.stringify({
      choices: [
        {
          delta: {
            tool_calls: [
              { index: 0, id, function: { name: 'search', arguments: JSON.stringify({ query }) } },
            ],
          },
        },
      ],
    })}`;
  const end = 'data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}';
  const lines = [call('a', 'pay'), call('b', 'shift'), end, 'data: [DONE]'];

  const { chunks } = await send({ kind: 'lines', lines });

  expect(chunks).toMatchObject([{ input: { query: 'pay' } }, { input: { query: 'shift' } }]);
});

test('skips a broken piece and keeps the others', async () => {
  const pieces = [null, 7, { function: { name: 'search', arguments: '{}' } }];
  const line = JSON.stringify({ choices: [{ delta: { tool_calls: pieces } }] });
  const end = 'data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}';

  const { chunks } = await send({ kind: 'lines', lines: [`data: ${line}`, end, 'data: [DONE]'] });

  expect(chunks).toEqual([{ type: 'call', name: 'search', input: {} }]);
});

test('returns undefined for arguments that are not JSON', async () => {
  const { chunks, error } = await send(callTools(['search', '{"query":']));
  expect(error).toBeNull();
  expect(chunks).toContainEqual({ type: 'call', name: 'search', input: undefined });
});

test.each([
  ['that was not offered', WITH_TOOL, streamCalls(['delete_everything', {}])],
  ['where none was offered', REQUEST, streamCalls(['search', {}])],
])('treats a call of a tool %s as a malformed completion', async (_, request, reply) => {
  const ended = await send(reply, request);
  expect(kindOf(ended)).toBe('malformed');
  expect(ended.chunks).toEqual([]);
});

test('stops offering tools to a server that rejects them, and keeps the format', async () => {
  const client = clientOf(server, clock);
  const message = 'Function calling with response_format is unsupported';
  const { error } = await send(
    { kind: 'status', status: 400, error: { message } },
    WITH_TOOL,
    client,
  );
  expect(error).toMatchObject({ isAdjusted: true, retryable: true });

  expect(kindOf(await send(replyWith('answered', 'Hi'), WITH_TOOL, client))).toBe('ok');

  const { body } = server.requests.at(-1) ?? {};
  expect(body?.tools).toBeUndefined();
  expect(body?.response_format).toMatchObject({ type: 'json_schema' });
});

test('learns nothing about the format from completions with only calls', async () => {
  const client = clientOf(server, clock);
  for (let n = 1; n <= 3; n += 1) await send(streamCalls(['search', {}]), WITH_TOOL, client);
  await send(replyWith('answered', 'Hi'), WITH_TOOL, client);
  expect(server.requests.at(-1)?.body.response_format).toMatchObject({ type: 'json_schema' });
});
