import { Logger } from '@nestjs/common';
import type { ModelFailure, ModelRequest } from '../../src/llm';
import type { OpenAiClient } from '../../src/llm/openai-client';
import { FakeClock } from '../../tools/support/fake-clock';
import { clientOf, kindOf, readAll, REQUEST, WORDS } from '../support/model-calls';
import {
  event,
  OBJECT,
  type RawRequest,
  RawModelServer,
  type RawResponse,
  REPLY,
  stream,
  DONE,
} from '../support/raw-model';

const TOOL = { name: 'search', description: 'Searches.', inputSchema: { type: 'object' } };
const HOUR_MS = 3_600_000;

let server: RawModelServer;
let clock: FakeClock;
let client: OpenAiClient;
const logged = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);

beforeAll(async () => {
  server = await RawModelServer.start();
});
beforeEach(() => {
  clock = new FakeClock();
  client = clientOf(server, clock);
  server.respond = () => REPLY;
  logged.mockClear();
});
afterAll(() => server.close());

/** A prompt of its own, with a tool. */
function prompt(words: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return { ...REQUEST, tools: [TOOL], messages: [{ role: 'user', content: words }], ...more };
}

/** Sends the prompt once. */
async function send(words: string, more: Partial<ModelRequest> = {}, by = client) {
  return readAll(by, undefined, undefined, prompt(words, more));
}

/** Sends the prompt until the client changes nothing more. Returns the requests. */
async function sendAll(words: string, more: Partial<ModelRequest> = {}) {
  const before = server.requests.length;
  let ended = await send(words, more);
  while ((ended.error as ModelFailure | null)?.isAdjusted === true) ended = await send(words, more);
  return { kind: kindOf(ended), requests: server.requests.slice(before) };
}

const reject = (body: unknown, status = 400): RawResponse => ({
  status,
  type: typeof body === 'string' ? 'text/html' : 'application/json',
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** Rejects a request that has this, and replies to others. */
const rejectWith =
  (part: (request: RawRequest) => boolean, body: unknown = '', status = 400) =>
  (request: RawRequest): RawResponse =>
    part(request) ? reject(body, status) : REPLY;

const PARTS = {
  tools: ({ tools }: RawRequest) => tools !== undefined,
  format: ({ response_format }: RawRequest) => response_format !== undefined,
  usage: ({ stream_options }: RawRequest) => stream_options !== undefined,
  limit: ({ max_tokens }: RawRequest) => max_tokens !== undefined,
  system: ({ messages }: RawRequest) => messages[0]?.role === 'system',
};
type PartName = keyof typeof PARTS;
const ALL = ['tools', 'format', 'usage', 'limit', 'system'] as const;
const partsOf = (request: RawRequest | undefined): PartName[] =>
  request === undefined ? [] : ALL.filter((name) => PARTS[name](request));
const without = (name: PartName): PartName[] => ALL.filter((part) => part !== name);

const flat = (message: string) => ({
  object: 'error',
  message,
  type: 'BadRequestError',
  code: 400,
});
const detail = (...loc: string[]) => ({
  detail: [{ type: 'extra_forbidden', loc, msg: 'Extra inputs are not permitted', input: WORDS }],
});

/** What a server rejects, and in which words. */
const EXPLAINED: readonly (readonly [
  part: PartName,
  source: string,
  status: number,
  body: unknown,
])[] = [
  [
    'tools',
    'vLLM: langchain4j/langchain4j#3475',
    400,
    flat('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'),
  ],
  [
    'tools',
    'Ollama',
    400,
    {
      error: {
        message: 'registry.ollama.ai/library/gemma:2b does not support tools',
        type: 'api_error',
        param: null,
        code: null,
      },
    },
  ],
  [
    'tools',
    'llama.cpp b4369: ggml-org/llama.cpp#10920',
    500,
    { error: { code: 500, message: 'Unsupported param: tools', type: 'server_error' } },
  ],
  [
    'tools',
    'llama.cpp: containers/ramalama#988',
    500,
    { error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } },
  ],
  [
    'tools',
    'OpenRouter: evalstate/fast-agent#122',
    404,
    { error: { message: 'No endpoints found that support tool use.', code: 404 } },
  ],
  [
    'tools',
    'Mistral: partITech/php-mistral#76',
    422,
    { object: 'Error', ...detail('body', 'tools'), type: 'invalid_request_error', code: 3001 },
  ],
  [
    'format',
    'OpenAI, older models',
    400,
    {
      error: {
        message:
          "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    },
  ],
  [
    'format',
    'DeepSeek',
    400,
    {
      error: {
        message: 'This response_format type is unavailable now',
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_request_error',
      },
    },
  ],
  [
    'format',
    'Groq',
    400,
    {
      error: {
        message: 'This model does not support response format `json_schema`.',
        type: 'invalid_request_error',
        param: 'response_format',
      },
    },
  ],
  ['format', 'a text', 400, 'unknown field: response_format'],
  [
    'usage',
    'Fireworks: FlowiseAI/Flowise#2866',
    400,
    { error: { message: "Extra inputs are not permitted, field: 'stream_options'" } },
  ],
  [
    'usage',
    'Azure: microsoft/semantic-kernel#10510',
    400,
    {
      error: {
        code: 400,
        message: 'Validation error at #/stream_options: Extra inputs are not permitted',
      },
    },
  ],
  ['usage', 'FastAPI', 422, detail('body', 'stream_options')],
  ['usage', 'an error that is a text', 422, { error: 'stream_options: extra field' }],
  [
    'limit',
    'OpenAI, o1',
    400,
    {
      error: {
        message:
          "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        param: 'max_tokens',
        code: 'unsupported_parameter',
      },
    },
  ],
  ['system', 'Gemma in vLLM: vllm-project/vllm#2964', 400, flat('System role not supported')],
  [
    'system',
    'OpenAI, o1-mini: tailcallhq/forgecode#1177',
    400,
    {
      error: {
        message: "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        param: 'messages[0].role',
        code: 'unsupported_value',
      },
    },
  ],
  [
    'system',
    'Gemma 3 in the Gemini API: microsoft/vscode#258088',
    400,
    [
      {
        error: {
          code: 400,
          message: 'Developer instruction is not enabled for models/gemma-3-27b-it',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
  ],
  [
    'system',
    'LM Studio',
    400,
    {
      error:
        'Error rendering prompt with jinja template: "Only user and assistant roles are supported!"',
    },
  ],
  [
    'system',
    'Mistral 0.2 in llama.cpp',
    500,
    {
      error: {
        code: 500,
        message:
          'Jinja Exception: Conversation roles must alternate user/assistant/user/assistant/...',
        type: 'server_error',
      },
    },
  ],
  [
    'system',
    'vLLM 0.6: vllm-project/vllm#10463',
    400,
    flat(
      `[{'type': 'literal_error', 'loc': ('body', 'messages', 0, 'typed-dict', 'role'), 'msg': "Input should be 'user'", 'input': 'system'}]`,
    ),
  ],
];

test.each(EXPLAINED)(
  'a server that rejects %s is understood: %s',
  async (part, _, status, body) => {
    server.respond = rejectWith(PARTS[part], body, status);
    const { kind, requests } = await sendAll('a');
    expect(kind).toBe('ok');
    expect(requests.map(partsOf)).toEqual([[...ALL], without(part)]);
    expect((await sendAll('b')).requests.map(partsOf)).toEqual([without(part)]);
  },
);

test('a list that names several parts changes all of them at once', async () => {
  const both = [...detail('body', 'tools').detail, ...detail('body', 'stream_options').detail];
  server.respond = rejectWith(
    (asked) => PARTS.tools(asked) || PARTS.usage(asked),
    { detail: both },
    422,
  );
  expect((await sendAll('a')).requests.map(partsOf)[1]).toEqual(['format', 'limit', 'system']);
  expect((await sendAll('b')).requests).toHaveLength(1);
});

test('the instructions stand in the first message of the user when there is no system role', async () => {
  server.respond = rejectWith(PARTS.system, flat('System role not supported'));
  await sendAll('a');
  expect(server.last?.messages).toEqual([{ role: 'user', content: 'Be kind.\n\na' }]);
});

describe('a rejection without a reason', () => {
  const UNEXPLAINED: readonly (readonly [string, unknown])[] = [
    ['an empty body', ''],
    ['an empty object', {}],
    ['a page', '<html><h1>400 Bad Request</h1></html>'],
    ["the words of vLLM at the body's top", flat('invalid request')],
    ['a sentence that nobody knows', { error: { message: WORDS } }],
  ];

  test.each(UNEXPLAINED)('of one prompt changes no other one: %s', async (_, body) => {
    server.respond = ({ messages }) =>
      messages.some(({ content }) => content.includes('bad')) ? reject(body) : REPLY;
    const { kind, requests } = await sendAll('bad');
    expect([kind, requests.length]).toEqual(['bad_request', 5]);
    expect((await sendAll('good')).requests.map(partsOf)).toEqual([[...ALL]]);
    expect(logged).not.toHaveBeenCalled();
  });

  test.each(['tools', 'format', 'usage', 'limit'] as const)(
    'is kept once a request without the part succeeded: %s',
    async (part) => {
      server.respond = rejectWith(PARTS[part]);
      const first = await sendAll('a');
      expect(first.kind).toBe('ok');
      expect(partsOf(first.requests.at(-1))).not.toContain(part);
      expect((await sendAll('b')).requests.map(partsOf)).toEqual([without(part)]);
    },
  );

  test('changes nothing for the others while it is not known what helps', async () => {
    server.respond = rejectWith(PARTS.format);
    await send('a');
    await send('b');
    expect(server.requests.slice(-2).map(partsOf)).toEqual([[...ALL], [...ALL]]);
    await send('a');
    await send('c');
    expect(partsOf(server.last)).toEqual([...ALL]);
  });

  test('learns two parts that are missing, one prompt after the other', async () => {
    server.respond = rejectWith((asked) => PARTS.tools(asked) || PARTS.format(asked));
    expect((await sendAll('a')).requests).toHaveLength(3);
    expect((await sendAll('b')).requests).toHaveLength(2);
    expect((await sendAll('c')).requests.map(partsOf)).toEqual([['usage', 'limit', 'system']]);
  });

  test('ends for many prompts at once as for one', async () => {
    server.respond = rejectWith(PARTS.tools);
    const all = await Promise.all([1, 2, 3, 4].map((n) => sendAll(`p${n}`)));
    expect(all.map(({ kind }) => kind)).toEqual(['ok', 'ok', 'ok', 'ok']);
    server.respond = () => reject('');
    const bad = await Promise.all([5, 5, 6, 6].map((n) => sendAll(`p${n}`)));
    expect(bad.map(({ kind }) => kind)).toEqual(Array(4).fill('bad_request'));
    server.respond = () => REPLY;
    expect((await sendAll('good')).requests.map(partsOf)).toEqual([without('tools')]);
  });
});

test.each<readonly [string, string, unknown]>([
  [
    'bad_request',
    'a prompt that is too long',
    { error: { message: 'x', code: 'context_length_exceeded' } },
  ],
  [
    'bad_request',
    'ggml-org/llama.cpp: n_ctx',
    {
      error: {
        code: 400,
        type: 'exceed_context_size_error',
        message: 'the request exceeds the available context size',
        n_ctx: 4096,
      },
    },
  ],
  ['bad_request', 'vllm-project/vllm#4667', flat('max_tokens must be at least 1, got -186.')],
  [
    'bad_request',
    'vllm-project/vllm#20409',
    flat(
      "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion).",
    ),
  ],
  [
    'content_filter',
    'Azure',
    {
      error: {
        message: 'x',
        code: 'content_filter',
        innererror: { code: 'ResponsibleAIPolicyViolation' },
      },
    },
  ],
  ['content_filter', 'DashScope', { error: { code: 'data_inspection_failed', message: 'x' } }],
  [
    'unavailable',
    'a wrong key as status 400',
    { error: { code: 'invalid_api_key', message: 'x' } },
  ],
  ['unavailable', 'an account without credit as status 400', { code: 'Arrearage', message: 'x' }],
])('is %s at once, and changes nothing: %s', async (kind, _, body) => {
  server.respond = () => reject(body);
  expect(await sendAll('a')).toMatchObject({ kind, requests: { length: 1 } });
  server.respond = () => REPLY;
  expect((await sendAll('a')).requests.map(partsOf)).toEqual([[...ALL]]);
});

describe('after an hour', () => {
  beforeEach(async () => {
    server.respond = rejectWith(PARTS.tools, flat('tools are not supported'));
    await sendAll('a');
  });

  test('one prompt tries what was given up, and the others wait for its result', async () => {
    clock.advance(HOUR_MS - 1);
    await send('b');
    expect(partsOf(server.last)).toEqual(without('tools'));
    clock.advance(1);
    await send('c');
    expect(partsOf(server.last)).toEqual([...ALL]);
    await send('d');
    expect(partsOf(server.last)).toEqual(without('tools'));
    expect((await sendAll('c')).kind).toBe('ok');
    clock.advance(HOUR_MS - 1);
    await send('e');
    expect(partsOf(server.last)).toEqual(without('tools'));
  });

  test('it is used again by all if the server supports it now', async () => {
    clock.advance(HOUR_MS);
    server.respond = () => REPLY;
    await send('b');
    await send('c');
    expect(server.requests.slice(-2).map(partsOf)).toEqual([[...ALL], [...ALL]]);
    expect(logged.mock.lastCall?.[0]).toContain('no longer sent without tools');
  });

  test('another prompt tries it if the first one never comes back', async () => {
    clock.advance(HOUR_MS);
    await send('b');
    clock.advance(60_000);
    await send('c');
    expect(partsOf(server.last)).toEqual([...ALL]);
  });
});

test('the log says what changed, why and until when, and nothing of the server or the prompt', async () => {
  server.respond = rejectWith(PARTS.format, {
    error: { message: `response_format: ${WORDS}`, code: 'unsupported_value' },
  });
  await sendAll(WORDS);
  await sendAll('b');
  expect(logged.mock.calls.flat()).toEqual([
    'Requests to model-x are now sent without response_format, with the schema in the instructions: one failed (400, unsupported_value, names format), and the same succeeded so; the whole form is tried again in 60 min.',
  ]);
});

test('a format that is rejected for one schema is requested for another one', async () => {
  const isOf = (name: string) => (asked: RawRequest) =>
    JSON.stringify(asked['response_format'] ?? '').includes(`"${name}"`);
  server.respond = rejectWith(isOf('reply'), flat('grammar error'));
  await sendAll('a');
  await send('b', { schema: { name: 'score', jsonSchema: { type: 'object' } } });
  expect(partsOf(server.last)).toContain('format');
});

describe('the limit of the output', () => {
  const limitOf = (asked: RawRequest | undefined) =>
    asked?.['max_tokens'] ?? asked?.['max_completion_tokens'];
  const NAMED: readonly (readonly [most: number, source: string, message: string])[] = [
    [
      512,
      'the issue',
      'max_tokens is too large: 1000. This model supports at most 512 completion tokens, whereas you provided 1000.',
    ],
    [
      512,
      'OpenAI: ChatGPTNextWeb/NextChat#3195, AQBot-Desktop/AQBot#93',
      'max_tokens is too large: 1,000. This model supports at most 512 completion tokens',
    ],
    [
      512,
      'Groq',
      '`max_tokens` must be less than or equal to `512`, the maximum value for `max_tokens` is less than the `context_window` for this model',
    ],
    [
      512,
      'DeepSeek: deepseek-ai/DeepSeek-V3#69',
      'Invalid max_tokens value, the valid range of max_tokens is [1, 512]',
    ],
    [
      512,
      'DashScope: open-webui/open-webui#10507',
      '<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 512]',
    ],
    [
      512,
      'Volcengine Ark: Gitlawb/openclaude#331',
      'The parameter `max_completion_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 512, but got 1000 instead.',
    ],
    [512, 'neavo/KeywordGacha#111', 'max_tokens (current value: 1000) must be between 0 and 512 '],
    [
      512,
      'Anthropic',
      'max_tokens: 1000 > 512, which is the maximum allowed number of output tokens for claude-3-haiku-20240307',
    ],
    [
      512,
      'Vertex AI',
      'Unable to submit request because it has a maxOutputTokens value of 1000 but the supported range is from 1 (inclusive) to 513 (exclusive).',
    ],
    [
      512,
      'Bedrock',
      'The maximum tokens you requested exceeds the model limit of 512. Try again with a maximum tokens value that is lower than 513.',
    ],
  ];

  test.each(NAMED)(
    'is the %s tokens that the server names, for all prompts: %s',
    async (most, _, message) => {
      server.respond = rejectWith((asked) => Number(limitOf(asked)) > most, { error: { message } });
      expect((await sendAll('a', { maxOutputTokens: 1000 })).requests.map(limitOf)).toEqual([
        1000,
        most,
      ]);
      expect((await sendAll('b', { maxOutputTokens: 1000 })).requests.map(limitOf)).toEqual([most]);
      expect((await sendAll('c', { maxOutputTokens: 100 })).requests.map(limitOf)).toEqual([100]);
    },
  );

  test('is named where FastAPI puts it', async () => {
    const item = {
      type: 'less_than_equal',
      loc: ['body', 'max_tokens'],
      msg: 'Input should be less than or equal to 512',
      ctx: { le: 512 },
    };
    server.respond = rejectWith((asked) => Number(limitOf(asked)) > 512, { detail: [item] }, 422);
    expect((await sendAll('a', { maxOutputTokens: 1000 })).requests.map(limitOf)).toEqual([
      1000, 512,
    ]);
  });

  test.each<readonly [left: number, source: string, message: string]>([
    [
      296,
      'vLLM of 2024: vllm-project/vllm#20409',
      "This model's maximum context length is 4096 tokens. However, you requested 4800 tokens (3800 in the messages, 1000 in the completion). Please reduce the length of the messages or completion.",
    ],
    [
      296,
      'vLLM of 2026: claude-code-best/claude-code#272',
      "'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum context length is 4096 tokens and your request has 3800 input tokens (1000 > 4096 - 3800).",
    ],
    [
      296,
      'SGLang',
      "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a total of 4800 tokens: 3800 tokens from the input messages and 1000 tokens for the completion.",
    ],
    [
      296,
      'TGI',
      '`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3800 `inputs` tokens and 1000 `max_new_tokens`',
    ],
  ])(
    'is the %s tokens that a prompt leaves of the context, for it alone: %s',
    async (left, _, message) => {
      server.respond = rejectWith(
        (asked) => Number(limitOf(asked)) > left && asked.messages[1]?.content === 'long',
        { error: message },
      );
      expect((await sendAll('long', { maxOutputTokens: 1000 })).requests.map(limitOf)).toEqual([
        1000,
        left,
      ]);
      expect((await sendAll('b', { maxOutputTokens: 1000 })).requests.map(limitOf)).toEqual([1000]);
    },
  );

  test('does not fall for ever when the server names another one each time', async () => {
    server.respond = (asked) =>
      reject({ error: `max_tokens must be less than ${String(limitOf(asked))}` });
    const { kind, requests } = await sendAll('a');
    expect(kind).toBe('bad_request');
    expect(requests.length).toBeLessThan(10);
  });

  const THOUGHT = event({ reasoning_content: 'Weak.' });
  const OVER: readonly (readonly [string, string, RawResponse])[] = [
    [
      'no text',
      'lmstudio-ai/lmstudio-bug-tracker#1990',
      stream(THOUGHT, event({}, 'length'), DONE),
    ],
    ['no text, as MAX_TOKENS', 'QwenLM/qwen-code#9884', stream(event({}, 'MAX_TOKENS'), DONE)],
    [
      'thinking in parts',
      'simonw/llm-mistral#39',
      stream(event({ content: [{ type: 'thinking', thinking: [] }] }, 'length'), DONE),
    ],
    [
      'thinking in the text',
      'Qwen 3 without a reasoning parser',
      stream(event({ content: '<think>Weak: {"verdict":' }, 'length'), DONE),
    ],
    [
      'half an object after reasoning',
      'sipeed/picoclaw#966',
      stream(THOUGHT, event({ content: '{"verdict":' }, 'length'), DONE),
    ],
  ];

  test.each(OVER)('leaves more room after reasoning used it up: %s (%s)', async (_, __, over) => {
    server.respond = (asked) => (Number(limitOf(asked)) < 8000 ? over : REPLY);
    const first = await send('a');
    expect(first.error).toMatchObject({ kind: 'length', isAdjusted: true });
    expect((first.error as Error).message).toContain('OPENAI_MAX_OUTPUT_TOKENS');
    expect((await sendAll('a')).requests.map(limitOf)).toEqual([8400]);
    expect((await sendAll('b')).requests.map(limitOf)).toEqual([8400]);
  });

  test('leaves only the room that the settings give, and no more after that', async () => {
    server.respond = () => stream(THOUGHT, event({}, 'length'), DONE);
    const own = clientOf(server, clock, { maxReasoningTokens: 50 });
    const adjusted = [await send('a', {}, own), await send('a', {}, own), await send('a', {}, own)];
    expect(adjusted.map(({ error }) => (error as ModelFailure).isAdjusted)).toEqual([
      true,
      false,
      false,
    ]);
    expect(server.requests.slice(-3).map(limitOf)).toEqual([400, 450, 450]);
    const none = clientOf(server, clock, { maxReasoningTokens: 0 });
    expect((await send('a', {}, none)).error).toMatchObject({ kind: 'length', isAdjusted: false });
  });

  test('stays when a reply itself is too long', async () => {
    server.respond = () => stream(event({ content: OBJECT.slice(0, 30) }, 'length'), DONE);
    expect((await send('a')).error).toMatchObject({ kind: 'length', isAdjusted: false });
  });
});
