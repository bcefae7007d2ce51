import { Injectable } from '@nestjs/common';
import { type Context, Telegraf } from 'telegraf';
import type { Update } from 'telegraf/types';
import type { Tx } from '../../../common/uow';
import { type TelegramAccount, TelegramAccountRepository } from '../account.repository';
import { type BotCall, BotReplyRepository } from './bot-reply.repository';
import { InjectBot } from 'nestjs-telegraf';
import { Clock } from '../../../common/clock';
import type { Language } from '../../../vacancies';
import { Jobs } from '../../../jobs';
import { type Incoming, incomingOf } from './incoming';
import { UpdateRepository, type WaitingUpdate } from './update.repository';
import { pinOf } from './pin-input';

/** What handles one update may use: all of it belongs to the one commit that stores the update. */
export interface UpdateScope {
  readonly tx: Tx;
  readonly chatId: number;
  /** Locked. */
  readonly account: TelegramAccount;
  /** The key of the text as a PIN, if it reads as one; made before the commit, because it is slow. */
  readonly pinKey: string | null;
  /** Adds a message of the bot, sent after the commit in the order of these calls. */
  answer(call: BotCall): Promise<void>;
}

/**
 * Hands the scope to handlers: the library makes the context of an update by itself, and a context
 * of our own would not get past it.
 */
@Injectable()
export class UpdateScopes {
  private readonly scopes = new WeakMap<Update, UpdateScope>();

  async within(update: Update, scope: UpdateScope, work: () => Promise<void>): Promise<void> {
    this.scopes.set(update, scope);
    try {
      await work();
    } finally {
      this.scopes.delete(update);
    }
  }

  of(context: Context): UpdateScope {
    const scope = this.scopes.get(context.update);
    if (scope === undefined) throw new Error('an update is being handled outside its commit');
    return scope;
  }
}

/** Well within idle_in_transaction_session_timeout: handlers make no remote call. */
const HANDLER_MS = 2500;

/** A handler that did not come back; its update is kept for the queue, as after any other error. */
class HandlerLateError extends Error {
  override readonly name = 'HandlerLateError';
}

interface HandledUpdate {
  /** The bot has messages to send to the chat. */
  readonly hasAnswers: boolean;
}

const NOTHING_HANDLED: HandledUpdate = { hasAnswers: false };

/** Runs the handlers of one update inside the commit that stores it. */
@Injectable()
export class UpdateHandling {
  constructor(
    @InjectBot() private readonly bot: Telegraf,
    private readonly scopes: UpdateScopes,
    private readonly accounts: TelegramAccountRepository,
    private readonly answers: BotReplyRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** The first lock of every commit that changes something of a chat. */
  lock(tx: Tx, incoming: Incoming & { kind: 'person' }): Promise<TelegramAccount> {
    return this.accounts.lock(tx, incoming.chatId, languageOf(incoming.languageCode));
  }

  /** The same of an account that is there. */
  lockKnown(tx: Tx, chatId: number): Promise<TelegramAccount | null> {
    return this.accounts.lockKnown(tx, chatId);
  }

  /** The account is there; nothing of it is locked that somebody may hold. */
  ensure(tx: Tx, incoming: Incoming & { kind: 'person' }): Promise<void> {
    return this.accounts.ensure(tx, incoming.chatId, languageOf(incoming.languageCode));
  }

  async handle(
    tx: Tx,
    update: Update,
    account: TelegramAccount,
    pinKey: string | null,
  ): Promise<HandledUpdate> {
    const handled = { hasAnswers: false };
    const chatId = account.userId;
    await this.scopes.within(
      update,
      {
        tx,
        chatId,
        account,
        pinKey,
        answer: async (call) => {
          handled.hasAnswers = true;
          await this.answers.add(tx, chatId, call);
        },
      },
      () => this.inTime(this.bot.handleUpdate(update)),
    );
    if (handled.hasAnswers) await this.makeDue(tx, chatId);
    return handled;
  }

  /** A handler that hangs would keep its connection, its locks, and a poller for ever. */
  private async inTime(handling: Promise<void>): Promise<void> {
    const settled = new AbortController();
    const late = this.clock.sleep(HANDLER_MS, settled.signal).then(() => {
      if (!settled.signal.aborted) throw new HandlerLateError('a handler takes too long');
    });
    // Whichever of the two is second says nothing to anybody.
    handling.catch(() => undefined);
    late.catch(() => undefined);
    try {
      await Promise.race([handling, late]);
    } finally {
      settled.abort();
    }
  }

  /** A group or a channel: the bot is for people alone, and says nothing there. */
  async leave(tx: Tx, chatId: number): Promise<HandledUpdate> {
    await this.answers.add(tx, chatId, { method: 'leaveChat', params: { chat_id: chatId } });
    await this.makeDue(tx, chatId);
    return { hasAnswers: true };
  }

  async makeDue(tx: Tx, chatId: number): Promise<void> {
    await this.jobs.enqueue(tx, { queue: 'intake', key: String(chatId), dueInMs: 0 });
  }
}

/** The bot speaks Russian and English. */
function languageOf(code: string | null): Language {
  return code?.startsWith('ru') === true ? 'ru' : 'en';
}

/** The key of an update's PIN, made outside the commit. */
export interface KnownPin {
  readonly updateId: string;
  readonly key: string | null;
}

/** What was done about a chat's waiting updates. */
interface CaughtUp extends HandledUpdate {
  readonly wasAny: boolean;
  /** Nothing of the chat waits any more, as far as was seen. */
  readonly isAll: boolean;
  /** Not handled: it reads as a PIN, and its key is not known. */
  readonly stoppedAt: WaitingUpdate | null;
}

interface Chat {
  readonly chatId: number;
  /** Locked; null for a group or an account that was erased. */
  readonly account: TelegramAccount | null;
  readonly atMost: number;
  readonly pin: KnownPin | null;
}

/** Updates that were stored to wait, handled inside a commit of the queue, whose job is fenced. */
@Injectable()
export class WaitingUpdates {
  constructor(
    private readonly inbox: UpdateRepository,
    private readonly handling: UpdateHandling,
  ) {}

  /** The chat's next ones, in order. */
  async handle(tx: Tx, { chatId, account, atMost, pin }: Chat): Promise<CaughtUp> {
    const waiting = await this.inbox.nextWaiting(tx, chatId, atMost);
    const needsKey = (one: WaitingUpdate): boolean =>
      pinOf(one.update) !== null && pin?.updateId !== one.updateId;
    const stoppedAt = waiting.find(needsKey) ?? null;
    const ready = stoppedAt === null ? waiting : waiting.slice(0, waiting.indexOf(stoppedAt));
    let hasAnswers = waiting[0]?.hasAnswers === true;
    // What is known of the account is so until something was handled.
    let locked = account;
    for (const one of ready) {
      const handled = await this.handleOne(tx, chatId, locked, one, pin);
      locked = null;
      hasAnswers ||= handled.hasAnswers;
    }
    const isAll = ready.length < atMost && stoppedAt === null;
    return { wasAny: waiting.length > 0, isAll, hasAnswers, stoppedAt };
  }

  private async handleOne(
    tx: Tx,
    chatId: number,
    locked: TelegramAccount | null,
    { updateId, update }: WaitingUpdate,
    pin: KnownPin | null,
  ): Promise<HandledUpdate> {
    // It is gone with its person, if the one before it has them forgotten.
    if (!(await this.inbox.end(tx, { chatId, updateId }, 'handled'))) return NOTHING_HANDLED;
    const incoming = incomingOf(update);
    if (incoming.kind !== 'person') return this.handling.leave(tx, chatId);
    const account = locked ?? (await this.handling.lock(tx, incoming));
    const pinKey = pin?.updateId === updateId ? pin.key : null;
    return this.handling.handle(tx, update, account, pinKey);
  }
}
