import { Client, isNotionClientError } from '@notionhq/client';
import type { NotionServer } from '../../../tools/fake-notion';
import { type ReceivedRequest, Receiver, respondWith } from '../../../tools/http-fake/receiver';

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

/** A server that listens to Notion's webhooks. */
export class Subscriber extends Receiver {
  /** The status of the responses from now on; null: the connection breaks. */
  set status(status: number | null) {
    this.respond = respondWith(status);
  }

  get received(): readonly ReceivedRequest[] {
    return this.requests.all;
  }

  /** Resolves with all requests when the n-th has come in. */
  async got(n: number): Promise<readonly ReceivedRequest[]> {
    await this.requests.nth(n);
    return this.received;
  }

  get types(): unknown[] {
    return this.received.map(({ body }) => body.type);
  }
}
