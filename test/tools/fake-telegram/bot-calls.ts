import type { Update } from '@grammyjs/types';
import type { IncomingHttpHeaders } from 'node:http';
import type { TelegramServer } from '../../../tools/fake-telegram';
import { Receiver, type Respond } from '../../../tools/http-fake/receiver';

/** The response to a call. */
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
  readonly respond: (
    status: number | null,
    headers?: Record<string, string>,
    body?: string,
  ) => void;
}

/** A bot's webhook; `onUpdate` responds to each update, with 200 by default. */
export class WebhookReceiver extends Receiver {
  readonly received: ReceivedUpdate[] = [];
  onUpdate: (received: ReceivedUpdate) => void = ({ respond }) => {
    respond(200);
  };

  override respond: Respond = (response, { headers, body }) => {
    const received: ReceivedUpdate = {
      update: body as unknown as Update,
      headers,
      respond: (status, more = {}, text = '') => {
        if (status === null) response.destroy();
        else response.writeHead(status, more).end(text);
      },
    };
    this.received.push(received);
    this.onUpdate(received);
  };

  /** Resolves when the n-th update has come in. */
  async got(n: number): Promise<void> {
    await this.requests.nth(n);
  }

  get texts(): string[] {
    return textsIn(this.received.map(({ update }) => update));
  }
}
