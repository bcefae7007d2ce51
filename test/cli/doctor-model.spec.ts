import { type ModelReply, ModelServer } from '../../tools/fake-model/model-server';
import { rowsOf } from '../support/outside';
import { database } from './cli-database';
import { doctor } from './doctor-report';

/* `colloquy doctor` sends one request as interviews do, and says what the server cannot do. */

const KEY = 'sk-key-of-these-tests-4712';
const MODEL = 'gpt-4.1-mini';
const FORM = {
  verdict: 'answered',
  sources: '',
  asks: '',
  about: '',
  touches: '',
  text: 'Thank you.',
  labels: '',
};
const WELL: ModelReply = streamed(JSON.stringify(FORM));

/** A reply as OpenAI streams it. */
function streamed(
  content: string,
  { finish = 'stop', usage = true }: { finish?: string | null; usage?: boolean } = {},
): ModelReply {
  const event = (fields: object) => `data: ${JSON.stringify({ model: MODEL, ...fields })}`;
  const lines = [
    event({ choices: [{ delta: { content } }] }),
    ...(finish === null ? [] : [event({ choices: [{ delta: {}, finish_reason: finish }] })]),
    ...(usage
      ? [event({ choices: [], usage: { prompt_tokens: 700, completion_tokens: 30 } })]
      : []),
    'data: [DONE]',
  ];
  return { kind: 'lines', lines };
}

function rejects(message: string): ModelReply {
  return { kind: 'status', status: 400, error: { message } };
}

let model: ModelServer;

beforeEach(async () => {
  model = await ModelServer.start(WELL);
  model.models.known = [MODEL];
});

afterEach(() => model.close());

async function findings(env: Record<string, string> = {}): Promise<string[]> {
  const found = await doctor({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: model.baseUrl, ...env });
  return found.of('model');
}

test('a server that can do everything gets one request, and it is not in the ledger', async () => {
  const lines = await findings();

  expect(lines).toEqual([
    expect.stringMatching(/^ok .* knows OPENAI_MODEL/),
    expect.stringMatching(/^ok model: gpt-4\.1-mini at 127\.0\.0\.1:\d+ replies to a made-up/),
  ]);
  expect(model.requests).toHaveLength(1);
  expect(await rowsOf(database().url, 'select 1 from llm_attempt')).toEqual([]);
});

test('the request has the form of interviews: schema, tool, limit, usage', async () => {
  model.always({ kind: 'completion', content: JSON.stringify(FORM) });
  await findings({ OPENAI_MAX_OUTPUT_TOKENS: '321' });

  expect(model.requests).toHaveLength(1);
  expect(model.requests[0]?.body).toMatchObject({
    model: MODEL,
    stream: true,
    max_tokens: 321,
    stream_options: { include_usage: true },
    response_format: { type: 'json_schema' },
    tools: [{ function: { name: 'search_knowledge' } }],
  });
});

test.each<[string, ModelReply[], RegExp]>([
  [
    'does not keep the schema, and can be read',
    [streamed('```json\n{"verdict":"answered","text":"Thanks."}\n```')],
    /^warning .* does not keep the schema of the output/,
  ],
  [
    'leaves out fields',
    [streamed('{"verdict":"answered","sources":"","text":"Thanks."}')],
    /^warning .* does not keep the schema of the output/,
  ],
  ['counts no tokens', [streamed(JSON.stringify(FORM), { usage: false })], /^warning .* tokens/],
  [
    'rejects the format',
    [rejects('response_format of type json_schema is not supported')],
    /^warning .* rejects a schema for the output \(response_format\)/,
  ],
  [
    'rejects tools',
    [rejects('"auto" tool choice requires --enable-auto-tool-choice'), WELL],
    /^warning .* rejects tools/,
  ],
  [
    'is not readable at all',
    [streamed('{"verdict": answered and nothing of JSON')],
    /^problem .* sends output that interviews cannot read/,
  ],
  [
    'needs more room for reasoning',
    [streamed('', { finish: 'length' })],
    /^warning .* uses up OPENAI_MAX_OUTPUT_TOKENS by reasoning/,
  ],
  [
    'uses up any output by reasoning',
    [streamed('', { finish: 'length' }), streamed('', { finish: 'length' })],
    /^problem .* uses up OPENAI_MAX_OUTPUT_TOKENS/,
  ],
  [
    'gives no finish reason',
    [streamed(JSON.stringify(FORM), { finish: null })],
    /^warning .* without a finish reason/,
  ],
  [
    'rejects a system message',
    [rejects('System role not supported')],
    /^warning .* rejects a system message/,
  ],
  ['writes no object', [streamed('Thank you for your answer.')], /^problem .* cannot read/],
  [
    'breaks off without a finish reason',
    [{ kind: 'unfinished', content: '{"verdict":"answered","text":"Th' }],
    /^problem .* without a finish reason/,
  ],
  ['sends no text', [streamed('')], /^problem .* sends no text/],
  ['refuses', [{ kind: 'refusal', refusal: 'my secret' }], /^problem .* refuses a harmless/],
  [
    'is overloaded',
    [{ kind: 'status', status: 503 }],
    /^problem .* takes no request for a reply \(.*503/,
  ],
])('a server that %s', async (_, replies, expected) => {
  model.next(...replies);
  const lines = await findings();

  expect(lines).toContainEqual(expect.stringMatching(expected));
  expect(lines.join()).not.toContain('my secret');
});

test('the second server is checked in the same way, by its own settings', async () => {
  const second = await ModelServer.start(streamed('{"verdict": answered'));
  second.models.known = ['m2'];
  try {
    const env = {
      OPENAI_FALLBACK_BASE_URL: second.baseUrl,
      OPENAI_FALLBACK_API_KEY: 'k2',
      OPENAI_FALLBACK_MODEL: 'm2',
    };
    expect((await findings(env)).slice(2)).toEqual([
      expect.stringMatching(/^ok .* knows OPENAI_FALLBACK_MODEL=m2\.$/),
      expect.stringMatching(/^problem model: m2 at .* cannot read/),
    ]);
    second.models.key = 'another';
    expect((await findings(env)).slice(2)).toEqual([
      expect.stringMatching(/^problem .* refuses the key \(401\): check OPENAI_FALLBACK_API_KEY/),
    ]);
  } finally {
    await second.close();
  }
});
