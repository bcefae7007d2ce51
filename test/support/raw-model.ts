import type { ServerResponse } from 'node:http';
import { bodyOf } from '../../tools/http-fake/requests';
import { Listener } from '../../tools/http-fake/listener';

/** A response of a model server, byte for byte. */
export interface RawResponse {
  readonly status?: number;
  readonly type?: string;
  readonly body: string;
  /** Bytes of each piece; everything at once without it. */
  readonly pieces?: number;
}

export interface RawRequest {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly [field: string]: unknown;
}

/** A model server on 127.0.0.1 that sends exactly what a test gives it. */
export class RawModelServer {
  readonly requests: RawRequest[] = [];
  /** The response to a request; by default a whole reply. */
  respond: (request: RawRequest) => RawResponse = () => REPLY;

  private readonly listener = new Listener(async (request, response) => {
    const body = JSON.parse(String(await bodyOf(request))) as RawRequest;
    this.requests.push(body);
    await send(response, this.respond(body));
  });

  static async start(): Promise<RawModelServer> {
    const server = new RawModelServer();
    await server.listener.open();
    return server;
  }

  get baseUrl(): string {
    return `${this.listener.url}/v1`;
  }

  get last(): RawRequest | undefined {
    return this.requests.at(-1);
  }

  close(): Promise<void> {
    return this.listener.close();
  }
}

export const OBJECT = '{"verdict":"answered","text":"Спасибо 😀"}';

/** One event of a stream. */
export function event(delta: object, finishReason: unknown = null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices, ...more })}\n\n`;
}

export const DONE = 'data: [DONE]\n\n';

export function stream(...events: readonly string[]): RawResponse {
  return { body: events.join('') };
}

export const REPLY = stream(event({ content: OBJECT }), event({}, 'stop'), DONE);

async function send(
  response: ServerResponse,
  { status = 200, type = 'text/event-stream', body, pieces }: RawResponse,
): Promise<void> {
  response.writeHead(status, { 'content-type': type });
  const bytes = Buffer.from(body);
  const size = pieces ?? Math.max(1, bytes.length);
  for (let from = 0; from < bytes.length; from += size) {
    await new Promise<void>((resolve) => {
      response.write(bytes.subarray(from, from + size), () => {
        resolve();
      });
    });
  }
  response.end();
}
