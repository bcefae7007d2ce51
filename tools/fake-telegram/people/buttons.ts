import type { Message, ReplyKeyboardMarkup } from '@grammyjs/types';

/** The newest message with a pressable button of this text, and the data that the bot gets. */
export function buttonIn(
  messages: readonly Message[],
  text: string,
  messageId?: number,
): { readonly message: Message; readonly data: string } | null {
  for (const message of messages.toReversed()) {
    if (messageId !== undefined && message.message_id !== messageId) continue;
    const buttons = message.reply_markup?.inline_keyboard.flat() ?? [];
    const found = buttons.find((button) => button.text === text);
    if (found === undefined) continue;
    if ('callback_data' in found) return { message, data: found.callback_data };
    throw new Error(`the button "${text}" has no callback data, so the bot gets nothing`);
  }
  return null;
}

/** A button of the reply keyboard. */
export function keyboardButtonIn(
  keyboard: ReplyKeyboardMarkup | null,
  text: string,
): { readonly text: string; readonly requestsContact: boolean } | null {
  for (const button of keyboard?.keyboard.flat() ?? []) {
    const label = typeof button === 'string' ? button : button.text;
    if (label !== text) continue;
    const requestsContact = typeof button !== 'string' && 'request_contact' in button;
    return { text: label, requestsContact };
  }
  return null;
}
