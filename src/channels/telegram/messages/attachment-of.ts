import type { Message } from 'telegraf/types';
import type { AttachmentKind } from '../texts';

/** What a message holds beside its text; `fileId` is how the Bot API hands it out. */
export interface TelegramAttachment {
  readonly kind: AttachmentKind;
  readonly group?: string;
  readonly fileId?: string;
  readonly fileName?: string;
  readonly mimeType?: string;
  readonly sizeBytes?: number;
  readonly [other: string]: unknown;
}

/** In this order: an animation comes as a document, too. */
const FILES = ['animation', 'video', 'video_note', 'audio', 'sticker', 'document'] as const;

/** Of what Telegram itself says in a chat, nothing is kept and nothing answered. */
const SERVICE = [
  'pinned_message',
  'message_auto_delete_timer_changed',
  'write_access_allowed',
  'chat_background_set',
  'boost_added',
  'connected_website',
  'new_chat_title',
  'new_chat_photo',
  'delete_chat_photo',
] as const;

interface File {
  readonly file_id: string;
  readonly file_name?: string;
  readonly mime_type?: string;
  readonly file_size?: number;
}

export function isService(message: Message): boolean {
  return SERVICE.some((name) => name in message);
}

/** Of a message that is neither text nor voice. */
export function attachmentOf(message: Message): TelegramAttachment {
  const { media_group_id: group } = message as { media_group_id?: string };
  return { ...contentOf(message), ...(group === undefined ? {} : { group }) };
}

function contentOf(message: Message): TelegramAttachment {
  if ('photo' in message) {
    const largest = message.photo.at(-1);
    return largest === undefined ? { kind: 'photo' } : fileOf('photo', largest);
  }
  for (const kind of FILES) {
    const file = (message as Partial<Record<typeof kind, File>>)[kind];
    if (file !== undefined) return fileOf(kind, file);
  }
  if ('contact' in message) {
    const { phone_number: phoneNumber, first_name: firstName } = message.contact;
    return { kind: 'contact', phoneNumber, firstName };
  }
  if ('location' in message) {
    const { latitude, longitude } = message.location;
    return { kind: 'location', latitude, longitude };
  }
  return { kind: 'poll' in message ? 'poll' : 'other' };
}

function fileOf(kind: AttachmentKind, file: File): TelegramAttachment {
  const { file_id, file_name, mime_type, file_size } = file;
  return {
    kind,
    fileId: file_id,
    ...(file_name === undefined ? {} : { fileName: file_name }),
    ...(mime_type === undefined ? {} : { mimeType: mime_type }),
    ...(file_size === undefined ? {} : { sizeBytes: file_size }),
  };
}
