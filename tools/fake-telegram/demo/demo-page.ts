import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { Listener } from '../../http-fake/listener';
import type { TelegramUser } from '../people/telegram-user';
import type { TelegramServer } from '../telegram-server';
import { chatView } from './chat-view';

const STATIC: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/rich-text.js': ['rich-text.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
};
const SAFE = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
};
const LARGEST_BODY = 20 * 1024 * 1024;
/** Typing and drafts end by themselves; the page shows it within this time. */
const LOOK_EVERY_MS = 500;

/** What a person does on the page: `POST /do?user=…&act=…`, its text or file as the body. */
type Act = (user: TelegramUser, body: Buffer, query: URLSearchParams) => void;

const ACTS: Readonly<Record<string, Act>> = {
  start: (user, body) => user.starts(body.toString('utf8')),
  write: (user, body) => user.pastes(body.toString('utf8').trim()),
  edit: (user, body, query) =>
    user.edits(Number(query.get('message')), body.toString('utf8').trim()),
  press: (user, body, query) => {
    const message = query.get('message');
    user.presses(body.toString('utf8'), message === null ? undefined : Number(message));
  },
  file: (user, body, query) => {
    sendFile(user, body, query.get('name') ?? 'file', query.get('type') ?? '');
  },
  block: (user) => {
    user.blocks();
  },
  unblock: (user) => {
    user.unblocks();
  },
};

/** A page on which a person writes to the bot; each `?user=` is a person of their own. */
export class DemoPage {
  private readonly users = new Map<number, TelegramUser>();
  private readonly listener: Listener;

  constructor(
    private readonly telegram: TelegramServer,
    port = 0,
  ) {
    this.listener = new Listener((request, response) => this.handle(request, response), port);
  }

  get url(): string {
    return this.listener.url;
  }

  open(): Promise<void> {
    return this.listener.open();
  }

  close(): Promise<void> {
    return this.listener.close();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    const page = STATIC[pathname];
    if (request.method === 'GET' && page !== undefined) {
      const [file, type] = page;
      const bytes = readFileSync(path.join(__dirname, file));
      response.writeHead(200, { ...SAFE, 'content-type': type }).end(bytes);
      return;
    }
    if (request.method === 'GET' && pathname === '/events') {
      this.follow(searchParams, response);
      return;
    }
    if (request.method === 'GET' && pathname === '/file') {
      this.sendStored(searchParams.get('id') ?? '', response);
      return;
    }
    if (request.method === 'POST' && pathname === '/do') {
      await this.act(request, searchParams, response);
      return;
    }
    response.writeHead(404, SAFE).end();
  }

  private async act(
    request: IncomingMessage,
    query: URLSearchParams,
    response: ServerResponse,
  ): Promise<void> {
    // A page of another origin cannot send JSON without a preflight request.
    const act = ACTS[query.get('act') ?? ''];
    const isOwn = request.headers['content-type'] === 'application/json' || query.has('name');
    const origin = request.headers.origin ?? this.url;
    if (act === undefined || !isOwn || new URL(origin).host !== request.headers.host) {
      response.writeHead(400, SAFE).end();
      return;
    }
    const body = await bodyOf(request);
    try {
      act(this.userOf(query), body, query);
      response.writeHead(204, SAFE).end();
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'impossible';
      response.writeHead(409, { ...SAFE, 'content-type': 'text/plain' }).end(reason);
    }
  }

  /** Server-sent events: the whole view at each change. */
  private follow(query: URLSearchParams, response: ServerResponse): void {
    const { user } = this.userOf(query);
    response.writeHead(200, {
      ...SAFE,
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
    });
    let last = '';
    const tell = (): void => {
      const view = JSON.stringify(chatView(this.telegram, user.id, user.language_code ?? 'en'));
      if (view === last) return;
      last = view;
      response.write(`data: ${view}\n\n`);
    };
    const stop = this.telegram.onChange(tell);
    const timer = setInterval(tell, LOOK_EVERY_MS);
    response.once('close', () => {
      stop();
      clearInterval(timer);
    });
    tell();
  }

  private sendStored(id: string, response: ServerResponse): void {
    const file = this.telegram.file(id);
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

  private userOf(query: URLSearchParams): TelegramUser {
    const id = Number(query.get('user') ?? '1');
    if (!Number.isSafeInteger(id) || id <= 0) throw new Error('a user is a positive number');
    const known = this.users.get(id);
    if (known !== undefined) return known;
    const user = this.telegram.user({
      id,
      first_name: query.get('first_name') ?? 'Ada',
      language_code: query.get('lang') ?? 'en',
    });
    this.users.set(id, user);
    return user;
  }
}

function sendFile(user: TelegramUser, bytes: Buffer, name: string, mimeType: string): void {
  const options = { name, mimeType };
  if (mimeType.startsWith('image/')) user.sendsPhoto(bytes, options);
  else if (mimeType.startsWith('audio/')) user.sendsVoice(bytes, options);
  else user.sendsDocument(bytes, options);
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
