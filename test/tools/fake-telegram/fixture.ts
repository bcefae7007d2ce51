import type { Update } from '@grammyjs/types';
import { once } from 'node:events';
import { type IncomingHttpHeaders, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TelegramServer } from '../../../tools/fake-telegram';
import { Changes } from '../../../tools/fake-telegram/world/changes';

/** What the server answered to a call. */
export interface Called {
  readonly status: number;
  readonly ok: boolean;
  readonly result: unknown;
  readonly description: string;
  readonly retryAfterS: number | null;
}

/** Calls a method by plain fetch, parameters as JSON. */
export async function call(
  telegram: TelegramServer,
  method: string,
  params: object = {},
  signal?: AbortSignal,
): Promise<Called> {
  const response = await fetch(`${telegram.apiRoot}/bot${telegram.token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(params),
    ...(signal === undefined ? {} : { signal }),
  });
  return read(response);
}

export async function read(response: Response): Promise<Called> {
  const body = (await response.json()) as {
    ok: boolean;
    result?: unknown;
    description?: string;
    parameters?: { retry_after?: number };
  };
  return {
    status: response.status,
    ok: body.ok,
    result: body.result,
    description: body.description ?? '',
    retryAfterS: body.parameters?.retry_after ?? null,
  };
}

/** getUpdates without waiting. */
export async function updates(telegram: TelegramServer, params: object = {}): Promise<Update[]> {
  return (await call(telegram, 'getUpdates', params)).result as Update[];
}

/** Texts of the messages in updates. */
export function textsIn(found: readonly Update[]): string[] {
  return found.map(({ message, edited_message }) => (message ?? edited_message)?.text ?? '?');
}

export interface ReceivedUpdate {
  readonly update: Update;
  readonly headers: IncomingHttpHeaders;
  /** Null: the connection breaks. */
  readonly answer: (status: number | null, headers?: Record<string, string>, body?: string) => void;
}

/** A bot's webhook. `onUpdate` answers; without it 200. */
export class WebhookReceiver {
  readonly received: ReceivedUpdate[] = [];
  onUpdate: (received: ReceivedUpdate) => void = ({ answer }) => {
    answer(200);
  };

  private readonly changes = new Changes();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebhookReceiver> {
    const server = createServer();
    const receiver = new WebhookReceiver(server);
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const update = JSON.parse(Buffer.concat(parts).toString()) as Update;
        const received: ReceivedUpdate = {
          update,
          headers: request.headers,
          answer: (status, headers = {}, body = '') => {
            if (status === null) response.destroy();
            else response.writeHead(status, headers).end(body);
          },
        };
        receiver.received.push(received);
        receiver.onUpdate(received);
        receiver.changes.tell();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/hook`;
  }

  /** Resolves when the n-th update has come in. */
  got(n: number): Promise<void> {
    return this.changes.until(`update ${n}`, () => this.received.length >= n);
  }

  get texts(): string[] {
    return textsIn(this.received.map(({ update }) => update));
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
