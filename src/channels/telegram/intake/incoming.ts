import type { Update } from 'telegraf/types';
import { z } from 'zod';
import { Injectable } from '@nestjs/common';
import { UnitOfWorkFactory } from '../../../common/uow';
import { type Pin, PinHasher, readPin } from '../../../vacancies';
import { PinLimits } from './pin-limits.repository';

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

/** The kinds that the bot asks for. */
export const ALLOWED_UPDATES = [
  'message',
  'edited_message',
  'callback_query',
  'my_chat_member',
  'channel_post',
] as const;

const IGNORED: Incoming = { kind: 'ignored' };

const CHAT = z.object({ id: z.int(), type: z.string() });
const FROM = z.object({
  id: z.int(),
  is_bot: z.boolean(),
  language_code: z.string().optional(),
});
const MESSAGE = z.object({ message_id: z.int(), chat: CHAT, from: FROM.optional() });
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

/** Checks the id only, because Telegram may add kinds. */
export function isUpdate(value: unknown): value is Update {
  if (typeof value !== 'object' || value === null || !('update_id' in value)) return false;
  return Number.isSafeInteger(value.update_id);
}

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

function publicChat(chatId: number): Incoming {
  return { kind: 'public', chatId };
}

function person(chatId: number, messageId: number | null, from: z.infer<typeof FROM>): Incoming {
  return { kind: 'person', chatId, messageId, languageCode: from.language_code ?? null };
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
    private readonly units: UnitOfWorkFactory,
    private readonly limits: PinLimits,
  ) {}

  async keyOf(update: Update): Promise<string | null> {
    const pin = pinOf(update);
    const incoming = incomingOf(update);
    if (pin === null || incoming.kind !== 'person') return null;
    return (await this.isTaken(incoming.chatId)) ? this.keys.keyOf(pin) : null;
  }

  private isTaken(chatId: number): Promise<boolean> {
    return this.units.run('pin', (uow) =>
      uow.commit('telegram.pinAllowed', async (tx) => {
        const { lockedForMs, pausedForMs } = await this.limits.stateOf(tx, chatId);
        return lockedForMs === 0 && pausedForMs === 0;
      }),
    );
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
