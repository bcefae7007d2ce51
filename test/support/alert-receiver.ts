import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A real HTTP server that takes alerts; `answer` decides the status, or null: no answer. */
export class AlertReceiver {
  readonly bodies: Record<string, unknown>[] = [];
  answer: number | null = 200;
  private onBody: () => void = () => undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<AlertReceiver> {
    const server = createServer();
    const receiver = new AlertReceiver(server);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
        receiver.bodies.push(body);
        receiver.onBody();
        if (receiver.answer !== null) response.writeHead(receiver.answer).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return receiver;
  }

  get url(): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${String(port)}/alerts?secret=hidden`;
  }

  /** Resolves with the next alert's arrival. */
  nextBody(): Promise<void> {
    return new Promise((resolve) => {
      this.onBody = resolve;
    });
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
