import { Client, isNotionClientError } from '@notionhq/client';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NotionServer } from '../../../tools/fake-notion';
import { Changes } from '../../../tools/fake-telegram/world/changes';

/** The unmodified SDK, which retries nothing by itself. */
export function clientOf(notion: NotionServer, notionVersion = '2025-09-03'): Client {
  return new Client({
    auth: notion.token,
    baseUrl: notion.url,
    notionVersion,
    retry: false,
    logger: () => undefined,
  });
}

export interface Refusal {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly reason: unknown;
  readonly retryAfterS: number | null;
}

/** How the SDK tells the refusal of a call; throws when the call went well. */
export async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  try {
    await call;
  } catch (error) {
    if (!isNotionClientError(error) || !('status' in error)) throw error;
    const retryAfter = (error.headers as Headers).get('retry-after');
    return {
      code: error.code,
      status: error.status,
      message: error.message,
      reason: error.additional_data?.rate_limit_reason,
      retryAfterS: retryAfter === null ? null : Number(retryAfter),
    };
  }
  throw new Error('the call was not refused');
}

/** Calls by plain fetch, for what the SDK would not send. */
export function send(
  notion: NotionServer,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${notion.url}/v1/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${notion.token}`,
      'notion-version': '2025-09-03',
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  readonly body: Record<string, unknown>;
}

/** Somebody who listens to webhooks. */
export class Subscriber {
  readonly received: Received[] = [];
  /** What it answers from now on; null: the connection breaks. */
  status: number | null = 200;
  private readonly changes = new Changes();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Subscriber> {
    const server = createServer();
    const subscriber = new Subscriber(server);
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const raw = Buffer.concat(parts);
        const body = JSON.parse(raw.toString('utf8')) as Record<string, unknown>;
        subscriber.received.push({ headers: request.headers, raw, body });
        if (subscriber.status === null) response.destroy();
        else response.writeHead(subscriber.status).end();
        subscriber.changes.tell();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return subscriber;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/hook`;
  }

  /** Resolves with all requests when the n-th has come in. */
  async got(n: number): Promise<readonly Received[]> {
    await this.changes.until(`request ${n}`, () => this.received.length >= n);
    return this.received;
  }

  get types(): unknown[] {
    return this.received.map(({ body }) => body.type);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
