import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../src/common/clock';
import { Listener } from '../http-fake/listener';
import { Requests, bodyOf } from '../http-fake/requests';

export interface NotionRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** The response to one request, in place of the default response. */
export type NotionReply =
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly code: string;
      readonly message?: string;
      readonly data?: Record<string, string>;
      readonly headers?: Record<string, string>;
    }
  | {
      readonly kind: 'body';
      readonly status: number;
      readonly body: string;
      readonly headers?: Record<string, string>;
    }
  /** The request gets no response, or half of one. */
  | { readonly kind: 'silent' | 'half' }
  | { readonly kind: 'cut' };

/**
 * The rules of Notion's API for a client: versions, tokens, errors, a rolling limit, Retry-After. It
 * stores no pages: it returns any page or data source that is requested.
 */
export class NotionStub {
  private readonly received = new Requests<NotionRequest>();
  private readonly listener = new Listener((request, response) => this.handle(request, response));
  /** The limit of calls in any rolling second; more calls get 429. */
  perSecond = Infinity;
  /** The results of every query. */
  results: object[] = [];
  nextCursor: string | null = null;
  private readonly arrivals: number[] = [];
  private readonly queue: NotionReply[] = [];

  private constructor(private readonly clock: Clock) {}

  static async start(clock: Clock): Promise<NotionStub> {
    const stub = new NotionStub(clock);
    await stub.listener.open();
    return stub;
  }

  /** The value for NOTION_API_URL. */
  get url(): string {
    return this.listener.url;
  }

  /** All requests so far, oldest first. */
  get requests(): readonly NotionRequest[] {
    return this.received.all;
  }

  /** Scripts the next replies, in order. */
  next(...replies: readonly NotionReply[]): void {
    this.queue.push(...replies);
  }

  /** Resolves with the n-th request (from 1) when it has come in. */
  request(n: number): Promise<NotionRequest> {
    return this.received.nth(n);
  }

  reset(): void {
    this.received.all.length = 0;
    this.queue.length = 0;
    this.arrivals.length = 0;
    this.perSecond = Infinity;
    this.results = [];
    this.nextCursor = null;
  }

  close(): Promise<void> {
    return this.listener.close();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', this.url);
    const text = String(await bodyOf(request));
    this.received.add({
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: text === '' ? null : (JSON.parse(text) as unknown),
    });
    send(response, this.queue.shift() ?? this.overLimit() ?? this.responseTo(url.pathname));
  }

  private overLimit(): NotionReply | null {
    const nowMs = this.clock.monotonicMs();
    const recent = this.arrivals.filter((at) => nowMs - at < 1000);
    this.arrivals.push(nowMs);
    if (recent.length < this.perSecond) return null;
    const data = { rate_limit_reason: 'connection_rate_limit' };
    const headers = { 'retry-after': '1' };
    return { kind: 'error', status: 429, code: 'rate_limited', data, headers };
  }

  private responseTo(path: string): NotionReply {
    const [, , collection = '', id = 'new'] = path.split('/');
    const ok = (body: object): NotionReply => ({
      kind: 'body',
      status: 200,
      body: JSON.stringify(body),
    });
    if (path.endsWith('/query')) {
      const { results, nextCursor } = this;
      return ok({
        object: 'list',
        results,
        has_more: nextCursor !== null,
        next_cursor: nextCursor,
      });
    }
    if (collection === 'pages') return ok(pageOf(id));
    if (collection === 'data_sources') {
      return ok({ object: 'data_source', id, title: [], properties: {} });
    }
    return ok({ object: 'user', type: 'bot', id: 'bot-1', name: 'Colloquy', bot: {} });
  }
}

/** A page that may be read, in Notion's format. */
export function pageOf(id: string): object {
  return { object: 'page', id, url: `https://notion.so/${id}`, properties: {} };
}

function send(response: ServerResponse, reply: NotionReply): void {
  switch (reply.kind) {
    case 'silent':
      return;
    case 'cut':
      response.destroy();
      return;
    case 'half':
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"object":');
      return;
    case 'body':
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers });
      response.end(reply.body);
      return;
    case 'error': {
      const { status, code, message = 'as the test wants it', data, headers } = reply;
      const error = { object: 'error', status, code, message, additional_data: data };
      response.writeHead(status, {
        'content-type': 'application/json',
        'x-notion-request-id': 'request-1',
        ...headers,
      });
      response.end(JSON.stringify(error));
    }
  }
}
