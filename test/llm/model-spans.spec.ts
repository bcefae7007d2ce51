import { type Attributes, type SpanStart, recordSpansBy } from '../../src/common/tracing/flow';
import { runFlow } from '../../src/common/tracing';
import { modelSpan } from '../../src/llm';
import type { TestApp } from '../support/app';
import { words, startInterviews, closeInterviews } from '../interview/interviews';
import { newCandidate } from '../interview/interviewee';

/**
 * The names are those of OpenTelemetry's conventions for generative AI, semantic-conventions-genai
 * 0.1.0 (2026), `docs/gen-ai/client-inference.md`: span name `{operation} {requested model}`, kind
 * client, `gen_ai.provider.name` in place of the older `gen_ai.system`.
 */
interface Ended extends SpanStart {
  readonly added: Attributes;
  readonly errorType: string | null;
}

let spans: Ended[];

beforeEach(() => {
  spans = [];
  recordSpansBy((start) => {
    let added: Attributes = {};
    return {
      traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      isRecorded: true,
      add: (more) => {
        added = { ...added, ...more };
      },
      end: (errorType) => spans.push({ ...start, added, errorType }),
    };
  });
});

afterEach(() => {
  recordSpansBy(null);
});

/** Attributes of the conventions, by name, of all spans that have some. */
function ofModels(): Record<string, unknown>[] {
  return spans.flatMap(({ name, kind, attributes, added, errorType }) => {
    const all = { ...attributes, ...added };
    const own = Object.entries(all).filter(([key]) => /^(gen_ai|server)\./.test(key));
    return own.length === 0 ? [] : [{ name, kind, errorType, ...Object.fromEntries(own) }];
  });
}

describe('an interview', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startInterviews({ env: { OPENAI_MODEL: 'small-model' } });
  });

  afterAll(() => closeInterviews(app));

  /** A whole reply as OpenAI streams it: each event has the dated name of the model. */
  function told(content: string, finish = 'stop'): readonly string[] {
    const event = (fields: object) =>
      `data: ${JSON.stringify({ model: 'small-model-2026-01-31', ...fields })}`;
    return [
      event({ choices: [{ delta: { role: 'assistant', content: '' } }] }),
      event({ choices: [{ delta: { content } }] }),
      event({ choices: [{ delta: {}, finish_reason: finish }] }),
      event({ choices: [], usage: { prompt_tokens: 812, completion_tokens: 31 } }),
      'data: [DONE]',
    ];
  }

  test('has one span for each request, with provider, both models, tokens and server', async () => {
    const candidate = await newCandidate(app);
    spans = [];
    const said = words();
    app.model.next({ kind: 'lines', lines: told('{"verdict":"answered","text":"Thanks."}') });

    await candidate.answer(said);

    expect(ofModels()).toEqual([
      {
        name: 'chat small-model',
        kind: 'client',
        errorType: null,
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'small-model',
        'gen_ai.response.model': 'small-model-2026-01-31',
        'gen_ai.usage.input_tokens': 812,
        'gen_ai.usage.output_tokens': 31,
        'server.address': '127.0.0.1',
        'server.port': Number(new URL(app.model.baseUrl).port),
      },
    ]);
    expect(JSON.stringify(spans)).not.toContain(said);
  });

  test('has the tokens of a request that failed too, and no zero where none were counted', async () => {
    const candidate = await newCandidate(app);
    spans = [];
    app.model.next(
      { kind: 'lines', lines: told('{"verdict":"answered","text":"Tha', 'length') },
      { kind: 'status', status: 503 },
    );

    await candidate.answer(words());

    expect(ofModels()).toMatchObject([
      {
        errorType: 'model_failure',
        'gen_ai.response.model': 'small-model-2026-01-31',
        'gen_ai.usage.output_tokens': 31,
      },
    ]);
    app.clock.advance(60_000);
    await app.worker.tick();
    await app.settle();
    const failed = ofModels().find(({ errorType }) => errorType === 'model_unavailable');
    expect(failed).toBeDefined();
    expect(failed).not.toHaveProperty(['gen_ai.usage.input_tokens']);
  });
});

const HOSTS: readonly [baseUrl: string, provider: string, port: number][] = [
  ['https://api.openai.com/v1', 'openai', 443],
  ['https://eu.api.openai.com/v1', 'openai', 443],
  ['http://localhost:11434/v1', 'openai', 11434],
  ['http://[::1]:8080/v1', 'openai', 8080],
  ['http://vllm.internal/v1', 'openai', 80],
  ['https://team.openai.azure.com/openai/v1', 'azure.ai.openai', 443],
  ['https://team.services.ai.azure.com/models', 'azure.ai.inference', 443],
  ['https://api.anthropic.com/v1', 'anthropic', 443],
  ['https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1', 'aws.bedrock', 443],
  ['https://api.cohere.ai/compatibility/v1', 'cohere', 443],
  ['https://api.deepseek.com/v1', 'deepseek', 443],
  ['https://generativelanguage.googleapis.com/v1beta/openai', 'gcp.gemini', 443],
  ['https://us-central1-aiplatform.googleapis.com/v1', 'gcp.vertex_ai', 443],
  ['https://api.groq.com/openai/v1', 'groq', 443],
  ['https://us-south.ml.cloud.ibm.com/v1', 'ibm.watsonx.ai', 443],
  ['https://api.mistral.ai/v1', 'mistral_ai', 443],
  ['https://api.moonshot.ai/v1', 'moonshot_ai', 443],
  ['https://api.perplexity.ai', 'perplexity', 443],
  ['https://api.x.ai/v1', 'x_ai', 443],
  // A host that only ends alike.
  ['https://notx.ai/v1', 'openai', 443],
];

test.each(HOSTS)('%s is the provider %s', async (baseUrl, provider, port) => {
  await runFlow({ name: 'job', kind: 'consumer' }, () =>
    modelSpan({ purpose: 'score', model: 'm', baseUrl }, () => Promise.resolve()),
  );

  expect(ofModels()).toMatchObject([{ 'gen_ai.provider.name': provider, 'server.port': port }]);
});

test.each([
  ['interview', 'chat'],
  ['score', 'chat'],
  ['rerank', 'chat'],
  ['replay', 'chat'],
  ['embed', 'embeddings'],
  ['transcribe', 'transcription'],
] as const)('a request to %s is the operation %s', async (purpose, operation) => {
  await runFlow({ name: 'job', kind: 'consumer' }, () =>
    modelSpan({ purpose, model: 'm', baseUrl: 'https://api.openai.com/v1' }, () =>
      Promise.resolve(),
    ),
  );

  expect(ofModels()).toMatchObject([
    { name: `${operation} m`, 'gen_ai.operation.name': operation },
  ]);
});
