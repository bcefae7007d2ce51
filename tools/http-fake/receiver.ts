import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Listener } from './listener';
import { Requests, bodyOf } from './requests';

/** A request as it came in. */
export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly raw: Buffer;
  /** Its JSON body. */
  readonly body: Record<string, unknown>;
}

export type Respond = (response: ServerResponse, request: ReceivedRequest) => void;

/** A server that receives webhooks or alerts: it records every request and responds with `respond`. */
export class Receiver {
  readonly requests = new Requests<ReceivedRequest>();
  respond: Respond = respondWith(200);
  private readonly listener = new Listener(async (request, response) => {
    const raw = await bodyOf(request);
    const body = JSON.parse(raw.toString('utf8')) as Record<string, unknown>;
    const received = { headers: request.headers, raw, body };
    this.respond(response, received);
    this.requests.add(received);
  });

  static async start<R extends Receiver>(this: new () => R): Promise<R> {
    const receiver = new this();
    await receiver.listener.open();
    return receiver;
  }

  get url(): string {
    return `${this.listener.url}/hook`;
  }

  stop(): Promise<void> {
    return this.listener.close();
  }
}

/** A status without a body; null: the connection breaks. */
export function respondWith(status: number | null): Respond {
  return (response) => {
    if (status === null) response.destroy();
    else response.writeHead(status).end();
  };
}
