import { FakeClock } from '../../tools/support/fake-clock';
import { clientOf, kindOf, readAll } from '../support/model-calls';
import {
  DONE,
  event,
  OBJECT,
  type RawResponse,
  RawModelServer,
  stream,
} from '../support/raw-model';

let server: RawModelServer;

beforeAll(async () => {
  server = await RawModelServer.start();
});

afterAll(() => server.close());

async function read(response: RawResponse) {
  server.respond = () => response;
  return readAll(clientOf(server, new FakeClock()));
}

const TEXT = event({ content: OBJECT });
const [HEAD, TAIL] = [OBJECT.slice(0, 20), OBJECT.slice(20)];
/** The end of a completion, and how the server ends its stream. */
const ends = (reason: unknown): RawResponse => stream(TEXT, event({}, reason), DONE);
const whole = (choice: object, more: object = {}): RawResponse => ({
  type: 'application/json',
  body: JSON.stringify({ object: 'chat.completion', choices: [choice], ...more }),
});

/** Server and version, where it is told, and what it sends for a whole reply. */
const WHOLE: readonly (readonly [server: string, source: string, response: RawResponse])[] = [
  ['TGI of July 2024: eos_token', 'huggingface/text-generation-inference#2344', ends('eos_token')],
  ['TGI: stop_sequence', 'TGI router, FinishReason', ends('stop_sequence')],
  ['a gateway: eos', 'the issue', ends('eos')],
  ['Bedrock access gateway: end_turn', 'aws-samples/bedrock-access-gateway#11', ends('end_turn')],
  ['a gateway: end', 'the issue', ends('end')],
  ['Gemini gateways: STOP', 'QwenLM/qwen-code#9882', ends('STOP')],
  [
    'Vertex AI: FINISH_REASON_STOP',
    'Vertex AI reference, FinishReason',
    ends('FINISH_REASON_STOP'),
  ],
  ['Cohere v2: COMPLETE', 'Cohere API reference, chat', ends('COMPLETE')],
  ['no reason but [DONE]', 'open-learning-exchange/planet#10281', stream(TEXT, DONE)],
  [
    'Ollama of May 2024: an empty reason with every piece',
    'ollama/ollama#4357',
    stream(event({ content: HEAD }, ''), event({ content: TAIL }, ''), DONE),
  ],
  [
    'simple-one-api before 0.9: the reason with every piece',
    'fruitbars/simple-one-api#32',
    stream(event({ content: HEAD }, 'STOP'), event({ content: TAIL }, 'STOP'), DONE),
  ],
  ['a reason that nobody knows', 'the issue', ends('satisfied')],
  ['a reason that is a number', 'gateways', ends(1)],
  [
    'Mistral, magistral-medium-2507: content in parts',
    'RooCodeInc/Roo-Code#6842',
    stream(
      event({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: '{"a":' }] }] }),
      event({ content: [{ type: 'text', text: HEAD }] }),
      event({ content: TAIL }),
      event({}, 'stop'),
      DONE,
    ),
  ],
  [
    'Mistral: parts of a whole message',
    'NousResearch/hermes-agent#4748',
    whole({
      message: {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: '{"no":1}' }] },
          { type: 'reference', reference_ids: ['a'] },
          { type: 'text', text: OBJECT },
        ],
      },
      finish_reason: 'stop',
    }),
  ],
  [
    'Responses bridges: output_text',
    'OpenAI reference, output_text',
    stream(event({ content: [{ type: 'output_text', text: OBJECT }] }, 'stop'), DONE),
  ],
  [
    'DeepSeek, SGLang: reasoning_content beside the content',
    'DeepSeek API, reasoning model',
    stream(event({ reasoning_content: 'Weak. {"x":' }), TEXT, event({}, 'stop'), DONE),
  ],
  [
    'vLLM 0.23: reasoning',
    'NVIDIA/NemoClaw#8878',
    stream(event({ reasoning: 'Weak.', content: null }), TEXT, event({}, 'stop'), DONE),
  ],
  [
    'OpenRouter: reasoning_details',
    'OpenRouter, reasoning tokens',
    stream(
      event({ content: '', reasoning_details: [{ type: 'reasoning.text', text: 'Weak.' }] }),
      TEXT,
      event({}, 'stop'),
      DONE,
    ),
  ],
  [
    'gateways: blocks with empty data',
    'netease-lcap/wave-agent#1326',
    stream('data:\n\n', 'data: \n\n', TEXT, 'data:\n\n', event({}, 'stop'), DONE),
  ],
  ['data: null', 'the issue', stream('data: null\n\n', TEXT, event({}, 'stop'), DONE)],
  ['data that is no object', 'gateways', stream('data: ping\n\n', 'data: []\n\n', TEXT, DONE)],
  [
    'a retry field in a block of its own',
    'openai/openai-python#2721',
    stream('retry: 3000\n\n', TEXT, event({}, 'stop'), DONE),
  ],
  [
    'a blank line between the name and the data',
    'earendil-works/pi#8430',
    stream('event: chunk\n\n', TEXT, 'event: chunk\n\n', event({}, 'stop'), DONE),
  ],
  [
    'events of other names',
    'diegosouzapw/OmniRoute#1146, caozhiyuan/copilot-api#88',
    stream(
      'event: ping\ndata: {"type":"ping"}\n\n',
      'event: keepalive\n\n',
      'event: heartbeat\ndata: {alive\n\n',
      TEXT,
      'event: ping\ndata: ""\n\n',
      event({}, 'stop'),
      DONE,
    ),
  ],
  [
    'pieces under a name',
    'gateways',
    stream(`event: completion\n${TEXT}`, `event: message\n${event({}, 'stop')}`, DONE),
  ],
  ['llama.cpp b9465: comments', 'ggml-org/llama.cpp#24013', stream(':\n\n', TEXT, ': x\n', DONE)],
  [
    'an end without the blank line',
    'openai-node 6.49, streaming.js',
    stream(TEXT, event({}, 'stop').trimEnd()),
  ],
  ['an end after [DONE] without a line feed', 'gateways', stream(TEXT, 'data: [DONE]')],
  ['no space behind the colon', 'WHATWG HTML 9.2', stream(TEXT.replace(': ', ':'), DONE)],
  [
    'CRLF and a byte order mark',
    'WHATWG HTML 9.2',
    stream('\uFEFF', stream(TEXT, event({}, 'stop'), DONE).body.replaceAll('\n', '\r\n')),
  ],
  ['CR alone', 'WHATWG HTML 9.2', stream(stream(TEXT, DONE).body.replaceAll('\n', '\r'))],
  [
    'one object in several data lines',
    'WHATWG HTML 9.2',
    stream(`data: {"choices":\ndata: [{"delta":{"content":${JSON.stringify(OBJECT)}}}]}\n\n`, DONE),
  ],
  [
    'one line feed between events',
    'alexrudall/ruby-openai#332',
    stream(TEXT.trimEnd(), '\n', event({}, 'stop').trimEnd(), '\n', DONE),
  ],
  [
    'a whole message in the stream',
    'gateways without streaming',
    stream(
      `data: ${JSON.stringify({ choices: [{ message: { content: OBJECT }, finish_reason: 'stop' }] })}\n\n`,
      DONE,
    ),
  ],
  [
    'a whole completion as an event stream without data:',
    'gateways without streaming',
    { body: whole({ message: { content: OBJECT }, finish_reason: 'stop' }).body },
  ],
  [
    'a whole completion with STOP',
    'QwenLM/qwen-code#9884',
    whole({ message: { role: 'assistant', content: OBJECT }, finish_reason: 'STOP' }),
  ],
];

describe.each([['whole'], ['in pieces of 1 byte'], ['in pieces of 7 bytes']])('%s', (how) => {
  const pieces = { whole: undefined, 'in pieces of 1 byte': 1, 'in pieces of 7 bytes': 7 }[how];

  test.each(WHOLE)('a reply is read from %s (%s)', async (_, __, response) => {
    const ended = await read(pieces === undefined ? response : { ...response, pieces });
    expect([kindOf(ended), ended.text]).toEqual(['ok', OBJECT]);
  });
});

const HALF = event({ content: HEAD });
const overloaded = { type: 'overloaded_error', message: 'Overloaded' };

test.each<readonly [kind: string, server: string, source: string, response: RawResponse]>([
  ['cut', 'an end without a reason and [DONE]', 'the issue', stream(TEXT)],
  [
    'cut',
    'an unknown reason behind half an object',
    'the issue',
    stream(HALF, event({}, 'x'), DONE),
  ],
  [
    'cut',
    'an unknown reason behind words',
    'the issue',
    stream(event({ content: 'Hi' }), event({}, 'x'), DONE),
  ],
  ['cut', 'vLLM: abort', 'vLLM, FinishReason.ABORT', stream(TEXT, event({}, 'abort'), DONE)],
  [
    'length',
    'Gemini gateways: MAX_TOKENS',
    'Portkey-AI/gateway#1200',
    stream(HALF, event({}, 'MAX_TOKENS'), DONE),
  ],
  [
    'length',
    'Anthropic bridges: max_tokens',
    'Anthropic API, stop_reason',
    stream(HALF, event({}, 'max_tokens'), DONE),
  ],
  [
    'length',
    'Mistral: model_length',
    'Mistral API, FinishReason',
    stream(HALF, event({}, 'model_length'), DONE),
  ],
  [
    'content_filter',
    'Gemini: SAFETY',
    'Gemini API, FinishReason',
    stream(HALF, event({}, 'SAFETY'), DONE),
  ],
  [
    'content_filter',
    'Gemini: PROHIBITED_CONTENT',
    'Gemini API, FinishReason',
    stream(event({}, 'PROHIBITED_CONTENT'), DONE),
  ],
  [
    'content_filter',
    'Zhipu: sensitive',
    'Zhipu API, finish_reason',
    stream(HALF, event({}, 'sensitive'), DONE),
  ],
  [
    'content_filter',
    'Bedrock: guardrail_intervened',
    'Bedrock Converse, stopReason',
    stream(HALF, event({}, 'guardrail_intervened'), DONE),
  ],
  [
    'refused',
    'Anthropic bridges: refusal',
    'Anthropic API, stop_reason',
    stream(HALF, event({}, 'refusal'), DONE),
  ],
  [
    'refused',
    'a refusal in parts',
    'OpenAI reference',
    stream(event({ content: [{ type: 'refusal', refusal: 'No.' }] }, 'stop'), DONE),
  ],
  [
    'malformed',
    'Gemini: MALFORMED_FUNCTION_CALL',
    'Gemini API, FinishReason',
    stream(event({}, 'MALFORMED_FUNCTION_CALL'), DONE),
  ],
  [
    'empty',
    'Qwen 3 in vLLM of April 2025: only reasoning',
    'vllm-project/vllm#17357',
    stream(event({ reasoning_content: OBJECT }), event({}, 'stop'), DONE),
  ],
  [
    'empty',
    'only thinking in parts',
    'simonw/llm-mistral#39',
    stream(
      event(
        { content: [{ type: 'thinking', thinking: [{ type: 'text', text: OBJECT }] }] },
        'stop',
      ),
      DONE,
    ),
  ],
  ['cut', '[DONE] behind nothing', 'gateways', stream(DONE)],
  [
    'unavailable',
    'DeepSeek: insufficient_system_resource',
    'DeepSeek API, finish_reason',
    stream(HALF, event({}, 'insufficient_system_resource'), DONE),
  ],
  [
    'unavailable',
    'Anthropic: event: error',
    'brainlid/langchain#193',
    stream(HALF, `event: error\ndata: ${JSON.stringify({ type: 'error', error: overloaded })}\n\n`),
  ],
  [
    'unavailable',
    'a flat event: error',
    'the issue',
    stream(HALF, `event: error\ndata: ${JSON.stringify(overloaded)}\n\n`),
  ],
  [
    'unavailable',
    'a flat error without a name',
    'the issue',
    stream(HALF, `data: ${JSON.stringify(overloaded)}\n\n`),
  ],
  [
    'unavailable',
    'Envoy AI gateway',
    'envoyproxy/ai-gateway#2698',
    stream(HALF, `data: ${JSON.stringify({ error: overloaded })}\n\n`),
  ],
  [
    'unavailable',
    'a last error without its blank line',
    'the issue',
    stream(HALF, `event: error\ndata: ${JSON.stringify(overloaded)}`),
  ],
  [
    'unavailable',
    'TGI: error_type',
    'TGI router, ErrorResponse',
    stream(
      `data: ${JSON.stringify({ error: 'Model is overloaded', error_type: 'overloaded' })}\n\n`,
    ),
  ],
  [
    'unavailable',
    'vLLM of 2024: a flat error',
    'vllm-project/vllm#4667',
    stream(
      `data: ${JSON.stringify({ object: 'error', message: 'x', type: 'InternalServerError', code: 500 })}\n\n`,
    ),
  ],
  [
    'unavailable',
    'Gemini: JSON without data:',
    'vercel/ai#5217',
    stream(HALF, '{\n  "error": {\n    "code": 503,\n    "status": "UNAVAILABLE"\n  }\n}\n'),
  ],
  [
    'unavailable',
    'a flat error as JSON',
    'gateways',
    { type: 'application/json', body: JSON.stringify(overloaded) },
  ],
  [
    'cut',
    'an error without a code',
    'gateways',
    stream(HALF, 'event: error\ndata: something broke\n\n'),
  ],
])('is %s: %s (%s)', async (kind, _, __, response) => {
  for (const pieces of [{}, { pieces: 1 }, { pieces: 7 }]) {
    expect(kindOf(await read({ ...response, ...pieces }))).toBe(kind);
  }
});

test('an event that never ends is not collected without end', async () => {
  const ended = await read(stream(`data: {"a":"${'x'.repeat(1_100_000)}`));
  expect(kindOf(ended)).toBe('malformed');
});
