import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Listener } from '../http-fake/listener';

const SAFE = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
};
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};
const LARGEST_BODY = 20 * 1024 * 1024;

/**
 * A page of a demo on 127.0.0.1: its files, its view as server-sent events whenever that has changed
 * (`GET /events`), and what a person does on it (`POST /do`).
 */
export abstract class PageServer {
  private readonly listener: Listener;

  /** `files` by their addresses; `lookEveryMs`: how often the view is compared with the last one. */
  protected constructor(
    private readonly files: Readonly<Record<string, string>>,
    { port = 0, lookEveryMs = 200 }: { port?: number; lookEveryMs?: number } = {},
  ) {
    this.lookEveryMs = lookEveryMs;
    this.listener = new Listener((request, response) => this.handle(request, response), port);
  }

  private readonly lookEveryMs: number;

  get url(): string {
    return this.listener.url;
  }

  open(): Promise<void> {
    return this.listener.open();
  }

  close(): Promise<void> {
    return this.listener.close();
  }

  /** What the page shows. An error ends the request with its message. */
  protected abstract view(query: URLSearchParams): object;

  /** Carries out what a person does. An error becomes 409 with its message. */
  protected abstract act(query: URLSearchParams, body: Buffer): void;

  /** A body that is no JSON is refused, because another origin can send it without asking first. */
  protected takesPlainBody(_query: URLSearchParams): boolean {
    return false;
  }

  /** A stored file by `GET /file?id=…`; null: there is none. */
  protected file(_id: string): { readonly bytes: Buffer; readonly mimeType: string } | null {
    return null;
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    const file = this.files[pathname];
    if (request.method === 'GET' && file !== undefined) {
      const type = TYPES[file.split('.').at(-1) ?? ''] ?? 'text/plain';
      response.writeHead(200, { ...SAFE, 'content-type': type }).end(readFileSync(file));
    } else if (request.method === 'GET' && pathname === '/events') {
      this.follow(searchParams, response);
    } else if (request.method === 'GET' && pathname === '/file') {
      this.sendStored(searchParams.get('id') ?? '', response);
    } else if (request.method === 'POST' && pathname === '/do') {
      await this.receive(request, searchParams, response);
    } else response.writeHead(404, SAFE).end();
  }

  private async receive(
    request: IncomingMessage,
    query: URLSearchParams,
    response: ServerResponse,
  ): Promise<void> {
    const isJson = request.headers['content-type'] === 'application/json';
    const origin = request.headers.origin ?? this.url;
    const isOwn = new URL(origin).host === request.headers.host;
    if (!isOwn || !(isJson || this.takesPlainBody(query))) {
      response.writeHead(400, SAFE).end();
      return;
    }
    try {
      this.act(query, await bodyOf(request));
      response.writeHead(204, SAFE).end();
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'impossible';
      response.writeHead(409, { ...SAFE, 'content-type': 'text/plain' }).end(reason);
    }
  }

  private follow(query: URLSearchParams, response: ServerResponse): void {
    let last = JSON.stringify(this.view(query));
    response.writeHead(200, {
      ...SAFE,
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
    });
    response.write(`data: ${last}\n\n`);
    const timer = setInterval(() => {
      const view = JSON.stringify(this.view(query));
      if (view === last) return;
      last = view;
      response.write(`data: ${view}\n\n`);
    }, this.lookEveryMs);
    response.once('close', () => {
      clearInterval(timer);
    });
  }

  private sendStored(id: string, response: ServerResponse): void {
    const file = this.file(id);
    if (file === null) {
      response.writeHead(404, SAFE).end();
      return;
    }
    // Only what a browser cannot run is named; anything else is a download.
    const isShown = /^(image\/(png|jpeg|gif|webp)|audio\/[\w-]+|video\/[\w-]+)$/.test(
      file.mimeType,
    );
    response.writeHead(200, {
      ...SAFE,
      'content-type': isShown ? file.mimeType : 'application/octet-stream',
      ...(isShown ? {} : { 'content-disposition': 'attachment' }),
    });
    response.end(file.bytes);
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size > LARGEST_BODY) throw new Error('that is more than 20 MB');
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts);
}
