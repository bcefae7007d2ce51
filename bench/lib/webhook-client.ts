import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { SECRET, WEBHOOK } from './telegram';

const STATUS = /^HTTP\/1\.1 (\d{3}) /;
const LENGTH = /\r\ncontent-length: (\d+)/i;
const HEAD_END = '\r\n\r\n';

/**
 * One of Telegram's connections to a bot: the next update waits for the response to the one before.
 * It parses only the status of a response, because it must cost less than the server that is measured.
 */
export class WebhookConnection {
  private received = '';
  private responded: ((status: number) => void) | null = null;
  private failed: ((error: Error) => void) | null = null;

  private constructor(
    private readonly socket: Socket,
    private readonly host: string,
  ) {
    socket.setNoDelay();
    socket.on('data', (bytes) => {
      this.received += bytes.toString('latin1');
      this.read();
    });
    socket.on('error', (error) => this.failed?.(error));
    socket.on('close', () => this.failed?.(new Error('the server closed the connection')));
  }

  static async open(url: URL): Promise<WebhookConnection> {
    const socket = connect(Number(url.port), url.hostname);
    await once(socket, 'connect');
    return new WebhookConnection(socket, url.host);
  }

  /** Returns the status of the response. Throws when there is none. */
  post(update: string): Promise<number> {
    const { promise, resolve, reject } = deferred();
    this.responded = resolve;
    this.failed = reject;
    this.socket.write(
      `POST ${WEBHOOK} HTTP/1.1\r\nhost: ${this.host}\r\ncontent-type: application/json\r\n` +
        `x-telegram-bot-api-secret-token: ${SECRET}\r\n` +
        `content-length: ${Buffer.byteLength(update)}${HEAD_END}${update}`,
    );
    return promise;
  }

  close(): void {
    this.failed = null;
    this.socket.destroy();
  }

  private read(): void {
    const headEnd = this.received.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const length = Number(LENGTH.exec(this.received)?.[1] ?? 0);
    if (this.received.length < headEnd + HEAD_END.length + length) return;
    const status = Number(STATUS.exec(this.received)?.[1]);
    this.received = '';
    this.responded?.(status);
  }
}

function deferred(): {
  promise: Promise<number>;
  resolve: (status: number) => void;
  reject: (error: Error) => void;
} {
  let resolve: (status: number) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<number>((succeed, fail) => {
    resolve = succeed;
    reject = fail;
  });
  return { promise, resolve, reject };
}

/** The results of the updates that were pushed. */
export interface Pushed {
  readonly accepted: number;
  readonly refused: number;
  readonly seconds: number;
  /** How long each accepted one took, in ms. */
  readonly latencies: readonly number[];
}

/** Pushes for `ms` on all connections, as fast as the server responds. */
export async function pushFor(
  ms: number,
  connections: readonly WebhookConnection[],
  next: (connection: number) => string,
): Promise<Pushed> {
  const startedMs = performance.now();
  const latencies: number[] = [];
  let refused = 0;
  const push = async (connection: WebhookConnection, n: number): Promise<void> => {
    while (performance.now() - startedMs < ms) {
      const sentMs = performance.now();
      if ((await connection.post(next(n))) === 200) latencies.push(performance.now() - sentMs);
      else refused += 1;
    }
  };
  await Promise.all(connections.map(push));
  const seconds = (performance.now() - startedMs) / 1000;
  return { accepted: latencies.length, refused, seconds, latencies };
}

export function openConnections(url: string, count: number): Promise<WebhookConnection[]> {
  const target = new URL(url);
  return Promise.all(Array.from({ length: count }, () => WebhookConnection.open(target)));
}

/** Uses the connections as Telegram does: an update is sent on any free one. */
export class Pushing {
  readonly latencies: number[] = [];
  refused = 0;
  private readonly free: WebhookConnection[];
  private readonly waiting: ((connection: WebhookConnection) => void)[] = [];

  constructor(connections: readonly WebhookConnection[]) {
    this.free = [...connections];
  }

  async push(update: string): Promise<void> {
    const dueMs = performance.now();
    const connection = this.free.pop() ?? (await this.nextFree());
    const status = await connection.post(update);
    this.latencies.push(performance.now() - dueMs);
    if (status !== 200) this.refused += 1;
    const next = this.waiting.shift();
    if (next === undefined) this.free.push(connection);
    else next(connection);
  }

  private nextFree(): Promise<WebhookConnection> {
    return new Promise((take) => this.waiting.push(take));
  }
}
