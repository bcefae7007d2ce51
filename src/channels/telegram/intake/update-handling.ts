import type {
  InlineKeyboardMarkup,
  ReplyKeyboardMarkup,
  ReplyKeyboardRemove,
  Update,
} from 'telegraf/types';
import { z } from 'zod';
import { Injectable } from '@nestjs/common';
import type { Tx, UnitOfWork } from '../../../common/uow';
import { type Language, type Pin, PinHasher, readPin } from '../../../vacancies';
import { PinLimits } from './pin-limits.repository';
import { Telegraf } from 'telegraf';
import { type TelegramAccount, TelegramAccountRepository } from '../account.repository';
import { BotReplyRepository } from './bot-reply.repository';
import { InjectBot } from 'nestjs-telegraf';
import { Clock } from '../../../common/clock';
import { Jobs } from '../../../jobs';
import { INTAKE_QUEUE, UpdateRepository, type WaitingUpdate } from './update.repository';
import { UpdateScopes, type UpdateScope } from './update-scopes';

/** Runs the handlers of one update inside the commit that marks the update as handled. */
@Injectable()
export class UpdateHandling {
  constructor(
    @InjectBot() private readonly bot: Telegraf,
    private readonly scopes: UpdateScopes,
    private readonly accounts: TelegramAccountRepository,
    private readonly replies: BotReplyRepository,
    private readonly jobs: Jobs,
    private readonly clock: Clock,
  ) {}

  /** The first lock of every commit that changes a chat's data. */
  lock(tx: Tx, incoming: Incoming & { kind: 'person' }): Promise<TelegramAccount> {
    return this.accounts.lock(tx, incoming.chatId, languageOf(incoming.languageCode));
  }

  /** The same for an account that exists; null: there is none. */
  lockKnown(tx: Tx, chatId: number): Promise<TelegramAccount | null> {
    return this.accounts.lockKnown(tx, chatId);
  }

  /** Creates the account if it is missing, without waiting for its lock. */
  ensure(tx: Tx, incoming: Incoming & { kind: 'person' }): Promise<void> {
    return this.accounts.ensure(tx, incoming.chatId, languageOf(incoming.languageCode));
  }

  async handle(
    tx: Tx,
    update: Update,
    account: TelegramAccount,
    pinKey: string | null,
  ): Promise<HandledUpdate> {
    const handled = { hasReplies: false };
    const chatId = account.userId;
    await this.scopes.within(
      update,
      {
        tx,
        chatId,
        account,
        pinKey,
        reply: async (call) => {
          handled.hasReplies = true;
          await this.replies.add(tx, chatId, call);
        },
      },
      () => this.inTime(this.bot.handleUpdate(update)),
    );
    if (handled.hasReplies) await this.makeDue(tx, chatId);
    return handled;
  }

  /** Bounds a handler: one that hangs would keep its connection, its locks and the poller. */
  private async inTime(handling: Promise<void>): Promise<void> {
    const settled = new AbortController();
    const late = this.clock.sleep(HANDLER_MS, settled.signal).then(() => {
      if (!settled.signal.aborted) throw new HandlerLateError('a handler takes too long');
    });
    // The second of the two to settle is ignored.
    handling.catch(() => undefined);
    late.catch(() => undefined);
    try {
      await Promise.race([handling, late]);
    } finally {
      // Without a reason, Node makes an error with its stack for every update.
      settled.abort('the update is handled');
    }
  }

  /** Leaves a group or a channel without a message: the bot serves private chats only. */
  async leave(tx: Tx, chatId: number): Promise<HandledUpdate> {
    await this.replies.add(tx, chatId, { method: 'leaveChat', params: { chat_id: chatId } });
    await this.makeDue(tx, chatId);
    return { hasReplies: true };
  }

  async makeDue(tx: Tx, chatId: number): Promise<void> {
    await this.jobs.enqueue(tx, { queue: INTAKE_QUEUE, key: String(chatId), dueInMs: 0 });
  }
}

/** Well within idle_in_transaction_session_timeout: handlers make no remote call. */
const HANDLER_MS = 2500;

/**
 * Where an update belongs.
 *
 *   person   from a person in their private chat with the bot: handled
 *   public   from a group or a channel: the bot leaves it without a message
 *   ignored  other bots, kinds that the bot did not ask for, and malformed updates
 */
export type Incoming =
  | {
      readonly kind: 'person';
      readonly chatId: number;
      /** Orders a chat's messages; null: not about a message. */
      readonly messageId: number | null;
      readonly languageCode: string | null;
    }
  | { readonly kind: 'public'; readonly chatId: number }
  | { readonly kind: 'ignored' };

interface HandledUpdate {
  /** The bot has replies to send to the chat. */
  readonly hasReplies: boolean;
}

/** A handler took too long; its update goes to the queue, as after any other error. */
class HandlerLateError extends Error {
  override readonly name = 'HandlerLateError';
}

/** The bot speaks Russian and English. */
function languageOf(code: string | null): Language {
  return code?.startsWith('ru') === true ? 'ru' : 'en';
}

/** The key of an update's PIN, computed outside the commit. */
export interface KnownPin {
  readonly updateId: string;
  readonly key: string | null;
}

/** What was handled of a chat's waiting updates. */
interface CaughtUp extends HandledUpdate {
  readonly wasAny: boolean;
  /** No update of the chat was left in this read. */
  readonly isAll: boolean;
  /** Not handled, because it reads as a PIN whose key is not known. */
  readonly stoppedAt: WaitingUpdate | null;
}

interface Chat {
  readonly chatId: number;
  /** Locked; null for a group or an account that was erased. */
  readonly account: TelegramAccount | null;
  readonly atMost: number;
  readonly pin: KnownPin | null;
}

const NOTHING_HANDLED: HandledUpdate = { hasReplies: false };

/** Handles stored updates inside a commit of queue `intake`, whose job is fenced. */
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
    let hasReplies = waiting[0]?.hasReplies === true;
    // The account as it was read is valid until the first update is handled.
    let locked = account;
    for (const one of ready) {
      const handled = await this.handleOne(tx, chatId, locked, one, pin);
      locked = null;
      hasReplies ||= handled.hasReplies;
    }
    const isAll = ready.length < atMost && stoppedAt === null;
    return { wasAny: waiting.length > 0, isAll, hasReplies, stoppedAt };
  }

  private async handleOne(
    tx: Tx,
    chatId: number,
    locked: TelegramAccount | null,
    { updateId, update }: WaitingUpdate,
    pin: KnownPin | null,
  ): Promise<HandledUpdate> {
    // The update before it may have erased the person and this update with them.
    if (!(await this.inbox.end(tx, { chatId, updateId }))) return NOTHING_HANDLED;
    const incoming = incomingOf(update);
    if (incoming.kind !== 'person') return this.handling.leave(tx, chatId);
    const account = locked ?? (await this.handling.lock(tx, incoming));
    const pinKey = pin?.updateId === updateId ? pin.key : null;
    return this.handling.handle(tx, update, account, pinKey);
  }
}

/** The text of a message or an edit, if it reads as a PIN: an edit may correct a mistyped one. */
export function pinOf(update: Update): Pin | null {
  const message =
    'message' in update
      ? update.message
      : 'edited_message' in update
        ? update.edited_message
        : null;
  return message !== null && 'text' in message ? readPin(message.text) : null;
}

const IGNORED: Incoming = { kind: 'ignored' };

const CHAT = z.object({ id: z.int(), type: z.string() });
const FROM = z.object({
  id: z.int(),
  is_bot: z.boolean(),
  language_code: z.string().optional(),
});
const MESSAGE = z.object({
  message_id: z.int(),
  chat: CHAT,
  from: FROM.optional(),
  text: z.string().optional(),
});
const MEMBERSHIP = z.object({
  chat: CHAT,
  from: FROM,
  new_chat_member: z.object({ status: z.string() }),
});
const PRESS = z.object({
  id: z.string(),
  from: FROM,
  message: z.object({ message_id: z.int(), chat: CHAT }).optional(),
});

/** The fields of an update that the code relies on. */
const UPDATE = z.object({
  message: MESSAGE.optional(),
  edited_message: MESSAGE.optional(),
  channel_post: z.object({ chat: CHAT }).optional(),
  my_chat_member: MEMBERSHIP.optional(),
  callback_query: PRESS.optional(),
});

export function incomingOf(update: Update): Incoming {
  const { data: read } = UPDATE.safeParse(update);
  const message = read?.message ?? read?.edited_message;
  if (message !== undefined) return ofMessage(message);
  if (read?.channel_post !== undefined) return publicChat(read.channel_post.chat.id);
  if (read?.my_chat_member !== undefined) return ofMembership(read.my_chat_member);
  if (read?.callback_query !== undefined) return ofPress(read.callback_query);
  return IGNORED;
}

function ofMessage({ chat, from, message_id: messageId }: z.infer<typeof MESSAGE>): Incoming {
  if (chat.type !== 'private') return publicChat(chat.id);
  if (from === undefined || from.is_bot) return IGNORED;
  return person(chat.id, messageId, from);
}

function publicChat(chatId: number): Incoming {
  return { kind: 'public', chatId };
}

function person(chatId: number, messageId: number | null, from: z.infer<typeof FROM>): Incoming {
  return { kind: 'person', chatId, messageId, languageCode: from.language_code ?? null };
}

function ofMembership(change: z.infer<typeof MEMBERSHIP>): Incoming {
  const { chat, from, new_chat_member: now } = change;
  if (chat.type === 'private') return from.is_bot ? IGNORED : person(chat.id, null, from);
  const isThere = now.status !== 'left' && now.status !== 'kicked';
  return isThere ? publicChat(chat.id) : IGNORED;
}

function ofPress({ from, message }: z.infer<typeof PRESS>): Incoming {
  if (from.is_bot || message?.chat.type !== 'private') return IGNORED;
  return person(message.chat.id, null, from);
}

/**
 * What a pressed button did. `outdated`: the button is of an earlier version or of an interview that
 * is gone. `agreed`: it was the consent to an interview.
 */
export type ButtonOutcome = 'done' | 'agreed' | 'outdated';

/** Sends a plain text to the chat after the commit. */
export function replyWith(
  scope: UpdateScope,
  text: string,
  reply_markup?: InlineKeyboardMarkup | ReplyKeyboardMarkup | ReplyKeyboardRemove,
): Promise<void> {
  return scope.reply({
    method: 'sendMessage',
    params: {
      chat_id: scope.chatId,
      text,
      link_preview_options: { is_disabled: true },
      ...(reply_markup === undefined ? {} : { reply_markup }),
    },
  });
}

/** The kinds that the bot asks for. */
export const ALLOWED_UPDATES = [
  'message',
  'edited_message',
  'callback_query',
  'my_chat_member',
  'channel_post',
] as const;

/** Checks the id only, because Telegram may add kinds. */
export function isUpdate(value: unknown): value is Update {
  if (typeof value !== 'object' || value === null || !('update_id' in value)) return false;
  return Number.isSafeInteger(value.update_id);
}

/**
 * Computes the key by which a PIN's invitation is found. That takes tens of milliseconds on purpose,
 * so it happens before the commit, for every text that reads as a PIN. No key is computed while PINs
 * of this account, or of all accounts, are refused.
 */
@Injectable()
export class PinInput {
  constructor(
    private readonly keys: PinHasher,
    private readonly limits: PinLimits,
  ) {}

  async keyOf(uow: UnitOfWork, update: Update): Promise<string | null> {
    const pin = pinOf(update);
    const incoming = incomingOf(update);
    if (pin === null || incoming.kind !== 'person') return null;
    return (await this.isTaken(uow, incoming.chatId)) ? this.keys.keyOf(pin) : null;
  }

  private isTaken(uow: UnitOfWork, chatId: number): Promise<boolean> {
    return uow.commit('telegram.pin_allowed', async (tx) => {
      const { lockedForMs, pausedForMs } = await this.limits.stateOf(tx, chatId);
      return lockedForMs === 0 && pausedForMs === 0;
    });
  }
}
