import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

const LOOK_AGAIN_MS = 25;

/**
 * One address for all replicas, like a load balancer: a connection goes to the first port that
 * accepts it, and waits while no port does.
 */
export class LoadBalancer {
  private ports: readonly number[] = [];
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async open(): Promise<LoadBalancer> {
    const server = createServer();
    const balancer = new LoadBalancer(server);
    server.on('connection', (client: Socket) => {
      void balancer.lead(client);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return balancer;
  }

  /** With the host name localhost, because a server prints its links with a host name. */
  get url(): string {
    return `http://localhost:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** Sends new connections to these ports; open connections stay where they are. */
  leadTo(...ports: readonly number[]): void {
    this.ports = ports;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private async lead(client: Socket): Promise<void> {
    this.watch(client);
    while (!client.destroyed) {
      const upstream = await this.accepting();
      if (upstream !== null) {
        this.watch(upstream);
        client.once('close', () => upstream.destroy());
        upstream.once('close', () => client.destroy());
        client.pipe(upstream).pipe(client);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
  }

  private async accepting(): Promise<Socket | null> {
    for (const port of this.ports) {
      const socket = connect(port, '127.0.0.1');
      const isOpen = await new Promise<boolean>((resolve) => {
        socket.once('connect', () => {
          resolve(true);
        });
        socket.once('error', () => {
          resolve(false);
        });
      });
      if (isOpen) return socket;
    }
    return null;
  }

  private watch(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
  }
}

/** A port that was free a moment ago. */
export async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
