import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendBroken } from '../../http-fake/reply';
import type { CallHandler, Reply } from '../call-handler';
import { queryParams, routeOf } from './routes';

/** Larger bodies are refused by Notion too. */
const LARGEST_BODY = 500 * 1024;

/** Notion's REST addresses, /v1/…. */
export class RestApi {
  private requests = 0;

  constructor(private readonly handler: CallHandler) {}

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const gone = new AbortController();
    response.once('close', () => {
      if (!response.writableEnded) gone.abort();
    });
    const method = request.method ?? 'GET';
    const route = routeOf(method, pathname);
    const body = await bodyOf(request);
    this.requests += 1;
    const reply = await this.handler.handle({
      operation: route?.operation ?? null,
      address: `${method} ${pathname}`,
      params: { ...queryParams(searchParams), ...body, ...route?.params },
      isReadable: body !== null,
      authorization: request.headers.authorization,
      version: request.headers['notion-version'] as string | undefined,
      gone: gone.signal,
    });
    sendReply(response, reply, `request-${String(this.requests)}`);
  }
}

/** Null: not a JSON object. */
async function bodyOf(request: IncomingMessage): Promise<Record<string, unknown> | null> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size <= LARGEST_BODY) parts.push(part as Buffer);
  }
  if (size === 0) return {};
  try {
    const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    return isObject ? (body as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

function sendReply(response: ServerResponse, reply: Reply, requestId: string): void {
  if (sendBroken(response, reply)) return;
  const { status, body, retryAfterS } = reply;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'x-notion-request-id': requestId,
    ...(retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }),
  });
  response.end(JSON.stringify({ ...body, request_id: requestId }));
}
