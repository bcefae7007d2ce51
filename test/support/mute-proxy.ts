import { once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** A TCP proxy in front of PostgreSQL that can stop forwarding without closing anything. */
export interface MuteProxy {
  /** The database's URL, through this proxy. */
  readonly url: string;
  /** From now on nothing gets through, on any connection. */
  mute(): void;
  /** New connections get through again; those from before stay silent. */
  heal(): void;
  close(): Promise<void>;
}

export async function startMuteProxy(databaseUrl: string): Promise<MuteProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let isMute = false;
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => undefined);
    if (isMute) {
      client.resume();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    sockets.add(upstream);
    upstream.on('error', () => undefined);
    client.pipe(upstream).pipe(client);
    client.once('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    mute() {
      isMute = true;
      for (const socket of sockets) socket.unpipe().resume();
    },
    heal() {
      isMute = false;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
