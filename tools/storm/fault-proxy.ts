import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

/**
 * A TCP proxy that breaks what it carries:
 *
 *   delay        every piece is late by `delayMs` each way; the order of bytes never changes
 *   cut          the next piece of a connection is forwarded by half, then the connection is closed
 *   black hole   nothing gets through and nothing is closed; what was sent arrives when it heals
 *   reset        all connections end with RST
 *
 * With several targets it is a load balancer: each connection goes to the next port that accepts it.
 */
export class FaultProxy {
  /** One way. */
  delayMs = 0;
  private cutsLeft = 0;
  private isBlackHole = false;
  private turn = 0;
  private readonly pairs = new Set<Pair>();

  private constructor(
    private readonly server: Server,
    private readonly targets: readonly number[],
  ) {}

  /** `targets`: ports on 127.0.0.1. */
  static async open(...targets: readonly number[]): Promise<FaultProxy> {
    const server = createServer();
    const proxy = new FaultProxy(server, targets);
    server.on('connection', (client: Socket) => {
      void proxy.accept(client);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Open connections. */
  get connections(): number {
    return this.pairs.size;
  }

  /** The same address through this proxy. */
  through(address: string): string {
    const url = new URL(address);
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  /** Cuts the connections of the next pieces in the middle of the piece. */
  cutNext(pieces: number): void {
    this.cutsLeft = pieces;
  }

  blackHole(): void {
    this.isBlackHole = true;
    for (const { client, upstream } of this.pairs) {
      client.pause();
      upstream.pause();
    }
  }

  resetAll(): void {
    for (const { client, upstream } of this.pairs) {
      client.resetAndDestroy();
      upstream.resetAndDestroy();
    }
  }

  /** Ends every fault. What waits in a black hole arrives now. */
  heal(): void {
    this.delayMs = 0;
    this.cutsLeft = 0;
    this.isBlackHole = false;
    for (const { client, upstream } of this.pairs) {
      client.resume();
      upstream.resume();
    }
  }

  async close(): Promise<void> {
    for (const { client, upstream } of this.pairs) {
      client.destroy();
      upstream.destroy();
    }
    this.server.close();
    await once(this.server, 'close');
  }

  private async accept(client: Socket): Promise<void> {
    client.on('error', () => undefined);
    client.pause();
    const upstream = await this.connectToNext();
    if (upstream === null || client.destroyed) {
      client.destroy();
      upstream?.destroy();
      return;
    }
    const pair = { client, upstream };
    this.pairs.add(pair);
    client.once('close', () => {
      this.pairs.delete(pair);
      upstream.destroy();
    });
    upstream.once('close', () => client.destroy());
    this.carry(client, upstream);
    this.carry(upstream, client);
    if (this.isBlackHole) return;
    client.resume();
    upstream.resume();
  }

  private async connectToNext(): Promise<Socket | null> {
    const first = this.turn;
    this.turn += 1;
    for (let tried = 0; tried < this.targets.length; tried += 1) {
      const port = this.targets[(first + tried) % this.targets.length] ?? 0;
      const socket = connect(port, '127.0.0.1');
      socket.pause();
      const isOpen = await new Promise<boolean>((resolve) => {
        socket.once('connect', () => {
          resolve(true);
        });
        socket.on('error', () => {
          resolve(false);
        });
      });
      if (isOpen) return socket;
    }
    return null;
  }

  /** One direction of a connection. A piece that is due before an earlier one waits for it. */
  private carry(from: Socket, to: Socket): void {
    let waiting = 0;
    let ahead = Promise.resolve();
    const later = (work: () => void): void => {
      const ms = this.delayMs;
      if (ms === 0 && waiting === 0) {
        work();
        return;
      }
      waiting += 1;
      const arrived = new Promise<void>((resolve) => setTimeout(resolve, ms));
      ahead = ahead
        .then(() => arrived)
        .then(() => {
          waiting -= 1;
          work();
        });
    };
    from.setNoDelay(true);
    from.on('data', (piece: Buffer) => {
      if (this.cutsLeft > 0 && piece.length > 1) {
        this.cutsLeft -= 1;
        const half = piece.subarray(0, piece.length >> 1);
        from.pause();
        to.write(half, () => {
          to.destroy();
          from.destroy();
        });
        return;
      }
      later(() => {
        if (!to.destroyed) to.write(piece);
      });
    });
    from.once('end', () => {
      later(() => to.end());
    });
  }
}

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
}
