import type { IncomingMessage } from 'node:http';
import { Listener } from '../http-fake/listener';
import { bodyOf } from '../http-fake/requests';

/** A load balancer for webhook calls: each call goes to the next replica. */
export class WebhookFront {
  private targets: readonly string[] = [];
  private turn = 0;
  private readonly listener = new Listener(async (request, response) => {
    const body = Buffer.from(await bodyOf(request));
    try {
      const replied = await this.forward(request.url ?? '/', headersOf(request), body);
      const retryAfter = replied.headers.get('retry-after');
      const headers = retryAfter === null ? {} : { 'retry-after': retryAfter };
      response.writeHead(replied.status, headers).end(await replied.text());
    } catch {
      response.destroy();
    }
  });

  static async open(): Promise<WebhookFront> {
    const front = new WebhookFront();
    await front.listener.open();
    return front;
  }

  get url(): string {
    return this.listener.url;
  }

  leadTo(...targets: readonly string[]): void {
    this.targets = targets;
  }

  close(): Promise<void> {
    return this.listener.close();
  }

  private forward(
    path: string,
    headers: Record<string, string>,
    body: Buffer<ArrayBuffer>,
  ): Promise<Response> {
    const target = this.targets[this.turn % this.targets.length];
    this.turn += 1;
    if (target === undefined) return Promise.reject(new Error('there is no replica'));
    return fetch(`${target}${path}`, { method: 'POST', headers, body });
  }
}

const HOP = new Set(['connection', 'content-length', 'host']);

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const passed = Object.entries(headers).filter(([name]) => !HOP.has(name));
  return Object.fromEntries(passed.map(([name, value]) => [name, String(value)]));
}
