import type { Mountable } from '@copilotkit/aimock';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { Requests, bodyOf } from '../http-fake/requests';

/** What is stored of every request. */
interface Recorded {
  readonly authorization: string | undefined;
  /** Resolves when the client has disconnected or the reply is complete. */
  readonly closed: Promise<void>;
}

/**
 * An endpoint of the model server: it records its requests, and a test scripts, delays and releases its
 * replies. `Received` is what it reads of a request, `Reply` what can be scripted for one.
 */
export abstract class ScriptedEndpoint<Received extends object, Reply> implements Mountable {
  private readonly received = new Requests<Received & Recorded>();
  private readonly queue: Reply[] = [];
  private readonly held: (() => void)[] = [];
  private isHolding = false;

  /** Scripts the next replies, in order. */
  next(...replies: readonly Reply[]): void {
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

  /** All requests so far, oldest first. */
  get requests(): readonly (Received & Recorded)[] {
    return this.received.all;
  }

  /** Resolves with the n-th request (from 1) when it has come in. */
  request(n: number): Promise<Received & Recorded> {
    return this.received.nth(n);
  }

  async handleRequest(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const received = await this.read(request.headers, await bodyOf(request));
    if (received === null) {
      sendJson(response, 400, { error: { type: 'invalid_request_error', param: 'file' } });
      return true;
    }
    const { authorization } = request.headers;
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    this.received.add({ ...received, authorization, closed });
    const reply = this.queue.shift();
    if (this.isHolding) await new Promise<void>((resolve) => this.held.push(resolve));
    this.respond(response, received, reply);
    return true;
  }

  /** Null: it is no request of this endpoint; it is refused and not recorded. */
  protected abstract read(
    headers: IncomingHttpHeaders,
    body: Buffer,
  ): Received | null | Promise<Received | null>;

  /** `reply` is the scripted reply, if any. The caller waits until `response.end` is called. */
  protected abstract respond(
    response: ServerResponse,
    received: Received,
    reply: Reply | undefined,
  ): void;
}

/** Replies that both endpoints can be scripted with. */
export type CommonReply =
  | { readonly kind: 'status'; readonly status: number; readonly error: object }
  /** Takes the request and never responds. */
  | { readonly kind: 'silent' }
  /** Status 200 and this. */
  | { readonly kind: 'body'; readonly contentType: string; readonly body: string };

export function sendCommon(response: ServerResponse, reply: CommonReply): void {
  switch (reply.kind) {
    case 'status':
      sendJson(response, reply.status, { error: reply.error });
      return;
    case 'body':
      response.writeHead(200, { 'content-type': reply.contentType }).end(reply.body);
      return;
    case 'silent':
      return;
  }
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
