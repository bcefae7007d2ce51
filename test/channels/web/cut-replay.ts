import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestCandidate } from '../../support/candidate';

/**
 * Stands between clients and the application, for a conversation whose last reply is stored. What the
 * application sends depends only on the id with which a client comes, so it is asked once for each id, and
 * its very bytes are sent again.
 *
 * `/<client>/<n>`: the first connection is cut after n bytes of the frame with text. If the client `isRefused`,
 * its second connection gets an error, after which a browser's EventSource gives up.
 */
export class CutReplay {
  private readonly ways = new Map<string, Set<string>>();
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

  /** The frame with the text, as a client without an id is sent it. */
  async frame(): Promise<string> {
    const whole = await this.recording('', '');
    const rest = whole.subarray(frameIn(whole)).toString();
    return rest.slice(0, rest.indexOf('\n\n') + 2);
  }

  /** In which headers and parameters the client has sent an id. */
  cameBackWith(client: string): string[] {
    return [...(this.ways.get(client) ?? [])];
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
    const ways = this.ways.get(client) ?? new Set();
    this.ways.set(client, ways);
    if (inHeader !== '') ways.add('last-event-id');
    if (inQuery !== '') ways.add('lastEventId');
    const bytes = await this.recording(inHeader, search);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (visits > 0) response.write(bytes);
    else {
      const kept = bytes.subarray(0, frameIn(bytes) + Number(cut));
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

/** Where the first frame with text begins. */
function frameIn(bytes: Buffer): number {
  return bytes.lastIndexOf('\n\n', bytes.indexOf('event: delta\n')) + 2;
}
