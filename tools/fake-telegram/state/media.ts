import type { Message } from '@grammyjs/types';
import type { NewFile, StoredFile } from './files';

export type MediaKind =
  'photo' | 'document' | 'voice' | 'sticker' | 'video_note' | 'video' | 'audio';

/** The facts about an uploaded file. */
export interface GivenFile {
  readonly bytes: Buffer;
  readonly name?: string;
  readonly mimeType?: string;
  readonly sizeBytes?: number;
  /** Whole seconds, for what has a length. */
  readonly durationS?: number;
}

const FOLDERS: Readonly<Record<MediaKind, readonly [folder: string, extension: string]>> = {
  photo: ['photos', 'jpg'],
  document: ['documents', 'bin'],
  // Telegram's voices are Ogg/Opus under this ending.
  voice: ['voice', 'oga'],
  sticker: ['stickers', 'webp'],
  video_note: ['video_notes', 'mp4'],
  video: ['videos', 'mp4'],
  audio: ['music', 'mp3'],
};

/** Where the server keeps a file of this kind. */
export function fileOfKind(
  kind: MediaKind,
  { bytes, name, mimeType, sizeBytes }: GivenFile,
): NewFile {
  const [folder, extension] = FOLDERS[kind];
  const own = kind === 'document' ? /\.(\w+)$/.exec(name ?? '')?.[1] : undefined;
  return {
    folder,
    extension: own ?? extension,
    bytes,
    ...(name === undefined ? {} : { name }),
    ...(mimeType === undefined || mimeType === '' ? {} : { mimeType }),
    ...(sizeBytes === undefined ? {} : { sizeBytes }),
  };
}

/** The part of a message that shows a file. Pictures are claimed to be 320 pixels wide. */
export function mediaContent(kind: MediaKind, file: StoredFile, durationS = 3): Partial<Message> {
  const { file_id, file_unique_id, file_size, mimeType: mime_type, name: file_name } = file;
  const base = { file_id, file_unique_id, file_size };
  const picture = { width: 320, height: 240 };
  switch (kind) {
    case 'photo':
      return { photo: [{ ...base, ...picture }] };
    case 'document':
      return { document: { ...base, mime_type, file_name } };
    case 'voice':
      return { voice: { ...base, duration: durationS, mime_type: 'audio/ogg' } };
    case 'sticker':
      return {
        sticker: {
          ...base,
          type: 'regular',
          ...{ width: 512, height: 512 },
          ...{ is_animated: false, is_video: false },
        },
      };
    case 'video_note':
      return { video_note: { ...base, length: 240, duration: durationS } };
    case 'video':
      return { video: { ...base, ...picture, duration: durationS, mime_type, file_name } };
    case 'audio':
      return { audio: { ...base, duration: durationS, mime_type, file_name } };
  }
}
