import { WORDS } from '../support/model-calls';
import {
  ALL,
  flat,
  type PartName,
  PARTS,
  partsOf,
  reject,
  rejectWith,
  RejectingServer,
  without,
} from '../support/rejecting-server';
import type { RawRequest } from '../support/raw-model';
import { REPLY } from '../support/raw-model';

let at: RejectingServer;

beforeAll(async () => {
  at = await RejectingServer.start();
});
beforeEach(() => {
  at.reset();
});
afterAll(() => at.server.close());

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
        message: 'models.example/library/gemma:2b does not support tools',
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
    at.server.respond = rejectWith(PARTS[part], body, status);
    const { kind, requests } = await at.sendAll('a');
    expect(kind).toBe('ok');
    expect(requests.map(partsOf)).toEqual([[...ALL], without(part)]);
    expect((await at.sendAll('b')).requests.map(partsOf)).toEqual([without(part)]);
  },
);

test('a list that names several parts changes all of them at once', async () => {
  const both = [...detail('body', 'tools').detail, ...detail('body', 'stream_options').detail];
  at.server.respond = rejectWith(
    (asked) => PARTS.tools(asked) || PARTS.usage(asked),
    { detail: both },
    422,
  );
  expect((await at.sendAll('a')).requests.map(partsOf)[1]).toEqual(['format', 'limit', 'system']);
  expect((await at.sendAll('b')).requests).toHaveLength(1);
});

test('the instructions stand in the first message of the user when there is no system role', async () => {
  at.server.respond = rejectWith(PARTS.system, flat('System role not supported'));
  await at.sendAll('a');
  expect(at.server.last?.messages).toEqual([{ role: 'user', content: 'Be kind.\n\na' }]);
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
  at.server.respond = () => reject(body);
  expect(await at.sendAll('a')).toMatchObject({ kind, requests: { length: 1 } });
  at.server.respond = () => REPLY;
  expect((await at.sendAll('a')).requests.map(partsOf)).toEqual([[...ALL]]);
});

test('the log says what changed, why and until when, and nothing of the server or the prompt', async () => {
  at.server.respond = rejectWith(PARTS.format, {
    error: { message: `response_format: ${WORDS}`, code: 'unsupported_value' },
  });
  await at.sendAll(WORDS);
  await at.sendAll('b');
  expect(at.logged.mock.calls.flat()).toEqual([
    'Requests to model-x are now sent without response_format, with the schema in the instructions: one failed (400, unsupported_value, names format), and the same succeeded so; the whole form is tried again in 60 min.',
  ]);
});

test('a format that is rejected for one schema is requested for another one', async () => {
  const isOf = (name: string) => (asked: RawRequest) =>
    JSON.stringify(asked['response_format'] ?? '').includes(`"${name}"`);
  at.server.respond = rejectWith(isOf('reply'), flat('grammar error'));
  await at.sendAll('a');
  await at.send('b', { schema: { name: 'score', jsonSchema: { type: 'object' } } });
  expect(partsOf(at.server.last)).toContain('format');
});
