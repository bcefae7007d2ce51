import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** A TCP proxy in front of PostgreSQL that adds a delay. */
export interface DistantDatabase {
  /** The database's URL, through this proxy. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Every byte takes half of `roundTripMs` each way, and up to `jitterMs` more, at random for each
 * piece. The order of bytes never changes.
 */
export async function openDistantDatabase(
  databaseUrl: string,
  { roundTripMs, jitterMs }: { readonly roundTripMs: number; readonly jitterMs: number },
): Promise<DistantDatabase> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const delayMs = (): number => roundTripMs / 2 + Math.random() * jitterMs;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [socket, peer] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        peer.destroy();
      });
      carry(socket, peer, delayMs);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    url: url.href,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** One direction of a connection. A piece that is due before an earlier one waits for it. */
function carry(from: Socket, to: Socket, delayMs: () => number): void {
  let ahead = Promise.resolve();
  from.on('data', (piece) => {
    const arrived = new Promise<void>((resolve) => {
      const ms = delayMs();
      if (ms <= 0) resolve();
      else setTimeout(resolve, ms);
    });
    ahead = ahead.then(() => arrived).then(() => void to.write(piece));
  });
  from.once('end', () => {
    ahead = ahead.then(() => void to.end());
  });
}
