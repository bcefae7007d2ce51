import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { Listener } from '../../http-fake/listener';
import type { NotionServer } from '../notion-server';
import type { NotionUser } from '../people/notion-user';
import { boardView } from './board-view';
import type { Filled } from './fill';

const STATIC: Readonly<Record<string, readonly [file: string, type: string]>> = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
};
const SAFE = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'",
  'x-content-type-options': 'nosniff',
};
const LARGEST_BODY = 10_000;
/** Changes come in bursts; the page gets at most one update in this time. */
const TELL_EVERY_MS = 200;

/** What a person does on the page, as the body of `POST /do`. */
type Deed =
  | { readonly act: 'add'; readonly person: string; readonly name: string }
  | { readonly act: 'importance'; readonly task: string; readonly importance: number }
  | { readonly act: 'status'; readonly task: string; readonly status: string }
  | { readonly act: 'assign'; readonly task: string; readonly person: string };

/** A page that shows all boards and edits tasks by clicks. */
export class DemoPage {
  private readonly listener: Listener;

  constructor(
    private readonly notion: NotionServer,
    private readonly filled: Filled,
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
      this.follow(searchParams.get('person'), response);
      return;
    }
    if (request.method === 'POST' && pathname === '/do') {
      await this.act(request, response);
      return;
    }
    response.writeHead(404, SAFE).end();
  }

  private async act(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A page of another origin cannot send JSON without a preflight request.
    const isOwn = request.headers['content-type'] === 'application/json';
    const origin = request.headers.origin ?? this.url;
    if (!isOwn || new URL(origin).host !== request.headers.host) {
      response.writeHead(400, SAFE).end();
      return;
    }
    try {
      this.carryOut(JSON.parse(await bodyOf(request)) as Deed);
      response.writeHead(204, SAFE).end();
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'impossible';
      response.writeHead(409, { ...SAFE, 'content-type': 'text/plain' }).end(reason);
    }
  }

  /** The task's assignee makes the edit; a new task goes to the board of its author. */
  private carryOut(deed: Deed): void {
    const { board } = this.filled;
    if (deed.act === 'add') {
      const person = this.person(deed.person);
      const name = deed.name.trim();
      if (name === '') throw new Error('a task has a name');
      const said = { Name: name, Assignee: person, Importance: 5, Status: 'Not started' };
      board.task({ ...said, Estimate: 4 }, person);
      return;
    }
    const task = board.page(deed.task);
    const [owner = ''] = task.value('Assignee') as readonly string[];
    const by = this.person(owner);
    if (deed.act === 'importance') task.edit({ Importance: deed.importance }, by);
    else if (deed.act === 'status') task.edit({ Status: deed.status }, by);
    else task.edit({ Assignee: this.person(deed.person) }, by);
  }

  private person(id: string): NotionUser {
    const found = this.filled.people.find((one) => one.id === id);
    if (found === undefined) throw new Error('there is no such person');
    return found;
  }

  /** Server-sent events: the whole view when it has changed. */
  private follow(id: string | null, response: ServerResponse): void {
    const person = this.filled.people.find((one) => one.id === id) ?? this.filled.people[0];
    if (person === undefined) throw new Error('there is nobody');
    response.writeHead(200, {
      ...SAFE,
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache',
    });
    let last = '';
    let isStale = true;
    const tell = (): void => {
      if (!isStale) return;
      isStale = false;
      const view = JSON.stringify(boardView(this.notion, this.filled, person));
      if (view === last) return;
      last = view;
      response.write(`data: ${view}\n\n`);
    };
    const stop = this.notion.onChange(() => {
      isStale = true;
    });
    const timer = setInterval(tell, TELL_EVERY_MS);
    response.once('close', () => {
      stop();
      clearInterval(timer);
    });
    tell();
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += (part as Buffer).length;
    if (size > LARGEST_BODY) throw new Error('that is too much');
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString('utf8');
}
