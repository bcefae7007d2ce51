import type { Update } from 'telegraf/types';
import { z } from 'zod';

/**
 * Where an update belongs.
 *
 *   person   from a person in their private chat with the bot: handled
 *   public   from a group or a channel that the bot is in: it leaves, and says nothing
 *   ignored  nothing that the bot deals with: other bots, kinds that nobody asked for, and what
 *            does not read as an update of its kind
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

/** As much of an update as everything else relies on. */
const UPDATE = z.object({
  message: MESSAGE.optional(),
  edited_message: MESSAGE.optional(),
  channel_post: z.object({ chat: CHAT }).optional(),
  my_chat_member: MEMBERSHIP.optional(),
  callback_query: PRESS.optional(),
});

/** An id is all that is checked: kinds may be new. */
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
