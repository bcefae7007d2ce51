import type { BotCommand, Update, UserFromGetMe } from '@grammyjs/types';
import { type Clock, SystemClock } from '../../src/common/clock';
import { CallHandler } from './call-handler';
import { LongPoll } from './delivery/long-poll';
import { Webhook, type WebhookAttempt } from './delivery/webhook';
import { Faults } from './faults';
import { Flood } from './flood';
import { BotApi } from './http/bot-api';
import { Listener } from '../http-fake/listener';
import { Journal } from './journal';
import { type NewChannel, type NewGroup, TelegramChannel, TelegramGroup } from './people/groups';
import { SeenChat } from './people/seen-chat';
import { type NewUser, TelegramUser } from './people/telegram-user';
import { CallSchema } from './schema/call-schema';
import type { StoredFile } from './state/files';
import { TelegramState } from './state/telegram-state';

export interface TelegramOptions {
  /** The clock of every delay, retry and expiry; by default the machine's. */
  readonly clock?: Clock;
  /** By default 0: a free port. */
  readonly port?: number;
  /** The bot's @name. */
  readonly botName?: string;
}

const BOT_ID = 7_000_000_001;

/**
 * Telegram for tests: its Bot API over real HTTP on 127.0.0.1 for one bot, and the people who write to
 * it. Every call is checked against @grammyjs/types: unlike the real server, which is more lenient, this
 * one refuses an unknown or mistyped parameter. The journal records every call.
 */
export class TelegramServer {
  readonly journal: Journal;
  readonly faults: Faults;
  readonly flood: Flood;
  /** A bot's token; `revokeToken` replaces it. */
  token = `${String(BOT_ID)}:AAE-test-token_1`;
  private readonly state: TelegramState;
  private readonly polls: LongPoll;
  private readonly webhook: Webhook;
  private readonly listener: Listener;

  private constructor(schema: CallSchema, { clock, port, botName }: Required<TelegramOptions>) {
    this.state = new TelegramState(clock, botNamed(botName));
    const notify = (): void => {
      this.state.changes.notify();
    };
    this.journal = new Journal(notify);
    this.faults = new Faults(clock, notify);
    this.flood = new Flood(clock);
    this.polls = new LongPoll(this.state, clock);
    this.webhook = new Webhook(this.state);
    const { state, polls, webhook, flood, journal, faults } = this;
    const api = new BotApi({
      state,
      journal,
      faults,
      handler: new CallHandler({ clock, schema, journal, faults }),
      context: { state, polls, webhook, flood },
      token: () => this.token,
    });
    this.listener = new Listener(async (request, response) => {
      await api.handle(request, response);
      state.changes.notify();
    }, port);
  }

  /** The first start after an install takes about 10 s, because it generates the schema. */
  static async start(options: TelegramOptions = {}): Promise<TelegramServer> {
    const server = new TelegramServer(await CallSchema.load(), {
      clock: options.clock ?? new SystemClock(),
      port: options.port ?? 0,
      botName: options.botName ?? 'colloquy_test_bot',
    });
    await server.comeUp();
    return server;
  }

  /** For TELEGRAM_API_ROOT; the same while the server is down. */
  get apiRoot(): string {
    return this.listener.url;
  }

  get bot(): UserFromGetMe {
    return this.state.bot;
  }

  /** Whether a call of getUpdates is waiting now. */
  get isPolled(): boolean {
    return this.polls.isOpen;
  }

  /** Requests to the webhook so far, oldest first. */
  get webhookAttempts(): readonly WebhookAttempt[] {
    return this.webhook.attempts;
  }

  /** What the bot has not confirmed yet, oldest first. */
  get pendingUpdates(): readonly Update[] {
    return this.state.updates.all().map(({ update }) => update);
  }

  /** A new person with the given or a free `id`. A second person with the same id has the same chat. */
  user(given: NewUser = {}): TelegramUser {
    return new TelegramUser(this.state, given);
  }

  group(given: NewGroup = {}): TelegramGroup {
    return new TelegramGroup(this.state, given);
  }

  channel(given: NewChannel = {}): TelegramChannel {
    return new TelegramChannel(this.state, given);
  }

  /** A chat as people see it; a private chat has its person's id. */
  chat(id: number): SeenChat {
    const room = this.state.rooms.get(id);
    if (room === undefined) throw new Error(`there is no chat ${String(id)}`);
    return new SeenChat(this.state, room);
  }

  /** The file with this id, sent by a person or by the bot; null when there is none. */
  file(fileId: string): StoredFile | null {
    return this.state.files.find(fileId);
  }

  /** The commands that a person of this language is offered in the private chat. */
  commandsFor(language: string): readonly BotCommand[] {
    const scopes = ['all_private_chats', 'default'].map((type) => JSON.stringify({ type }));
    const keys = scopes.flatMap((scope) => [`${scope} ${language}`, `${scope} `]);
    return (
      keys.map((key) => this.state.commands.get(key)).find((found) => found !== undefined) ?? []
    );
  }

  /** Sends an update again unchanged, which a bot has to expect. */
  repeat(update: Update): void {
    const { message, edited_message, callback_query: press } = update;
    const chat = (message ?? edited_message)?.chat.id ?? 0;
    const queue = press === undefined ? `chat ${chat}` : `press ${press.from.id}`;
    this.state.updates.repeat(update, queue);
  }

  /** The old token gets 401 from now on. */
  revokeToken(): string {
    this.token = `${String(BOT_ID)}:AAE-test-token_${String(this.state.nextNumber() + 1)}`;
    return this.token;
  }

  /** Resolves when `isSo` holds, checked after every change; rejects after 10 s of real time. */
  until(what: string, isSo: () => boolean): Promise<void> {
    return this.state.changes.until(what, isSo);
  }

  /** Calls back at every change until the returned function is called. */
  onChange(listener: () => void): () => void {
    return this.state.changes.listen(listener);
  }

  /** Breaks all connections and refuses new ones. */
  goDown(): Promise<void> {
    return this.listener.close();
  }

  /** Listens again at the same address. */
  comeUp(): Promise<void> {
    return this.listener.open();
  }

  /** Leaves no timer, connection or request behind. */
  async close(): Promise<void> {
    this.webhook.clear();
    this.faults.close();
    this.polls.end('the server is closing');
    await this.listener.close();
  }
}

function botNamed(username: string): UserFromGetMe {
  return {
    id: BOT_ID,
    is_bot: true,
    first_name: 'Colloquy',
    username,
    can_join_groups: true,
    can_read_all_group_messages: true,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: false,
    allows_users_to_create_topics: false,
    can_manage_bots: false,
    supports_join_request_queries: false,
  };
}
