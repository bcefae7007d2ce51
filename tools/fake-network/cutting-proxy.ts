import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

/** A simple query `COMMIT`: type byte, length, text, NUL. */
const COMMIT = Buffer.from('Q\0\0\0\x0bCOMMIT\0', 'latin1');

/**
 * A TCP proxy that can break a connection in the middle of a COMMIT of PostgreSQL, and can stop
 * forwarding without closing anything.
 */
export class CuttingProxy {
  /** COMMITs that were cut so far, since the last `cutNextCommit`. */
  cuts = 0;
  private isMute = false;
  private cut: 'before' | 'after' | null = null;
  private readonly sockets = new Set<Socket>();
  private server: Server | null = null;
  private port = 0;

  private constructor(private readonly target: URL) {}

  static async start(databaseUrl: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(new URL(databaseUrl));
    await proxy.comeUp();
    return proxy;
  }

  /** The database's URL, through this proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${String(this.port)}`;
    return url.href;
  }

  /** Cuts the connection of the next COMMIT, before the server gets it or after the server has done it. */
  cutNextCommit(cut: 'before' | 'after'): void {
    this.cuts = 0;
    this.cut = cut;
  }

  /** Cuts all connections and refuses new ones. */
  async goDown(): Promise<void> {
    const { server } = this;
    this.server = null;
    for (const socket of this.sockets) socket.destroy();
    if (server === null) return;
    server.close();
    await once(server, 'close');
  }

  /** Accepts connections again, at the same port. */
  async comeUp(): Promise<void> {
    const server = createServer((client) => {
      this.join(client);
    });
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** From now on nothing gets through, on any connection. */
  mute(): void {
    this.isMute = true;
    for (const socket of this.sockets) socket.removeAllListeners('data').resume();
  }

  /** New connections get through again; those from before stay silent. */
  heal(): void {
    this.isMute = false;
  }

  close(): Promise<void> {
    return this.goDown();
  }

  private join(client: Socket): void {
    if (this.isMute) {
      this.sockets.add(client.on('error', () => undefined).resume());
      return;
    }
    const upstream = connect(Number(this.target.port), this.target.hostname);
    let isCutting = false;
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.sockets.delete(socket);
        peer.destroy();
      });
    }
    client.on('data', (data) => {
      const cut = data.includes(COMMIT) ? this.cut : null;
      if (cut !== null) {
        this.cut = null;
        this.cuts += 1;
        isCutting = true;
      }
      if (cut === 'before') client.destroy();
      else upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (isCutting) client.destroy();
      else client.write(data);
    });
  }
}
