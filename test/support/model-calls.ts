import {
  ModelAbortedError,
  type ModelChunk,
  ModelFailure,
  type ModelRequest,
  ModelUnavailableError,
} from '../../src/llm';
import { OpenAiClient, type OpenAiOptions } from '../../src/llm/openai-client';
import type { Clock } from '../../src/common/clock';
import type { ModelReply, ModelServer } from '../../tools/fake-model/model-server';

export const SECRET = 'sk-do-not-tell-0123456789';
/** Words of a candidate, which no error may contain. */
export const WORDS = 'my salary is a secret';
export const REQUEST: ModelRequest = {
  system: 'Be kind.',
  messages: [{ role: 'user', content: JSON.stringify({ answer: WORDS }) }],
  schema: { name: 'reply', jsonSchema: { type: 'object' } },
  maxOutputTokens: 400,
};

/** A client of this server with the timeouts 30 s (first byte) and 20 s (idle). */
export function clientOf(
  server: Pick<ModelServer, 'baseUrl'>,
  clock: Clock,
  options: Partial<OpenAiOptions> = {},
): OpenAiClient {
  const defaults = {
    apiKey: SECRET,
    baseUrl: server.baseUrl,
    model: 'model-x',
    firstByteTimeoutMs: 30_000,
    idleTimeoutMs: 20_000,
    requestTimeoutMs: 180_000,
    maxOutputTokens: 1000,
  };
  return new OpenAiClient({ ...defaults, ...options }, clock);
}

export interface Ended {
  readonly text: string;
  readonly chunks: readonly ModelChunk[];
  readonly error: unknown;
}

/** Reads a stream to its end, or to its error. */
export async function readAll(
  client: OpenAiClient,
  signal = new AbortController().signal,
  onText: (text: string) => void = () => undefined,
  request = REQUEST,
): Promise<Ended> {
  const chunks: ModelChunk[] = [];
  let text = '';
  try {
    for await (const chunk of client.stream(request, signal)) {
      chunks.push(chunk);
      if (chunk.type !== 'text') continue;
      text += chunk.text;
      onText(text);
    }
  } catch (error) {
    return { text, chunks, error };
  }
  return { text, chunks, error: null };
}

/** Scripts one reply of the server and requests it. */
export async function ask(
  server: ModelServer,
  reply: ModelReply,
  client: OpenAiClient,
): Promise<Ended> {
  server.next(reply);
  return readAll(client);
}

/** How a stream ended, in one word. */
export function kindOf({ error }: Ended): string {
  if (error instanceof ModelFailure) return error.kind;
  if (error instanceof ModelUnavailableError) return 'unavailable';
  if (error instanceof ModelAbortedError) return 'aborted';
  return error === null ? 'ok' : 'unexpected';
}
