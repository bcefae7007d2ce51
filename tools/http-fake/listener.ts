import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Only this machine, except in a container, where other containers have to reach the fakes. */
const HOST = process.env.FAKES_HOST ?? '127.0.0.1';

/** An HTTP server on 127.0.0.1 that can stop and start again at the same port. */
export class Listener {
  private server: Server | null = null;

  /** `port` 0 takes a free one. */
  constructor(
    private readonly handle: Handle,
    private port = 0,
  ) {}

  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  async open(): Promise<void> {
    const server = createServer((request, response) => {
      void this.handle(request, response).catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else response.writeHead(500).end(String(error));
      });
    });
    server.listen(this.port, HOST);
    await once(server, 'listening');
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** Connections are refused from now on, and those that are open break. */
  async close(): Promise<void> {
    const { server } = this;
    if (server === null) return;
    this.server = null;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
}
