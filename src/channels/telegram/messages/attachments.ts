import type { Contact, Location, Message } from 'telegraf/types';
import type { AttachmentKind, TelegramTexts } from '../texts/texts';
import { nameOfChat } from './message-context';

/** What a message contains apart from its text. `fileId` is the Bot API's reference to its content. */
export interface TelegramAttachment {
  readonly kind: AttachmentKind;
  readonly group?: string;
  /** What it is, in words of its own: a name and a number, a question and its choices. */
  readonly about?: string;
  readonly fileId?: string;
  readonly fileName?: string;
  readonly mimeType?: string;
  readonly sizeBytes?: number;
  readonly [other: string]: unknown;
}

/** What a message without text becomes. */
export type SentMedia =
  /** It is transcribed. */
  | {
      readonly kind: 'voice';
      readonly reference: string;
      readonly mimeType: string;
      readonly sizeBytes: number;
      readonly durationS: number | null;
    }
  /** It is stored if its type is accepted. `name` empty: Telegram gave none. */
  | {
      readonly kind: 'file';
      readonly reference: string;
      readonly name: string;
      readonly sizeBytes: number;
      readonly attachment: Pick<TelegramAttachment, 'kind' | 'group'>;
    }
  /** Only the fact that it came is stored. */
  | { readonly kind: 'other'; readonly attachment: TelegramAttachment };

/** In this order, because an animation also has a document. */
const FILES = ['animation', 'video', 'video_note', 'audio', 'sticker', 'document'] as const;

/** Service messages of Telegram, which are ignored. */
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
  /** Of a sticker. */
  readonly emoji?: string;
  readonly file_name?: string;
  readonly mime_type?: string;
  readonly file_size?: number;
}

export function isService(message: Message): boolean {
  return SERVICE.some((name) => name in message);
}

/** The media of a message without text. */
export function mediaOf(message: Message): SentMedia {
  if ('voice' in message) return voiceOf(message.voice, 'audio/ogg');
  if ('video_note' in message) return voiceOf(message.video_note, 'video/mp4');
  if ('audio' in message) {
    const { mime_type } = message.audio;
    return voiceOf(message.audio, audioTypeOf({ mime_type }) ?? 'audio/mpeg');
  }
  const attachment = attachmentOf(message);
  const { kind, fileId, group, fileName = '', mimeType, sizeBytes = 0 } = attachment;
  if (fileId === undefined || (kind !== 'photo' && kind !== 'document')) {
    return { kind: 'other', attachment };
  }
  const audioType = audioTypeOf({ mime_type: mimeType, file_name: fileName });
  if (audioType !== null) return voiceOf({ file_id: fileId, file_size: sizeBytes }, audioType);
  return {
    kind: 'file',
    reference: fileId,
    name: fileName,
    sizeBytes,
    attachment: group === undefined ? { kind } : { kind, group },
  };
}

function voiceOf(
  file: { file_id: string; file_size?: number | undefined; duration?: number },
  mimeType: string,
): SentMedia {
  const { file_id: reference, file_size: sizeBytes = 0, duration: durationS = null } = file;
  return { kind: 'voice', reference, mimeType, sizeBytes, durationS };
}

/** Types without `audio/` that recorders give their files. The bytes decide what it is. */
const ALSO_AUDIO = new Set(['application/ogg', 'video/ogg', 'video/webm']);
/** Clients announce these for a file whose type they do not know. */
const NO_TYPE = new Set(['', 'application/octet-stream', 'binary/octet-stream']);
const AUDIO_NAME = /\.(mp3|m4a|aac|og[ga]|opus|wav|flac|weba)$/i;

/** Null: neither the announced type nor, without one, the name is that of an audio. */
function audioTypeOf(file: {
  mime_type?: string | undefined;
  file_name?: string | undefined;
}): string | null {
  const { mime_type: type = '', file_name: name = '' } = file;
  if (type.startsWith('audio/') || ALSO_AUDIO.has(type)) return type;
  return NO_TYPE.has(type) && AUDIO_NAME.test(name) ? 'application/octet-stream' : null;
}

function attachmentOf(message: Message): TelegramAttachment {
  const { media_group_id: group } = message as { media_group_id?: string };
  return { ...contentOf(message), ...(group === undefined ? {} : { group }) };
}

/** Longest description, in UTF-16 units. */
const MAX_ABOUT = 1000;

/**
 * What has no file is told in words, so that nothing of it is lost. In this order, because a venue has a
 * location, too.
 */
const DESCRIBED: readonly [AttachmentKind, (message: MessageOfAnyKind) => string | undefined][] = [
  ['contact', ({ contact }) => contact && listed([named(contact), contact.phone_number], ', ')],
  [
    'venue',
    ({ venue }) => venue && listed([venue.title, venue.address, placeOf(venue.location)], ', '),
  ],
  ['location', ({ location }) => location && placeOf(location)],
  [
    'poll',
    ({ poll }) =>
      poll &&
      `${poll.question} ${listed(
        poll.options.map(({ text }) => text),
        ' / ',
      )}`,
  ],
  [
    'checklist',
    ({ checklist }) =>
      checklist &&
      `${checklist.title}: ${listed(
        checklist.tasks.map(({ text }) => text),
        '; ',
      )}`,
  ],
  ['dice', ({ dice }) => dice && `${dice.emoji} ${String(dice.value)}`],
  ['story', ({ story }) => story && nameOfChat(story.chat)],
  ['game', ({ game }) => game && game.title],
];

/** A message with what any of its kinds may have. */
interface MessageOfAnyKind {
  readonly contact?: Message.ContactMessage['contact'];
  readonly venue?: Message.VenueMessage['venue'];
  readonly location?: Message.LocationMessage['location'];
  readonly poll?: Message.PollMessage['poll'];
  /** Of the Bot API 9.1; telegraf's types do not have it yet. */
  readonly checklist?: {
    readonly title: string;
    readonly tasks: readonly { readonly text: string }[];
  };
  readonly dice?: Message.DiceMessage['dice'];
  readonly story?: Message.StoryMessage['story'];
  readonly game?: Message.GameMessage['game'];
}

function named({ first_name: first, last_name: last = '' }: Contact): string {
  return `${first} ${last}`.trim();
}

function placeOf({ latitude, longitude }: Location): string {
  return `${latitude.toFixed(5)}, ${longitude.toFixed(5)}`;
}

function listed(parts: readonly string[], separator: string): string {
  return parts.filter((part) => part.trim() !== '').join(separator);
}

/** The line that stands for it in the transcript: `[contact: Sam Referee, +1 555 0100]`. */
export function lineOf(
  { kind, about = '' }: Pick<TelegramAttachment, 'kind' | 'about'>,
  texts: Pick<TelegramTexts, 'attachment'>,
): string {
  const label = texts.attachment[kind];
  return about === '' ? label : `${label.slice(0, -1)}: ${about}]`;
}

function contentOf(message: Message): TelegramAttachment {
  if ('photo' in message) {
    const bySize = message.photo.toSorted((a, b) => a.width * a.height - b.width * b.height);
    const largest = bySize.at(-1);
    return largest === undefined ? { kind: 'photo' } : fileOf('photo', largest);
  }
  for (const kind of FILES) {
    const file = (message as Partial<Record<typeof kind, File>>)[kind];
    if (file !== undefined) return fileOf(kind, file);
  }
  for (const [kind, aboutOf] of DESCRIBED) {
    const about = aboutOf(message as MessageOfAnyKind);
    if (about !== undefined)
      return { kind, about: about.replace(/\s+/g, ' ').trim().slice(0, MAX_ABOUT) };
  }
  return { kind: 'other' };
}

function fileOf(kind: AttachmentKind, file: File): TelegramAttachment {
  const { file_id, file_name, mime_type, file_size, emoji = '' } = file;
  return {
    kind,
    fileId: file_id,
    ...(emoji === '' ? {} : { about: emoji }),
    ...(file_name === undefined ? {} : { fileName: file_name }),
    ...(mime_type === undefined ? {} : { mimeType: mime_type }),
    ...(file_size === undefined ? {} : { sizeBytes: file_size }),
  };
}
