import { once } from 'node:events';
import { type IncomingMessage, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a load balancer does with webhook calls: each goes to the next of the replicas. */
export class WebhookFront {
  private targets: readonly string[] = [];
  private turn = 0;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<WebhookFront> {
    const server = createServer();
    const front = new WebhookFront(server);
    server.on('request', (request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const headers = headersOf(request);
        front
          .forward(request.url ?? '/', headers, Buffer.concat(parts))
          .then(async (answer) => {
            const retryAfter = answer.headers.get('retry-after');
            const told = retryAfter === null ? {} : { 'retry-after': retryAfter };
            response.writeHead(answer.status, told).end(await answer.text());
          })
          .catch(() => response.destroy());
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  leadTo(...targets: readonly string[]): void {
    this.targets = targets;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
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
