import { step } from '../common/tracing';
import type { LlmPurpose } from './llm-ledger.repository';

/** What a model server tells of its response; each part may be missing. */
export interface ResponseFacts {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** The model that responded, as the server calls it: `gpt-4.1-mini-2025-04-14`. */
  readonly model?: string;
}

interface SpannedRequest {
  readonly purpose: LlmPurpose;
  /** The model that is asked. */
  readonly model: string;
  readonly baseUrl: string;
}

/**
 * One HTTP request to a model as a client span with OpenTelemetry's names for generative AI
 * (semantic-conventions-genai 0.1.0): with provider, both models and tokens a tracing backend can
 * price it. `work` notes what the server told, also before it fails. Prompts and outputs are no
 * attributes.
 */
export function modelSpan<T>(
  { purpose, model, baseUrl }: SpannedRequest,
  work: (note: (told: ResponseFacts) => void) => Promise<T>,
): Promise<T> {
  const operation = OPERATIONS[purpose];
  const attributes = {
    'gen_ai.operation.name': operation,
    ...serverAttributes(baseUrl),
    'gen_ai.request.model': model,
    'colloquy.purpose': purpose,
  };
  return step({ name: `${operation} ${model}`, kind: 'client', attributes }, async (add) => {
    let told: ResponseFacts = {};
    try {
      return await work((more) => {
        told = { ...told, ...more };
      });
    } finally {
      add(responseAttributes(told));
    }
  });
}

/** The conventions have no name for transcriptions, and allow others. */
const OPERATIONS: Readonly<Record<LlmPurpose, string>> = {
  interview: 'chat',
  rerank: 'chat',
  score: 'chat',
  replay: 'chat',
  embed: 'embeddings',
  transcribe: 'transcription',
};

/** Unknown figures are left out, because a zero would be a price of zero. */
function responseAttributes({ inputTokens, outputTokens, model }: ResponseFacts) {
  return {
    ...(model === undefined ? {} : { 'gen_ai.response.model': model }),
    ...(inputTokens === undefined ? {} : { 'gen_ai.usage.input_tokens': inputTokens }),
    ...(outputTokens === undefined ? {} : { 'gen_ai.usage.output_tokens': outputTokens }),
  };
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80 };

function serverAttributes(baseUrl: string) {
  if (!URL.canParse(baseUrl)) return { 'gen_ai.provider.name': PROTOCOL };
  const { hostname, port, protocol } = new URL(baseUrl);
  return {
    'gen_ai.provider.name': providerOf(hostname),
    'server.address': hostname.replace(/^\[|\]$/g, ''),
    'server.port': port === '' ? (DEFAULT_PORTS[protocol] ?? 443) : Number(port),
  };
}

/** The flavour of any other server, because its protocol is OpenAI's. */
const PROTOCOL = 'openai';

/** The providers that the conventions name, by the hosts of their endpoints. */
const PROVIDERS: readonly (readonly [host: RegExp, provider: string])[] = [
  [/\.openai\.azure\.com$/, 'azure.ai.openai'],
  [/\.(inference\.ai|services\.ai)\.azure\.com$/, 'azure.ai.inference'],
  [/(^|\.)anthropic\.com$/, 'anthropic'],
  [/^bedrock[\w-]*\..*\.amazonaws\.com(\.cn)?$/, 'aws.bedrock'],
  [/(^|\.)cohere\.(ai|com)$/, 'cohere'],
  [/(^|\.)deepseek\.com$/, 'deepseek'],
  [/^generativelanguage\.googleapis\.com$/, 'gcp.gemini'],
  [/(^|[.-])aiplatform\.googleapis\.com$/, 'gcp.vertex_ai'],
  [/(^|\.)groq\.com$/, 'groq'],
  [/\.ml\.cloud\.ibm\.com$/, 'ibm.watsonx.ai'],
  [/(^|\.)mistral\.ai$/, 'mistral_ai'],
  [/(^|\.)moonshot\.(ai|cn)$/, 'moonshot_ai'],
  [/(^|\.)perplexity\.ai$/, 'perplexity'],
  [/(^|\.)x\.ai$/, 'x_ai'],
];

function providerOf(host: string): string {
  return PROVIDERS.find(([pattern]) => pattern.test(host))?.[1] ?? PROTOCOL;
}
