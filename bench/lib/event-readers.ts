import { connect, type Socket } from 'node:net';
import { lateMs } from './moments';

const AT_A_TIME = 25;

/**
 * Readers of event streams that only measure how late deltas are. They are plain sockets, because they
 * must cost less than the server that is measured.
 */
export class EventReaders {
  /** How late each delta since `forget` was, in ms. */
  late: number[] = [];
  /** How late each reader got its first delta since `forget`, in ms. */
  first: number[] = [];
  /** Readers that have got a delta since `forget`. */
  readonly reached = new Set<Socket>();
  private readonly sockets: Socket[] = [];

  constructor(private readonly url: URL) {}

  forget(): void {
    this.late = [];
    this.first = [];
    this.reached.clear();
  }

  /** Opens a stream for each token (or without one); resolves when all have got their first frame. */
  async open(path: string, tokens: readonly (string | null)[]): Promise<void> {
    for (let from = 0; from < tokens.length; from += AT_A_TIME) {
      const some = tokens.slice(from, from + AT_A_TIME);
      await Promise.all(some.map((token) => this.openOne(path, token)));
    }
  }

  /** Opens streams by POST requests with a body, as chat clients do. */
  async post(path: string, bodies: readonly object[]): Promise<void> {
    const requests = bodies.map((body) => {
      const json = JSON.stringify(body);
      const lines = [
        `POST ${path} HTTP/1.1`,
        `host: ${this.url.host}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(json)}`,
      ];
      return `${lines.join('\r\n')}\r\n\r\n${json}`;
    });
    await Promise.all(requests.map((request) => this.openWith(request)));
  }

  close(): void {
    for (const socket of this.sockets.splice(0)) socket.destroy();
  }

  private openOne(path: string, token: string | null): Promise<void> {
    const authorization = token === null ? '' : `authorization: Bearer ${token}\r\n`;
    return this.openWith(`GET ${path} HTTP/1.1\r\nhost: ${this.url.host}\r\n${authorization}\r\n`);
  }

  private openWith(request: string): Promise<void> {
    const { hostname, port } = this.url;
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(request);
      });
      this.sockets.push(socket);
      socket.once('error', reject);
      socket.once('data', (bytes) => {
        if (bytes.toString().startsWith('HTTP/1.1 200')) resolve();
        else reject(new Error(bytes.toString()));
        socket.on('data', (chunk) => {
          const late = lateMs(chunk);
          const [first] = late;
          if (first === undefined) return;
          if (!this.reached.has(socket)) this.first.push(first);
          this.late.push(...late);
          this.reached.add(socket);
        });
      });
    });
  }
}
