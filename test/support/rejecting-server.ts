import { Logger } from '@nestjs/common';
import type { ModelFailure, ModelRequest } from '../../src/llm';
import type { OpenAiClient } from '../../src/llm/openai-client';
import { FakeClock } from '../../tools/support/fake-clock';
import { clientOf, kindOf, readAll, REQUEST } from './model-calls';
import { type RawRequest, RawModelServer, type RawResponse, REPLY } from './raw-model';

const TOOL = { name: 'search', description: 'Searches.', inputSchema: { type: 'object' } };

/** A server that rejects requests, and a client of it that knows nothing yet. For one file of tests. */
export class RejectingServer {
  clock = new FakeClock();
  client: OpenAiClient;
  /** What is logged as a warning. */
  readonly logged = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);

  private constructor(readonly server: RawModelServer) {
    this.client = clientOf(server, this.clock);
  }

  static async start(): Promise<RejectingServer> {
    return new RejectingServer(await RawModelServer.start());
  }

  /** Another client; the server replies to every request. */
  reset(): void {
    this.clock = new FakeClock();
    this.client = clientOf(this.server, this.clock);
    this.server.respond = () => REPLY;
    this.logged.mockClear();
  }

  /** Sends the prompt once. */
  send(words: string, more: Partial<ModelRequest> = {}, by = this.client) {
    const messages = [{ role: 'user' as const, content: words }];
    return readAll(by, undefined, undefined, { ...REQUEST, tools: [TOOL], messages, ...more });
  }

  /** Sends the prompt until the client changes nothing more. */
  async sendAll(words: string, more: Partial<ModelRequest> = {}) {
    const before = this.server.requests.length;
    let ended = await this.send(words, more);
    while ((ended.error as ModelFailure | null)?.isAdjusted === true)
      ended = await this.send(words, more);
    return { kind: kindOf(ended), requests: this.server.requests.slice(before) };
  }
}

export const reject = (body: unknown, status = 400): RawResponse => ({
  status,
  type: typeof body === 'string' ? 'text/html' : 'application/json',
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** Rejects a request that has this, and replies to others. */
export const rejectWith =
  (part: (request: RawRequest) => boolean, body: unknown = '', status = 400) =>
  (request: RawRequest): RawResponse =>
    part(request) ? reject(body, status) : REPLY;

export const PARTS = {
  tools: ({ tools }: RawRequest) => tools !== undefined,
  format: ({ response_format }: RawRequest) => response_format !== undefined,
  usage: ({ stream_options }: RawRequest) => stream_options !== undefined,
  limit: ({ max_tokens }: RawRequest) => max_tokens !== undefined,
  system: ({ messages }: RawRequest) => messages[0]?.role === 'system',
};
export type PartName = keyof typeof PARTS;
export const ALL = ['tools', 'format', 'usage', 'limit', 'system'] as const;

export function partsOf(request: RawRequest | undefined): PartName[] {
  return request === undefined ? [] : ALL.filter((name) => PARTS[name](request));
}

export function without(name: PartName): PartName[] {
  return ALL.filter((part) => part !== name);
}

/** An error of older vLLM. */
export function flat(message: string): object {
  return { object: 'error', message, type: 'BadRequestError', code: 400 };
}
