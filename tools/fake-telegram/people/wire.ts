import type { ChatMember, Message, User } from '@grammyjs/types';
import type { Press, TelegramState } from '../state/telegram-state';
import type { Room } from '../state/room';

/** The bot gets no press that is older than this. */
const PRESS_LIVES_MS = 150_000;

/** Sends the bot a new or an edited message. */
export function sendMessage(state: TelegramState, message: Message, isEdit = false): void {
  const isPost = message.chat.type === 'channel';
  const kind = isPost
    ? isEdit
      ? 'edited_channel_post'
      : 'channel_post'
    : isEdit
      ? 'edited_message'
      : 'message';
  state.updates.add({ [kind]: message }, `chat ${message.chat.id}`);
}

/** Each person's presses have their own queue, so a press can arrive before an earlier text. */
export function pressButton(
  state: TelegramState,
  from: User,
  message: Message,
  data: string,
): Press {
  const press: Press = {
    id: String(4_382_000_000_000_000 + state.nextNumber()),
    chatId: message.chat.id,
    expiresAtMs: state.nowMs + PRESS_LIVES_MS,
    answered: false,
  };
  state.presses.set(press.id, press);
  const chat_instance = String(message.chat.id * 7919);
  state.updates.add(
    { callback_query: { id: press.id, from, message, chat_instance, data } },
    `press ${from.id}`,
  );
  return press;
}

type BotStatus = 'member' | 'kicked' | 'left' | 'administrator';

/** Sends the bot a change of its place in a chat. */
export function changeMembership(
  state: TelegramState,
  room: Room,
  from: User,
  change: { readonly was: BotStatus; readonly is: BotStatus },
): void {
  const { chat } = room;
  state.updates.add(
    {
      my_chat_member: {
        chat,
        from,
        date: state.unixNow,
        old_chat_member: membership(state.bot, change.was),
        new_chat_member: membership(state.bot, change.is),
      },
    },
    `member ${chat.id}`,
  );
}

function membership(
  { id, is_bot, first_name, username }: TelegramState['bot'],
  status: BotStatus,
): ChatMember {
  const user: User = { id, is_bot, first_name, username };
  switch (status) {
    case 'kicked':
      return { status, user, until_date: 0 };
    case 'member':
    case 'left':
      return { status, user };
    case 'administrator':
      return { status, user, can_post_messages: true } as unknown as ChatMember;
  }
}
