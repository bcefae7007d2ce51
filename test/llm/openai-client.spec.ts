import { FakeClock } from '../../tools/support/fake-clock';
import { ModelUnavailableError } from '../../src/llm';
import { REQUEST, SECRET, WORDS, ask, clientOf, kindOf, readAll } from '../support/model-calls';
import { untilInProcess } from '../support/until';
import { type ModelReply, ModelServer, replyWith } from '../../tools/fake-model/model-server';

let server: ModelServer;
const clock = new FakeClock();

/** Runs before the first request, because the SDK keeps the function that it finds then. */
const logged = jest.spyOn(console, 'error');

beforeAll(async () => {
  server = await ModelServer.start();
});

afterAll(async () => {
  await server.close();
});

/** Everything of an error that a log line could show. */
function allWordsOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no error';
  const { name, message, stack, cause } = error;
  return JSON.stringify([Object.entries(error), name, message, stack, cause]);
}

test('streams a completion and its usage from one request in the strictest format', async () => {
  const before = server.requests.length;
  const ended = await ask(
    server,
    replyWith('answered', 'Thank you. Спасибо 😀'),
    clientOf(server, clock),
  );
  expect(ended.error).toBeNull();
  expect(JSON.parse(ended.text)).toMatchObject({
    verdict: 'answered',
    text: 'Thank you. Спасибо 😀',
  });
  expect(ended.chunks.filter(({ type }) => type === 'text').length).toBeGreaterThan(3);
  expect(ended.chunks.map(({ type }) => type)).toContain('usage');
  expect(server.requests).toHaveLength(before + 1);
  expect(server.requests.at(-1)?.body).toMatchObject({
    model: 'model-x',
    stream: true,
    max_tokens: 400,
    stream_options: { include_usage: true },
    response_format: { type: 'json_schema', json_schema: { name: 'reply', strict: true } },
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: REQUEST.messages[0]?.content },
    ],
  });
});

test('returns the first words while the model still writes', async () => {
  server.next({ kind: 'hold', content: '{"verdict":"answered","text":"Th', rest: 'anks."}' });
  let seen = '';
  const ended = readAll(clientOf(server, clock), undefined, (text) => (seen = text));
  await untilInProcess('the beginning has been read', () => seen.endsWith('Th'));
  server.release();
  expect((await ended).text).toBe('{"verdict":"answered","text":"Thanks."}');
});

test('limits the length by the settings, also when the server ignores the limit', async () => {
  const client = clientOf(server, clock, { maxOutputTokens: 50 });
  const ended = await ask(
    server,
    { kind: 'completion', content: ' '.repeat(5000), chunkSize: 100 },
    client,
  );
  expect(server.requests.at(-1)?.body.max_tokens).toBe(50);
  expect(kindOf(ended)).toBe('length');
});

test.each<[string, string, ModelReply]>([
  ['a refusal', 'refused', { kind: 'refusal', refusal: 'I cannot help with that.' }],
  [
    'the token limit',
    'length',
    { kind: 'completion', content: '{"verdict"', finishReason: 'length' },
  ],
  [
    'a filter',
    'content_filter',
    { kind: 'completion', content: 'x', finishReason: 'content_filter' },
  ],
  ['no text', 'empty', { kind: 'completion', content: '' }],
  ['white space', 'empty', { kind: 'completion', content: ' \n ' }],
  ['a tool call', 'malformed', { kind: 'completion', content: 'x', finishReason: 'tool_calls' }],
  ['an event that is no JSON', 'malformed', { kind: 'lines', lines: [`data: {"a": ${WORDS}`] }],
  ['a broken connection', 'cut', { kind: 'cut', content: '{"verdict":"answ' }],
  ['an end without a finish reason', 'cut', { kind: 'unfinished', content: '{"verdict":"answ' }],
  ['a stream without events', 'cut', { kind: 'lines', lines: [': hello', 'data: [DONE]'] }],
  ['status 400', 'bad_request', { kind: 'status', status: 400, error: { message: WORDS } }],
  ['status 413', 'bad_request', { kind: 'status', status: 413, error: { message: WORDS } }],
  [
    'a filter before the answer',
    'content_filter',
    { kind: 'status', status: 400, error: { code: 'content_filter', message: WORDS } },
  ],
  [
    'input flagged by moderation',
    'content_filter',
    { kind: 'status', status: 403, error: { code: 403, metadata: { flagged_input: WORDS } } },
  ],
  [
    'an unknown error in mid-stream',
    'cut',
    { kind: 'error_event', content: 'x', error: { message: WORDS } },
  ],
])('treats %s as a failure of this completion: %s', async (_, kind, reply) => {
  const before = server.requests.length;
  const ended = await ask(server, reply, clientOf(server, clock));
  expect(kindOf(ended)).toBe(kind);
  expect(server.requests).toHaveLength(before + 1);
});

test.each<[string, ModelReply]>([
  ['a closed connection', { kind: 'drop' }],
  ...[401, 402, 403, 404, 408, 409, 429, 500, 502, 503, 529].map((status): [string, ModelReply] => [
    `status ${String(status)}`,
    { kind: 'status', status, error: { message: `${WORDS} ${SECRET}`, type: 'some_error' } },
  ]),
  ['a status with a page for people', { kind: 'status', status: 502, error: '<h1>Bad</h1>' }],
  ['a web page', { kind: 'body', contentType: 'text/html', body: '<h1>Welcome</h1>' }],
  [
    'an error as JSON inside status 200',
    { kind: 'body', contentType: 'application/json', body: '{"error":{"code":503,"message":"x"}}' },
  ],
  [
    'an overload reported in mid-stream',
    { kind: 'error_event', content: '{"ver', error: { code: 502, message: WORDS } },
  ],
  [
    'a rate limit reported in mid-stream',
    { kind: 'error_event', content: '{"ver', error: { code: 'rate_limit_exceeded' } },
  ],
])('treats %s as an outage of the server, and does not retry', async (_, reply) => {
  const before = server.requests.length;
  const ended = await ask(server, reply, clientOf(server, clock));
  expect(kindOf(ended)).toBe('unavailable');
  expect(server.requests).toHaveLength(before + 1);
});

test('treats a refused connection and an unknown host as outages', async () => {
  const down = await ModelServer.start();
  await down.goDown();
  expect(kindOf(await readAll(clientOf(server, clock, { baseUrl: down.baseUrl })))).toBe(
    'unavailable',
  );
  const nowhere = clientOf(server, clock, { baseUrl: 'http://model.invalid/v1' });
  expect(kindOf(await readAll(nowhere))).toBe('unavailable');
});

test('reports the pause that a server requests', async () => {
  const headers = { 'retry-after': '7' };
  const { error } = await ask(
    server,
    { kind: 'status', status: 429, headers },
    clientOf(server, clock),
  );
  expect(error).toBeInstanceOf(ModelUnavailableError);
  expect((error as ModelUnavailableError).retryAfterMs).toBe(7000);
});

test('puts neither the key nor the text of a candidate into errors', async () => {
  const error = { message: `Incorrect key ${SECRET}: ${WORDS}`, type: WORDS, param: WORDS };
  const replies: readonly ModelReply[] = [
    { kind: 'status', status: 401, error },
    { kind: 'status', status: 400, error },
    { kind: 'status', status: 500, error: `${WORDS} ${SECRET}` },
    { kind: 'error_event', content: WORDS, error },
    { kind: 'lines', lines: [`data: {"broken ${WORDS} ${SECRET}`] },
    { kind: 'refusal', refusal: WORDS },
    { kind: 'cut', content: WORDS },
  ];
  for (const reply of replies) {
    const ended = await ask(server, reply, clientOf(server, clock));
    expect(ended.error).not.toBeNull();
    expect(allWordsOf(ended.error)).not.toContain(WORDS);
    expect(allWordsOf(ended.error)).not.toContain(SECRET);
  }
  expect(logged).not.toHaveBeenCalled();
});

test('passes on the usage of a completion before it throws', async () => {
  const ended = await ask(
    server,
    { kind: 'completion', content: '{"verdict"', finishReason: 'length' },
    clientOf(server, clock),
  );
  expect(kindOf(ended)).toBe('length');
  expect(ended.chunks.map(({ type }) => type)).toContain('usage');
});

test('reads the response of a server without streaming', async () => {
  const completion = {
    choices: [
      { message: { role: 'assistant', content: '{"verdict":"vague"}' }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 5, completion_tokens: 3 },
  };
  const body = JSON.stringify(completion);
  const ended = await ask(
    server,
    { kind: 'body', contentType: 'application/json', body },
    clientOf(server, clock),
  );
  expect(ended).toMatchObject({ text: '{"verdict":"vague"}', error: null });
  expect(ended.chunks.at(-1)).toEqual({ type: 'usage', inputTokens: 5, outputTokens: 3 });
});
