import type { Mountable } from '@copilotkit/aimock';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** What one request is answered with. */
export type TranscriptionReply =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'status'; readonly status: number; readonly error: object }
  /** Takes the request and never says a word. */
  | { readonly kind: 'silent' }
  /** Status 200 and this. */
  | { readonly kind: 'body'; readonly contentType: string; readonly body: string };

/** One request as the server got it. */
export interface TranscriptionRequest {
  readonly authorization: string | undefined;
  readonly model: string;
  readonly fileName: string;
  readonly fileType: string;
  readonly audio: Buffer;
  /** Resolves when the client has gone, or the reply is through. */
  readonly closed: Promise<void>;
}

/** What the protocol takes, and for how much. */
const ENDINGS = /\.(flac|m4a|mp3|mp4|mpeg|mpga|oga|ogg|wav|webm)$/;
/** Telegram's own ending: the protocol's page lists it, the servers refuse it. */
const REFUSED = /\.oga$/;
const MAX_BYTES = 25 * 1024 * 1024;
/** What a corrupt audio of a test begins with. */
export const CORRUPT = 'corrupt';

/**
 * The audio transcriptions endpoint of the model server, as strict as the real ones: one file with
 * an ending that it takes, not too large, a model. Any audio says `text`, until replies are scripted.
 */
export class TranscriptionEndpoint implements Mountable {
  readonly requests: TranscriptionRequest[] = [];
  text = 'I know bread.';
  private readonly queue: TranscriptionReply[] = [];
  private waiters: (() => void)[] = [];
  private readonly held: (() => void)[] = [];
  private isHolding = false;

  /** Scripts the next replies, in order. */
  next(...replies: readonly TranscriptionReply[]): void {
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
  async request(n: number): Promise<TranscriptionRequest> {
    for (;;) {
      const found = this.requests[n - 1];
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.waiters.push(resolve));
    }
  }

  async handleRequest(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const form = await formOf(request.headers['content-type'] ?? '', Buffer.concat(parts));
    const file = form.get('file');
    const model = form.get('model');
    if (!(file instanceof File) || typeof model !== 'string') {
      send(response, 400, { error: { type: 'invalid_request_error', param: 'file' } });
      return true;
    }
    const audio = Buffer.from(await file.arrayBuffer());
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    const { authorization } = request.headers;
    const received = { authorization, model, fileName: file.name, fileType: file.type, audio };
    this.requests.push({ ...received, closed });
    for (const wake of this.waiters.splice(0)) wake();
    const reply = this.queue.shift() ?? ({ kind: 'text', text: this.text } as const);
    if (this.isHolding) await new Promise<void>((resolve) => this.held.push(resolve));
    this.answer(response, reply, received);
    return true;
  }

  private answer(
    response: ServerResponse,
    reply: TranscriptionReply,
    { fileName, audio }: { readonly fileName: string; readonly audio: Buffer },
  ): void {
    const isTaken = ENDINGS.test(fileName) && !REFUSED.test(fileName);
    if (!isTaken || audio.subarray(0, CORRUPT.length).toString() === CORRUPT) {
      send(response, 400, { error: { type: 'invalid_request_error', param: 'file' } });
    } else if (audio.length > MAX_BYTES) {
      send(response, 413, { error: { type: 'server_error' } });
    } else if (reply.kind === 'status') {
      send(response, reply.status, { error: reply.error });
    } else if (reply.kind === 'body') {
      response.writeHead(200, { 'content-type': reply.contentType }).end(reply.body);
    } else if (reply.kind === 'text') {
      const usage = { type: 'tokens', input_tokens: 14, output_tokens: 5, total_tokens: 19 };
      send(response, 200, { text: reply.text, usage });
    }
  }
}

function formOf(contentType: string, body: Buffer): Promise<FormData> {
  const received = new Response(new Uint8Array(body), { headers: { 'content-type': contentType } });
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- a test's own few bytes
  return received.formData();
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
