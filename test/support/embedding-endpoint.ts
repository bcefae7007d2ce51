import type { Mountable } from '@copilotkit/aimock';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** What one request is answered with instead of vectors. */
export type EmbeddingReply =
  | { readonly kind: 'status'; readonly status: number; readonly error: object }
  /** Takes the request and never says a word. */
  | { readonly kind: 'silent' }
  /** Status 200 and this. */
  | { readonly kind: 'body'; readonly contentType: string; readonly body: string };

export interface EmbeddingRequest {
  readonly authorization: string | undefined;
  readonly body: {
    readonly model: string;
    readonly input: readonly string[];
    readonly encoding_format?: string;
  };
  /** Resolves when the client has gone, or the reply is through. */
  readonly closed: Promise<void>;
}

/** Three meanings; of equal length for all texts, and never zero. */
const MEANINGS = [/holiday|vacation|отпуск/giu, /home|remote|дом/giu, /money|pay|деньги/giu];

/** A vector that only knows three meanings. */
export function meaningOf(text: string): number[] {
  return [...MEANINGS.map((pattern) => text.match(pattern)?.length ?? 0), 0.1];
}

/** The embeddings endpoint of the model server: any text gets `vectorOf` it. */
export class EmbeddingEndpoint implements Mountable {
  readonly requests: EmbeddingRequest[] = [];
  vectorOf: (text: string) => number[] = meaningOf;
  private readonly queue: EmbeddingReply[] = [];
  private waiters: (() => void)[] = [];
  private readonly held: (() => void)[] = [];
  private isHolding = false;

  /** Scripts the next replies, in order. */
  next(...replies: readonly EmbeddingReply[]): void {
    this.queue.push(...replies);
  }

  /** Replies wait from now on until `release`. */
  hold(): void {
    this.isHolding = true;
  }

  release(): void {
    this.isHolding = false;
    for (const go of this.held.splice(0)) go();
  }

  /** Resolves with the n-th request (from 1) when it has come in. */
  async request(n: number): Promise<EmbeddingRequest> {
    for (;;) {
      const found = this.requests[n - 1];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.waiters.push(resolve));
    }
  }

  async handleRequest(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = JSON.parse(Buffer.concat(parts).toString()) as EmbeddingRequest['body'];
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    this.requests.push({ authorization: request.headers.authorization, body, closed });
    for (const wake of this.waiters.splice(0)) wake();
    const reply = this.queue.shift();
    if (this.isHolding) await new Promise<void>((resolve) => this.held.push(resolve));
    if (reply === undefined) send(response, 200, 'application/json', this.answerTo(body));
    else if (reply.kind === 'body') send(response, 200, reply.contentType, reply.body);
    else if (reply.kind === 'status') {
      send(response, reply.status, 'application/json', JSON.stringify({ error: reply.error }));
    }
    return true;
  }

  /** Last first: a client goes by the index. */
  private answerTo({ model, input }: EmbeddingRequest['body']): string {
    const data = input.map((text, index) => ({
      object: 'embedding',
      index,
      embedding: this.vectorOf(text),
    }));
    const usage = { prompt_tokens: 7 * input.length, total_tokens: 7 * input.length };
    return JSON.stringify({ object: 'list', model, data: data.reverse(), usage });
  }
}

function send(response: ServerResponse, status: number, type: string, body: string): void {
  response.writeHead(status, { 'content-type': type }).end(body);
}
