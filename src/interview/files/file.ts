import type { ChannelName } from '../../channels';
import { storable } from '../../common/text';
import type { Language } from '../../vacancies';
import { FILE_ENDINGS, type FileType } from './file-type';

/**
 * A file that a candidate sent: one row of the table `file` for its message, whose text is the
 * file's name and size. No part of the file goes to a model.
 *
 *   announced ──fetched, and of a type that is taken──> kept
 *       └──cannot be fetched, or is something else────> refused
 *
 *   announced  the channel holds it under `source`; no bytes are stored yet.
 *   kept       its bytes are stored; `mimeType` is the type that they show.
 *   refused    no bytes are stored, `problem` says why, and the candidate got a notice.
 *   deleted    it was kept, and its time is over; set by the retention.
 *
 * FileService makes it announced or kept, FileWorker everything else.
 */
export type FileState = 'announced' | 'kept' | 'refused' | 'deleted';

/**
 * Why a file was refused.
 *
 *   type       its content is of a type that is not accepted
 *   word_format  a Word document with macros, a template, an older one or one with a password
 *   too_large  it has more bytes than are taken
 *   gone       its channel no longer has it
 *   failed     every try to fetch it failed
 *   withdrawn  its candidate has ended the interview
 */
export type FileProblem = 'type' | 'word_format' | 'too_large' | 'gone' | 'failed' | 'withdrawn';

export type FileEnd =
  | {
      readonly kind: 'kept';
      readonly name: string;
      readonly mimeType: FileType;
      readonly needsPassword: boolean;
      readonly bytes: Buffer;
    }
  | { readonly kind: 'refused'; readonly problem: FileProblem };

export interface NewFile {
  readonly conversationId: string;
  readonly channel: ChannelName;
  /** The channel's own id of the message. */
  readonly externalId: string;
  /** The sender's name for it. */
  readonly name: string;
  /** All bytes, or the reference by which the channel hands them out; size 0: not known yet. */
  readonly content:
    | { readonly kind: 'bytes'; readonly bytes: Buffer }
    | { readonly kind: 'reference'; readonly reference: string; readonly sizeBytes: number };
}

/** Without its bytes. */
export interface FileRow {
  readonly messageId: string;
  readonly conversationId: string;
  readonly channel: ChannelName;
  readonly receivedAt: Date;
  readonly state: FileState;
  readonly name: string;
  /** Null until the content was read. */
  readonly mimeType: FileType | null;
  /** A PDF that nobody opens without a password or a certificate. */
  readonly needsPassword: boolean;
  readonly sizeBytes: number;
  readonly source: string | null;
  readonly problem: FileProblem | null;
}

/** In UTF-8: what ext4, Btrfs, ZFS and XFS take as a name. */
const MAX_NAME_BYTES = 255;
const MAX_ENDING = 10;

/**
 * Control, format and private characters can hide or reverse an ending; `/` and `\` lead to other
 * folders; a zero-width non-joiner between letters is spelling in Persian and other languages;
 * brackets would end the message's text early; Windows refuses the others.
 */
const INVISIBLE = /(?!(?<=[\p{L}\p{M}])\u200c(?=\p{L}))[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const UNWANTED = /[[\]{}<>:"|?*`]/g;

/**
 * The name under which a file is shown and saved. It ends with an ending of its type: a PDF called
 * `cv.exe` becomes `cv.exe.pdf`. `type` null: not known yet. `unnamed` stands for a name without any
 * letter that can stay.
 */
export function cleanFileName(given: string, type: FileType | null, unnamed: string): string {
  const last = storable(given, '').split(/[\\/]/).at(-1) ?? '';
  const visible = last
    .replace(INVISIBLE, '')
    .normalize('NFC')
    .replace(UNWANTED, '_')
    .replace(/\s+/g, ' ');
  const name = withoutEnd(visible.replace(/^[. ]+/, ''));
  const dot = name.lastIndexOf('.');
  const hasEnding = dot > 0 && name.length - dot - 1 <= MAX_ENDING;
  const ending = hasEnding ? name.slice(dot + 1) : '';
  const stem = hasEnding ? name.slice(0, dot) : name;
  const endings: readonly string[] = type === null ? [ending] : FILE_ENDINGS[type];
  if (endings.includes(ending.toLowerCase()) || type === null) {
    return joinedName(stem, ending, unnamed);
  }
  return joinedName(name, endings[0] ?? '', unnamed);
}

function joinedName(stem: string, ending: string, unnamed: string): string {
  const tail = ending === '' ? '' : `.${ending}`;
  const short = cutToBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(tail));
  return `${withoutEnd(short) || unnamed}${tail}`;
}

/** What a reader sees as one character, such as a letter with its marks, is kept whole or not at all. */
const CHARACTERS = new Intl.Segmenter();

function cutToBytes(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  let bytes = 0;
  for (const { segment, index } of CHARACTERS.segment(text)) {
    bytes += Buffer.byteLength(segment);
    if (bytes > most) return text.slice(0, index);
  }
  return text;
}

/** Without dots and spaces at its end. In one pass: /[. ]+$/ tries each run of them from each of its signs. */
function withoutEnd(name: string): string {
  let end = name.length;
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end -= 1;
  return name.slice(0, end);
}

const UNITS: Readonly<Record<Language, readonly [string, string, string]>> = {
  en: ['B', 'KB', 'MB'],
  ru: ['Б', 'КБ', 'МБ'],
};
const KB = 1024;

/** A size for people: `240 KB`, `1,5 МБ`. */
export function sizeInWords(bytes: number, language: Language): string {
  const [small, middle, large] = UNITS[language];
  if (bytes < KB) return `${bytes} ${small}`;
  const inKb = Math.round(bytes / KB);
  if (inKb < KB) return `${inKb} ${middle}`;
  const inMb = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  return `${inMb.format(bytes / KB / KB)} ${large}`;
}
