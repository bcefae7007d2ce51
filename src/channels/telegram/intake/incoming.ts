import type { Update } from 'telegraf/types';

/**
 * Where an update belongs.
 *
 *   person   from a person in their private chat with the bot: handled
 *   public   from a group or a channel that the bot is in: it leaves, and says nothing
 *   ignored  nothing that the bot deals with: other bots, kinds that nobody asked for
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

export function incomingOf(update: Update): Incoming {
  if ('message' in update) return ofMessage(update.message, update.message.from);
  if ('edited_message' in update)
    return ofMessage(update.edited_message, update.edited_message.from);
  if ('channel_post' in update) return { kind: 'public', chatId: update.channel_post.chat.id };
  if ('my_chat_member' in update) return ofMembership(update.my_chat_member);
  if ('callback_query' in update) return ofPress(update.callback_query);
  return IGNORED;
}

interface Chat {
  readonly id: number;
  readonly type: string;
}

interface From {
  readonly is_bot: boolean;
  readonly language_code?: string;
}

function ofMessage(
  message: { readonly message_id: number; readonly chat: Chat },
  from: From | undefined,
): Incoming {
  const { chat, message_id: messageId } = message;
  if (chat.type !== 'private') return { kind: 'public', chatId: chat.id };
  if (from === undefined || from.is_bot) return IGNORED;
  return person(chat.id, messageId, from);
}

function ofMembership(change: {
  readonly chat: Chat;
  readonly from: From;
  readonly new_chat_member: { readonly status: string };
}): Incoming {
  const { chat, from, new_chat_member: now } = change;
  if (chat.type === 'private') return person(chat.id, null, from);
  const isThere = now.status !== 'left' && now.status !== 'kicked';
  return isThere ? { kind: 'public', chatId: chat.id } : IGNORED;
}

function ofPress(press: {
  readonly from: From & { readonly id: number };
  readonly message?: { readonly chat: Chat; readonly message_id: number };
}): Incoming {
  const { from, message } = press;
  if (from.is_bot || message?.chat.type !== 'private') return IGNORED;
  return person(message.chat.id, null, from);
}

function person(chatId: number, messageId: number | null, from: From): Incoming {
  return { kind: 'person', chatId, messageId, languageCode: from.language_code ?? null };
}
