import type {
  InlineKeyboardMarkup,
  ReplyKeyboardMarkup,
  ReplyKeyboardRemove,
} from 'telegraf/types';
import type { UpdateScope } from '../intake/update-handling';

/**
 * What came of a press. `outdated`: its button is of an earlier version, or of an interview that is
 * gone. `agreed`: it was the consent to an interview.
 */
export type ButtonOutcome = 'done' | 'agreed' | 'outdated';

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
