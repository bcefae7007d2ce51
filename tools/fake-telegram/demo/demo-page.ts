import path from 'node:path';
import { PageServer } from '../../demo/page-server';
import type { TelegramUser } from '../people/telegram-user';
import type { TelegramServer } from '../telegram-server';
import { type ChatView, chatView } from './chat-view';

const here = (file: string): string => path.join(__dirname, file);
const FILES = {
  '/': here('page.html'),
  '/page.js': here('page.js'),
  '/rich-text.js': here('rich-text.js'),
  '/page.css': here('page.css'),
};

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

/** A candidate who is played by a program, and whose chat can be watched. */
export interface PlayedChat {
  readonly user: TelegramUser;
  /** For people: the name and the language. */
  readonly label: string;
  readonly state: 'waiting' | 'playing' | 'over';
  /** Begins the interview if it has not begun. */
  begin(): void;
}

export interface DemoPageOptions {
  readonly port?: number;
  /** Who can be watched; nobody: the page is only for writing to the bot. */
  readonly played?: readonly PlayedChat[];
  /** Whether a program writes the interviewer's replies, so that the page says so. */
  readonly areRepliesPlayed?: boolean;
  /** What the Start button carries for a person of this language, unless the address says it. */
  readonly startPayload?: (language: string) => string;
}

/** What the page shows: a chat, and with `watch` in its address the chat of somebody who is played. */
export interface PageView {
  readonly chat: ChatView;
  readonly watched: number | null;
  readonly areRepliesPlayed: boolean;
  readonly played: readonly { readonly label: string; readonly state: PlayedChat['state'] }[];
}

/** A page on which a person writes to the bot; each `?user=` is a person of their own. */
export class DemoPage extends PageServer {
  private readonly users = new Map<number, TelegramUser>();
  private readonly played: readonly PlayedChat[];
  private readonly startPayload: (language: string) => string;
  private readonly areRepliesPlayed: boolean;

  constructor(
    private readonly telegram: TelegramServer,
    {
      port = 0,
      played = [],
      areRepliesPlayed = false,
      startPayload = () => '',
    }: DemoPageOptions = {},
  ) {
    // Short, so that a draft is seen to grow.
    super(FILES, { port, lookEveryMs: 100 });
    this.played = played;
    this.startPayload = startPayload;
    this.areRepliesPlayed = areRepliesPlayed;
  }

  protected override view(query: URLSearchParams): PageView {
    const watched = this.watchedIn(query);
    const chosen = watched === null ? undefined : this.played[watched];
    chosen?.begin();
    const { user } = chosen?.user ?? this.userOf(query);
    return {
      chat: chatView(this.telegram, user.id, user.language_code ?? 'en'),
      watched,
      areRepliesPlayed: this.areRepliesPlayed,
      played: this.played.map(({ label, state }) => ({ label, state })),
    };
  }

  protected override act(query: URLSearchParams, body: Buffer): void {
    const act = ACTS[query.get('act') ?? ''];
    if (act === undefined) throw new Error('there is no such action');
    const user = this.userOf(query);
    const isBare = query.get('act') === 'start' && body.length === 0;
    const payload = isBare ? Buffer.from(this.startPayload(user.user.language_code ?? 'en')) : body;
    act(user, payload, query);
  }

  protected override takesPlainBody(query: URLSearchParams): boolean {
    return query.has('name');
  }

  protected override file(id: string): { bytes: Buffer; mimeType: string } | null {
    return this.telegram.file(id);
  }

  private watchedIn(query: URLSearchParams): number | null {
    const watched = query.get('watch');
    if (watched === null || this.played.length === 0) return null;
    return Math.min(Math.max(0, Math.trunc(Number(watched)) || 0), this.played.length - 1);
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
