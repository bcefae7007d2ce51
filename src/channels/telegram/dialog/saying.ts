import type {
  InlineKeyboardMarkup,
  ReplyKeyboardMarkup,
  ReplyKeyboardRemove,
} from 'telegraf/types';
import type { UpdateScope } from '../intake/update-scope';

/** Says a plain text in the chat, after the commit. */
export function say(
  scope: UpdateScope,
  text: string,
  reply_markup?: InlineKeyboardMarkup | ReplyKeyboardMarkup | ReplyKeyboardRemove,
): Promise<void> {
  return scope.answer({
    method: 'sendMessage',
    params: {
      chat_id: scope.chatId,
      text,
      link_preview_options: { is_disabled: true },
      ...(reply_markup === undefined ? {} : { reply_markup }),
    },
  });
}
