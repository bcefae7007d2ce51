import { Agent, request as send } from 'node:http';
import type { ReceivedResponse } from './api-document';

/** One request, as it goes over the wire. */
export interface FuzzRequest {
  readonly method: string;
  /** Path and query, escaped as they are sent. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

export type Exchange = { readonly request: FuzzRequest } & (
  | { readonly kind: 'responded'; readonly response: ReceivedResponse }
  /** No complete response within the limit. */
  | { readonly kind: 'hang' }
  /** The connection broke before a response. */
  | { readonly kind: 'broken'; readonly code: string }
);

/** How long a stream is read, and how much of it. */
const STREAM_MS = 120;
const STREAM_BYTES = 256 * 1024;

/** Sends requests byte by byte as they are given; fetch would correct some of them. */
export class HttpClient {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(
    private readonly baseUrl: string,
    private readonly hangMs: number,
  ) {}

  close(): void {
    this.agent.destroy();
  }

  /** Reads a whole response; of a stream, what comes at its beginning. */
  exchange(request: FuzzRequest): Promise<Exchange> {
    const { hostname, port } = new URL(this.baseUrl);
    const { method, target, headers, body } = request;
    return new Promise((resolve) => {
      const outgoing = send({ agent: this.agent, hostname, port, method, path: target, headers });
      let hasResponded = false;
      const settle = (exchange: Exchange): void => {
        clearTimeout(limit);
        resolve(exchange);
      };
      const limit = setTimeout(() => {
        settle({ request, kind: 'hang' });
        outgoing.destroy();
      }, this.hangMs);
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The rest of a body that was refused cannot be written any more.
        if (!hasResponded) settle({ request, kind: 'broken', code: error.code ?? error.message });
      });
      outgoing.on('response', (incoming) => {
        hasResponded = true;
        const parts: Buffer[] = [];
        let length = 0;
        const type = incoming.headers['content-type'] ?? '';
        const end = (): void => {
          const { statusCode: status = 0, headers: given } = incoming;
          const response = { status, type, headers: given, body: Buffer.concat(parts) };
          settle({ request, kind: 'responded', response });
        };
        const leave = (): void => {
          end();
          outgoing.destroy();
        };
        if (type.startsWith('text/event-stream')) setTimeout(leave, STREAM_MS);
        incoming.on('data', (part: Buffer) => {
          parts.push(part);
          length += part.length;
          if (length > STREAM_BYTES && type.startsWith('text/event-stream')) leave();
        });
        incoming.on('end', end);
        incoming.on('error', end);
      });
      outgoing.end(body ?? undefined);
    });
  }
}

/** The request as a command; a body that a shell cannot show goes to it from `bodyFile`. */
export function asCurl(baseUrl: string, request: FuzzRequest, bodyFile: string | null): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  const { method, target, headers } = request;
  const given = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`);
  const body = bodyFile === null ? [] : [`--data-binary ${quoted(`@${bodyFile}`)}`];
  const url = quoted(baseUrl + target);
  return ['curl -i --path-as-is --globoff -X', method, ...given, ...body, url].join(' ');
}
