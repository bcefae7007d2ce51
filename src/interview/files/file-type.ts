import { needsPassword } from './pdf-lock';
import { isOldOrLockedWord, readPackage } from './word-document';

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

/** A type that is taken, or why it is not (FileProblem). */
export type FileReading =
  | { readonly type: FileType; readonly needsPassword: boolean }
  | { readonly problem: 'type' | 'word_format' };

export function readFileType(bytes: Buffer): FileReading {
  const type = pictureTypeOf(bytes);
  if (type !== null) return { type, needsPassword: false };
  const word = readPackage(bytes);
  if (word === 'document') return { type: DOCX, needsPassword: false };
  if (word === 'other' || isOldOrLockedWord(bytes)) return { problem: 'word_format' };
  const headerAt = pdfHeaderOf(bytes);
  if (headerAt === null) return { problem: 'type' };
  return { type: 'application/pdf', needsPassword: needsPassword(bytes, headerAt) };
}

function pictureTypeOf(bytes: Buffer): FileType | null {
  if (startsWith(bytes, JPEG)) return 'image/jpeg';
  if (startsWith(bytes, PNG)) return 'image/png';
  const head = bytes.toString('latin1', 0, 12);
  if (/^GIF8[79]a/.test(head)) return 'image/gif';
  if (/^RIFF.{4}WEBP/s.test(head)) return 'image/webp';
  if (/^.{4}ftyp(heic|heix|heim|heis|hevc|hevx|mif1|msf1)/s.test(head)) return 'image/heic';
  return null;
}

const JPEG = Buffer.from([0xff, 0xd8, 0xff]);
const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');

function startsWith(bytes: Buffer, beginning: Buffer): boolean {
  return bytes.subarray(0, beginning.length).equals(beginning);
}

const ZIP = Buffer.from('PK\x03\x04', 'latin1');
const PDF = '%PDF-';
const PDF_END = '%%EOF';
/** Printers, mail programs and web servers put other bytes before it; readers look for it so far. */
const PDF_HEADER_WITHIN = 1024;

/**
 * Where its header begins; null: no PDF. A text may mention a header, but has no end of a PDF; an
 * archive may contain a whole one.
 */
function pdfHeaderOf(bytes: Buffer): number | null {
  if (startsWith(bytes, ZIP)) return null;
  const at = bytes.subarray(0, PDF_HEADER_WITHIN).indexOf(PDF);
  if (at === 0 || (at > 0 && bytes.includes(PDF_END, at))) return at;
  return null;
}
