/**
 * What a file is, by its content alone: its name and what its sender says of it may be anything.
 * Only types that a recruiter can open, and that run nothing when they are opened.
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

/** Null: nothing that is taken. */
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

/** A Word document is a ZIP with certain entries; with macros it would have one more. */
function isDocx(bytes: Buffer): boolean {
  const names = entriesOf(bytes);
  if (!names.includes('[Content_Types].xml') || !names.includes('word/document.xml')) return false;
  return !names.some((name) => name.toLowerCase().endsWith('vbaproject.bin'));
}

/** APPNOTE.TXT 4.3: the directory at the end of a ZIP, found by the record that closes it. */
const LOCAL_HEADER = 0x04034b50;
const ENTRY = { signature: 0x02014b50, size: 46, name: 28, extra: 30, comment: 32 };
const END = { signature: Buffer.from('PK\x05\x06', 'latin1'), size: 22, count: 10, offset: 16 };
const LONGEST_COMMENT = 65_535;
/** More than any document has. */
const MAX_ENTRIES = 10_000;

/** The names in a ZIP's directory; none where it is no ZIP, or a damaged one. */
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
