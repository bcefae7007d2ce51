/** The protocol's limit on an upload. */
export const MAX_AUDIO_BYTES = 25 * 1024 * 1024;

const ENDING_BY_TYPE: Readonly<Record<string, string>> = {
  'audio/webm': 'webm',
  'audio/ogg': 'ogg',
  'audio/opus': 'ogg',
  'audio/mp4': 'mp4',
  'audio/x-m4a': 'm4a',
  'audio/m4a': 'm4a',
  'audio/aac': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
  'audio/wav': 'wav',
  'audio/wave': 'wav',
  'audio/x-wav': 'wav',
  'audio/flac': 'flac',
  'audio/x-flac': 'flac',
  'audio/vnd.wave': 'wav',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
};

/** Endings that servers take; what people and Telegram write instead. */
const TAKEN = new Set(['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'ogg', 'wav', 'webm']);
const OTHERWISE: Readonly<Record<string, string>> = { oga: 'ogg', opus: 'ogg' };

/**
 * The name of an upload: servers go by its ending, and refuse the `.oga` of Telegram's voices. The
 * rest of a name is a person's own and stays here.
 */
export function uploadName(mimeType: string, fileName: string | null): string {
  const given = /\.([a-z0-9]+)$/i.exec(fileName ?? '')?.[1]?.toLowerCase() ?? '';
  const ending = OTHERWISE[given] ?? given;
  if (TAKEN.has(ending)) return `voice.${ending}`;
  const type = mimeType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return `voice.${ENDING_BY_TYPE[type] ?? 'ogg'}`;
}
