import { once } from 'node:events';
import {
  Agent,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  createServer,
  request,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** The deployment probes every 5 s; a rehearsal has less patience. Two failures take a replica out. */
const PROBE_EVERY_MS = 500;
const FAILURES = 2;

/** What the balancer has to know of a replica. */
export interface Target {
  readonly port: number;
  /** Status of a GET; 0 without a response. */
  probe(place: string): Promise<number>;
}

interface Member {
  readonly replica: Target;
  failures: number;
  isReady: boolean;
  isEnding: boolean;
}

/**
 * One address for all replicas, as a Service of Kubernetes behind an ingress controller: each request
 * goes to the next replica that is ready and not ending, and is never tried twice. What a replica does
 * not respond to becomes 502 and is counted.
 */
export class Balancer {
  /** Requests whose replica broke the connection before it responded. */
  broken = 0;
  /** Requests that found no ready replica. */
  refused = 0;
  private readonly members: Member[] = [];
  private readonly agent = new Agent({ keepAlive: true });
  private readonly stopped = new AbortController();
  private turn = 0;

  private constructor(private readonly server: Server) {}

  static async open(): Promise<Balancer> {
    const server = createServer({ keepAliveTimeout: 60_000 });
    const balancer = new Balancer(server);
    server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
      balancer.pass(incoming, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return balancer;
  }

  get url(): string {
    return `http://localhost:${String((this.server.address() as AddressInfo).port)}`;
  }

  /** Probes a replica from now on; resolves when it is ready. */
  async add(replica: Target): Promise<void> {
    const member = { replica, failures: 0, isReady: false, isEnding: false };
    this.members.push(member);
    void this.watch(member);
    while (!member.isReady) await pause(PROBE_EVERY_MS / 10);
  }

  /** The endpoint is removed: no new request goes there, and those that run are left alone. */
  end(replica: Target): void {
    const member = this.members.find((one) => one.replica === replica);
    if (member !== undefined) member.isEnding = true;
  }

  async close(): Promise<void> {
    this.stopped.abort();
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
    this.agent.destroy();
  }

  private async watch(member: Member): Promise<void> {
    while (!member.isEnding && !this.stopped.signal.aborted) {
      const isUp = (await member.replica.probe('/health/ready')) === 200;
      member.failures = isUp ? 0 : member.failures + 1;
      if (isUp) member.isReady = true;
      if (member.failures >= FAILURES) member.isReady = false;
      await pause(PROBE_EVERY_MS);
    }
  }

  private pass(incoming: IncomingMessage, response: ServerResponse): void {
    const ready = this.members.filter(({ isReady, isEnding }) => isReady && !isEnding);
    this.turn += 1;
    const member = ready[this.turn % ready.length];
    if (member === undefined) {
      this.refused += 1;
      response.writeHead(502).end();
      return;
    }
    const upstream = request({
      host: '127.0.0.1',
      port: member.replica.port,
      method: incoming.method,
      path: incoming.url,
      headers: { ...incoming.headers, 'x-forwarded-for': incoming.socket.remoteAddress ?? '' },
      agent: this.agent,
    });
    upstream.once('response', (from) => {
      response.writeHead(from.statusCode ?? 502, from.headers);
      response.flushHeaders();
      from.pipe(response);
      // A stream that its replica cuts ends for the client, too.
      from.once('error', () => response.destroy());
    });
    upstream.once('error', () => {
      if (response.headersSent || response.destroyed) {
        response.destroy();
        return;
      }
      this.broken += 1;
      response.writeHead(502).end();
    });
    response.once('close', () => upstream.destroy());
    incoming.pipe(upstream);
  }
}
