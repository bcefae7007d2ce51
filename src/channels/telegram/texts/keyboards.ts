import type { InlineKeyboardMarkup, ReplyKeyboardMarkup } from 'telegraf/types';
import type { Language } from '../../../vacancies';
import { telegramTextsOf } from './texts';

/**
 * One button below the input field. It sends its own words as a message, so unlike a button under
 * a message it cannot overtake what was written before it.
 */
export function doneKeyboard(language: Language): ReplyKeyboardMarkup {
  return {
    keyboard: [[{ text: telegramTextsOf(language).doneButton }]],
    resize_keyboard: true,
    is_persistent: true,
  };
}

/** Buttons under a message, one a row: what they show, and what the bot gets to know. */
export function inlineKeyboard(
  buttons: readonly { readonly text: string; readonly data: string }[],
): InlineKeyboardMarkup {
  return { inline_keyboard: buttons.map(({ text, data }) => [{ text, callback_data: data }]) };
}
