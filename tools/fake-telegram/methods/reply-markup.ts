import type {
  ForceReply,
  InlineKeyboardMarkup,
  ReplyKeyboardMarkup,
  ReplyKeyboardRemove,
} from '@grammyjs/types';
import { ApiError } from '../api-error';
import type { Room } from '../state/room';

export type Markup =
  InlineKeyboardMarkup | ReplyKeyboardMarkup | ReplyKeyboardRemove | ForceReply | undefined;

const LONGEST_DATA_BYTES = 64;

/** Returns the buttons under a message; a reply keyboard is shown or hidden in the chat instead. */
export function applyMarkup(room: Room, markup: Markup): InlineKeyboardMarkup | undefined {
  if (markup === undefined) return undefined;
  if ('inline_keyboard' in markup) return checked(markup);
  if ('keyboard' in markup) room.keyboard = markup;
  if ('remove_keyboard' in markup) room.keyboard = null;
  return undefined;
}

/** Throws the Bot API's error for invalid buttons; undefined when no button is left. */
export function checked(markup: InlineKeyboardMarkup): InlineKeyboardMarkup | undefined {
  const rows = markup.inline_keyboard.filter((row) => row.length > 0);
  for (const button of rows.flat()) {
    if (button.text === '') throw ApiError.badRequest('inline keyboard button text is empty');
    if (!('callback_data' in button)) continue;
    const bytes = Buffer.byteLength(button.callback_data);
    if (bytes === 0 || bytes > LONGEST_DATA_BYTES) throw ApiError.badRequest('BUTTON_DATA_INVALID');
  }
  return rows.length === 0 ? undefined : { inline_keyboard: rows };
}
