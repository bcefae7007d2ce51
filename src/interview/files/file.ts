import type { ChannelName } from '../../channels';
import { storable } from '../../common/text';
import type { Language } from '../../vacancies';

/**
 * The type of a file, by its content alone, because its name and announced type may be wrong. Only
 * types that a recruiter can open and that run no code when they are opened are taken.
 */

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** The endings of each type that is taken; the first one is added to a name without any. */
export const FILE_ENDINGS = {
  'application/pdf': ['pdf'],
  [DOCX]: ['docx'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/png': ['png'],
  'image/webp': ['webp'],
  'image/gif': ['gif'],
  'image/heic': ['heic', 'heif'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type FileType = keyof typeof FILE_ENDINGS;

/** Null: not a type that is taken. */
export function fileTypeOf(bytes: Buffer): FileType | null {
  if (startsWith(bytes, PDF)) return 'application/pdf';
  if (startsWith(bytes, JPEG)) return 'image/jpeg';
  if (startsWith(bytes, PNG)) return 'image/png';
  const head = bytes.toString('latin1', 0, 12);
  if (/^GIF8[79]a/.test(head)) return 'image/gif';
  if (/^RIFF.{4}WEBP/s.test(head)) return 'image/webp';
  if (/^.{4}ftyp(heic|heix|heim|heis|hevc|hevx|mif1|msf1)/s.test(head)) return 'image/heic';
  return isDocx(bytes) ? DOCX : null;
}

const PDF = Buffer.from('%PDF-');
const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');

function startsWith(bytes: Buffer, beginning: Buffer): boolean {
  return bytes.subarray(0, beginning.length).equals(beginning);
}

/** A Word document is a ZIP with these two entries; one with macros has `vbaProject.bin` too. */
function isDocx(bytes: Buffer): boolean {
  const names = entriesOf(bytes);
  if (!names.includes('[Content_Types].xml') || !names.includes('word/document.xml')) return false;
  return !names.some((name) => name.toLowerCase().endsWith('vbaproject.bin'));
}

/** APPNOTE.TXT 4.3: the directory at the end of a ZIP, found by its end record. */
const LOCAL_HEADER = 0x04034b50;
const ENTRY = { signature: 0x02014b50, size: 46, name: 28, extra: 30, comment: 32 };
const END = { signature: Buffer.from('PK\x05\x06', 'latin1'), size: 22, count: 10, offset: 16 };
const LONGEST_COMMENT = 65_535;
/** More entries than any document has. */
const MAX_ENTRIES = 10_000;

/** The names in a ZIP's directory; none if it is not a ZIP or is damaged. */
function entriesOf(bytes: Buffer): string[] {
  if (bytes.length < END.size || bytes.readUInt32LE(0) !== LOCAL_HEADER) return [];
  const end = bytes.lastIndexOf(END.signature, bytes.length - END.size);
  if (end < 0 || end < bytes.length - END.size - LONGEST_COMMENT) return [];
  const count = bytes.readUInt16LE(end + END.count);
  if (count > MAX_ENTRIES) return [];
  const names: string[] = [];
  let at = bytes.readUInt32LE(end + END.offset);
  for (let entry = 0; entry < count; entry += 1) {
    if (at + ENTRY.size > end || bytes.readUInt32LE(at) !== ENTRY.signature) return [];
    const nameLength = bytes.readUInt16LE(at + ENTRY.name);
    const nameAt = at + ENTRY.size;
    names.push(bytes.toString('latin1', nameAt, nameAt + nameLength));
    const extra = bytes.readUInt16LE(at + ENTRY.extra);
    at = nameAt + nameLength + extra + bytes.readUInt16LE(at + ENTRY.comment);
  }
  return names;
}

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
 *   too_large  it has more bytes than are taken
 *   gone       its channel no longer has it
 *   failed     every try to fetch it failed
 *   withdrawn  its candidate has ended the interview
 */
export type FileProblem = 'type' | 'too_large' | 'gone' | 'failed' | 'withdrawn';

export type FileEnd =
  | {
      readonly kind: 'kept';
      readonly name: string;
      readonly mimeType: FileType;
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
  readonly sizeBytes: number;
  readonly source: string | null;
  readonly problem: FileProblem | null;
}

/** In UTF-16 units: short enough for screens and file systems. */
const MAX_NAME = 100;
const MAX_ENDING = 10;

/**
 * Control, format and private characters can hide or reverse an ending; `/` and `\` lead to other
 * folders; brackets would end the message's text early; Windows refuses the others.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const UNWANTED = /[[\]{}<>:"|?*`]/g;

/**
 * The name under which a file is shown and saved. It ends with an ending of its type: a PDF called
 * `cv.exe` becomes `cv.exe.pdf`. `type` null: not known yet.
 */
export function cleanFileName(given: string, type: FileType | null): string {
  const last = storable(given, '').normalize('NFC').split(/[\\/]/).at(-1) ?? '';
  const visible = last.replace(INVISIBLE, '').replace(UNWANTED, '_').replace(/\s+/g, ' ');
  const name = withoutEnd(visible.replace(/^[. ]+/, ''));
  const dot = name.lastIndexOf('.');
  const hasEnding = dot > 0 && name.length - dot - 1 <= MAX_ENDING;
  const ending = hasEnding ? name.slice(dot + 1) : '';
  const stem = hasEnding ? name.slice(0, dot) : name;
  const endings: readonly string[] = type === null ? [ending] : FILE_ENDINGS[type];
  if (endings.includes(ending.toLowerCase()) || type === null) return joinedName(stem, ending);
  return joinedName(name, endings[0] ?? '');
}

function joinedName(stem: string, ending: string): string {
  const tail = ending === '' ? '' : `.${ending}`;
  const short = stem.slice(0, MAX_NAME - tail.length).replace(/[\ud800-\udbff]$/, '');
  return `${withoutEnd(short) || 'file'}${tail}`;
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
