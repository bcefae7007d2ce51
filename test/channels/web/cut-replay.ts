import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestCandidate } from '../../support/candidate';

/**
 * Stands between clients and the application, for a conversation whose last reply is stored. What the
 * application sends depends only on the id with which a client comes, so it is asked once for each id, and
 * its very bytes are sent again.
 *
 * `/<client>/<n>`: the first connection is cut after n bytes of the reply's frames. If the client `isRefused`,
 * its second connection gets an error, after which a browser's EventSource gives up.
 */
export class CutReplay {
  /** Of each client and each way in which it comes back, one id. */
  readonly ids = new Map<string, string>();
  private readonly visits = new Map<string, number>();
  private readonly recordings = new Map<string, Promise<Buffer>>();

  private constructor(
    private readonly server: Server,
    private readonly candidate: TestCandidate,
    private readonly isRefused: (client: string) => boolean,
  ) {}

  static async start(
    candidate: TestCandidate,
    isRefused: (client: string) => boolean,
  ): Promise<CutReplay> {
    const server = createServer((request, response) => void replay.respond(request, response));
    const replay = new CutReplay(server, candidate, isRefused);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return replay;
  }

  urlOf(client: string): string {
    const { port } = this.server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/${encodeURIComponent(client)}`;
  }

  /** What a client without an id is sent, from the reply's first frame on. */
  async reply(): Promise<string> {
    const whole = await this.recording('', '');
    return whole.subarray(replyIn(whole)).toString();
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    const [client = '', cut = ''] = pathname.slice(1).split('/').map(decodeURIComponent);
    const visits = this.visits.get(pathname) ?? 0;
    this.visits.set(pathname, visits + 1);
    if (visits === 1 && this.isRefused(client)) {
      response.writeHead(503).end();
      return;
    }
    const inHeader = String(request.headers['last-event-id'] ?? '');
    const inQuery = searchParams.get('lastEventId') ?? '';
    if (inHeader !== '') this.ids.set(`${client}: header`, inHeader);
    if (inQuery !== '') this.ids.set(`${client}: query`, inQuery);
    const bytes = await this.recording(inHeader, search);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (visits > 0) response.write(bytes);
    else {
      const kept = bytes.subarray(0, replyIn(bytes) + Number(cut));
      response.write(kept, () => setImmediate(() => response.destroy()));
    }
  }

  private recording(inHeader: string, search: string): Promise<Buffer> {
    const key = `${inHeader} ${search}`;
    const known = this.recordings.get(key) ?? this.record(inHeader, search);
    this.recordings.set(key, known);
    return known;
  }

  /** What the application sends up to the end of the reply. */
  private async record(inHeader: string, search: string): Promise<Buffer> {
    const { app, headers } = this.candidate;
    // An id that says nothing: the last reply, from its start.
    const id = inHeader === '' && search === '' ? '0' : inHeader;
    const stop = new AbortController();
    const response = await fetch(`${app.url}/api/v1/conversation/events${search}`, {
      headers: { authorization: headers.authorization ?? '', 'last-event-id': id },
      signal: stop.signal,
    });
    // Clients come back at once.
    let bytes = Buffer.from('retry: 1\n');
    for await (const piece of response.body ?? []) {
      bytes = Buffer.concat([bytes, piece as Uint8Array]);
      if (/^event: finish\n.*\n\n/ms.test(bytes.toString())) break;
    }
    stop.abort();
    return bytes;
  }
}

function replyIn(bytes: Buffer): number {
  const found = bytes.indexOf('event: start\n');
  // The id of a frame may stand before its event.
  return found < 0 ? bytes.length : bytes.lastIndexOf('\n\n', found) + 2;
}
