import type { ModelFailure } from '../../src/llm';
import { clientOf } from '../support/model-calls';
import {
  DONE,
  event,
  OBJECT,
  type RawRequest,
  type RawResponse,
  REPLY,
  stream,
} from '../support/raw-model';
import { reject, rejectWith, RejectingServer } from '../support/rejecting-server';

let at: RejectingServer;

beforeAll(async () => {
  at = await RejectingServer.start();
});
beforeEach(() => {
  at.reset();
});
afterAll(() => at.server.close());

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
  'the output is limited to the %s tokens that the server names, for all prompts: %s',
  async (most, _, message) => {
    at.server.respond = rejectWith((asked) => Number(limitOf(asked)) > most, {
      error: { message },
    });
    expect((await at.sendAll('a', { maxOutputTokens: 1000 })).requests.map(limitOf)).toEqual([
      1000,
      most,
    ]);
    expect((await at.sendAll('b', { maxOutputTokens: 1000 })).requests.map(limitOf)).toEqual([
      most,
    ]);
    expect((await at.sendAll('c', { maxOutputTokens: 100 })).requests.map(limitOf)).toEqual([100]);
  },
);

test('the limit is named where FastAPI puts it', async () => {
  const item = {
    type: 'less_than_equal',
    loc: ['body', 'max_tokens'],
    msg: 'Input should be less than or equal to 512',
    ctx: { le: 512 },
  };
  at.server.respond = rejectWith((asked) => Number(limitOf(asked)) > 512, { detail: [item] }, 422);
  expect((await at.sendAll('a', { maxOutputTokens: 1000 })).requests.map(limitOf)).toEqual([
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
  'the output is limited to the %s tokens that a prompt leaves of the context, for it alone: %s',
  async (left, _, message) => {
    at.server.respond = rejectWith(
      (asked) => Number(limitOf(asked)) > left && asked.messages[1]?.content === 'long',
      { error: message },
    );
    expect((await at.sendAll('long', { maxOutputTokens: 1000 })).requests.map(limitOf)).toEqual([
      1000,
      left,
    ]);
    expect((await at.sendAll('b', { maxOutputTokens: 1000 })).requests.map(limitOf)).toEqual([
      1000,
    ]);
  },
);

test('the limit does not fall for ever when the server names another one each time', async () => {
  at.server.respond = (asked) =>
    reject({ error: `max_tokens must be less than ${String(limitOf(asked))}` });
  const { kind, requests } = await at.sendAll('a');
  expect(kind).toBe('bad_request');
  expect(requests.length).toBeLessThan(10);
});

const THOUGHT = event({ reasoning_content: 'Weak.' });
const OVER: readonly (readonly [string, string, RawResponse])[] = [
  ['no text', 'lmstudio-ai/lmstudio-bug-tracker#1990', stream(THOUGHT, event({}, 'length'), DONE)],
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

test.each(OVER)(
  'a request has more room after reasoning used it up: %s (%s)',
  async (_, __, over) => {
    at.server.respond = (asked) => (Number(limitOf(asked)) < 8000 ? over : REPLY);
    const first = await at.send('a');
    expect(first.error).toMatchObject({ kind: 'length', isAdjusted: true });
    expect((first.error as Error).message).toContain('OPENAI_MAX_OUTPUT_TOKENS');
    expect((await at.sendAll('a')).requests.map(limitOf)).toEqual([8400]);
    expect((await at.sendAll('b')).requests.map(limitOf)).toEqual([8400]);
  },
);

test('a request has only the room that the settings give, and no more after that', async () => {
  at.server.respond = () => stream(THOUGHT, event({}, 'length'), DONE);
  const own = clientOf(at.server, at.clock, { maxReasoningTokens: 50 });
  const adjusted = [
    await at.send('a', {}, own),
    await at.send('a', {}, own),
    await at.send('a', {}, own),
  ];
  expect(adjusted.map(({ error }) => (error as ModelFailure).isAdjusted)).toEqual([
    true,
    false,
    false,
  ]);
  expect(at.server.requests.slice(-3).map(limitOf)).toEqual([400, 450, 450]);
  const none = clientOf(at.server, at.clock, { maxReasoningTokens: 0 });
  expect((await at.send('a', {}, none)).error).toMatchObject({ kind: 'length', isAdjusted: false });
});

test.each([OBJECT.slice(0, 30), 'Half'])(
  'the limit stays when a reply itself is too long: %s',
  async (half) => {
    at.server.respond = () => stream(event({ content: half }, 'length'), DONE);
    expect((await at.send('a')).error).toMatchObject({ kind: 'length', isAdjusted: false });
  },
);
