import type { InlineKeyboardButton, Message, MessageEntity } from '@grammyjs/types';
import type { SeenMessage } from '../people/seen-chat';
import type { TelegramServer } from '../telegram-server';

interface ButtonView {
  readonly text: string;
  /** Its address; null: a press is sent to the bot. */
  readonly url: string | null;
}

interface FileView {
  readonly kind: 'photo' | 'voice' | 'audio' | 'video' | 'document' | 'sticker';
  readonly id: string;
  readonly name: string;
}

interface MessageView {
  readonly id: number;
  readonly fromBot: boolean;
  readonly text: string;
  readonly entities: readonly MessageEntity[];
  readonly buttons: readonly (readonly ButtonView[])[];
  readonly isEdited: boolean;
  readonly canEdit: boolean;
  /** Unix time in seconds. */
  readonly date: number;
  readonly file: FileView | null;
  readonly answers: string | null;
}

/** What the page shows. */
export interface ChatView {
  readonly bot: { readonly name: string; readonly username: string };
  readonly messages: readonly MessageView[];
  readonly draft: { readonly text: string; readonly entities: readonly MessageEntity[] } | null;
  readonly action: string | null;
  readonly keyboard: readonly (readonly string[])[];
  readonly notices: readonly string[];
  readonly commands: readonly { readonly command: string; readonly description: string }[];
  readonly isBlocked: boolean;
}

export function chatView(telegram: TelegramServer, chatId: number, language: string): ChatView {
  const chat = telegram.chat(chatId);
  const { draft } = chat;
  return {
    bot: { name: telegram.bot.first_name, username: telegram.bot.username },
    messages: chat.messages.map(messageView),
    draft: draft === null ? null : { text: draft, entities: chat.draftEntities },
    action: chat.action,
    keyboard: chat.keyboard,
    notices: chat.notices.map(({ text }) => text),
    commands: telegram.commandsFor(language),
    isBlocked: chat.isBlocked,
  };
}

function messageView({ id, fromBot, text, entities, isEdited, message }: SeenMessage): MessageView {
  const rows = message.reply_markup?.inline_keyboard ?? [];
  const answered = message.reply_to_message as Message | undefined;
  return {
    id,
    fromBot,
    text: text === '' ? placeText(message) : text,
    entities,
    buttons: rows.map((row) => row.map(buttonView)),
    isEdited,
    canEdit: !fromBot && message.text !== undefined && message.forward_origin === undefined,
    date: message.date,
    file: fileView(message),
    answers: answered?.text ?? null,
  };
}

function buttonView(button: InlineKeyboardButton): ButtonView {
  return { text: button.text, url: 'url' in button ? button.url : null };
}

function placeText({ contact, location }: Message): string {
  if (contact !== undefined) return `☎ ${contact.phone_number}`;
  return location === undefined ? '' : `⌖ ${location.latitude}, ${location.longitude}`;
}

function fileView(message: Message): FileView | null {
  const { photo, voice, audio, video, document, sticker } = message;
  const picture = photo?.at(-1);
  if (picture !== undefined) return { kind: 'photo', id: picture.file_id, name: 'photo' };
  if (voice !== undefined) return { kind: 'voice', id: voice.file_id, name: 'voice' };
  if (audio !== undefined) return { kind: 'audio', id: audio.file_id, name: audio.file_name ?? '' };
  if (video !== undefined) return { kind: 'video', id: video.file_id, name: video.file_name ?? '' };
  if (sticker !== undefined) {
    return { kind: 'sticker', id: sticker.file_id, name: sticker.emoji ?? '' };
  }
  if (document === undefined) return null;
  return { kind: 'document', id: document.file_id, name: document.file_name ?? 'file' };
}
