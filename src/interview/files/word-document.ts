import { inflateRawSync } from 'node:zlib';

/**
 * What a ZIP says about its Word document (ECMA-376, part 2): the package's relationships name the main part,
 * and the content types say what it is. The name of the part is the program's choice: Word on the web
 * writes `word/document2.xml`. Only these two small parts are unpacked.
 *
 *   document  a DOCX
 *   other     a Word document with macros, or a template
 *   none      no Word document, or a damaged one
 */
export function readPackage(bytes: Buffer): 'document' | 'other' | 'none' {
  const entries = entriesOf(bytes);
  const main = mainPartOf(xmlOf(bytes, entries.get('/_rels/.rels')));
  const typeOf = contentTypesOf(xmlOf(bytes, entries.get('/[content_types].xml')));
  if (main === null || !entries.has(main)) return 'none';
  const type = typeOf(main);
  if (OTHER_WORD_TYPES.has(type)) return 'other';
  if (type !== DOCUMENT_TYPE) return 'none';
  const hasMacros = [...entries.keys()].some(
    (name) => name.endsWith('vbaproject.bin') || typeOf(name) === MACROS_TYPE,
  );
  return hasMacros ? 'other' : 'document';
}

/** Before Office 2007, and today around what has a password, Office writes compound files ([MS-CFB]). */
export function isOldOrLockedWord(bytes: Buffer): boolean {
  if (!bytes.subarray(0, COMPOUND.length).equals(COMPOUND)) return false;
  return ['WordDocument', 'EncryptedPackage'].some((name) =>
    bytes.includes(Buffer.from(name, 'utf16le')),
  );
}

const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** In lower case, because media types and names of parts are compared without case. */
const DOCUMENT_TYPE =
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
const OTHER_WORD_TYPES: ReadonlySet<string> = new Set([
  'application/vnd.ms-word.document.macroenabled.main+xml',
  'application/vnd.ms-word.template.macroenabledtemplate.main+xml',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml',
]);
const MACROS_TYPE = 'application/vnd.ms-office.vbaproject';
/** The second one is of strict documents (ISO/IEC 29500-1). */
const MAIN_PART: ReadonlySet<string | undefined> = new Set([
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument',
  'http://purl.oclc.org/ooxml/officeDocument/relationships/officeDocument',
]);

function mainPartOf(relationships: string): string | null {
  const main = elementsOf(relationships, 'Relationship').find(
    (attributes) =>
      MAIN_PART.has(attributes.get('Type')) && attributes.get('TargetMode') !== 'External',
  );
  return partNameOf(main?.get('Target') ?? '');
}

/** Relative to the package's root; null: not a part of the package. */
function partNameOf(target: string): string | null {
  const base = 'pack://package/';
  if (target === '' || !URL.canParse(target, base)) return null;
  const { host, pathname } = new URL(target, base);
  return host === 'package' ? pathname.toLowerCase() : null;
}

/** By the part's name, else by its ending; empty: no type is given. */
function contentTypesOf(types: string): (part: string) => string {
  const byKey = (element: string, key: string) =>
    new Map(
      elementsOf(types, element).map((attributes) => [
        attributes.get(key)?.toLowerCase(),
        attributes.get('ContentType')?.toLowerCase() ?? '',
      ]),
    );
  const ofParts = byKey('Override', 'PartName');
  const ofEndings = byKey('Default', 'Extension');
  return (part) => ofParts.get(part) ?? ofEndings.get(part.slice(part.lastIndexOf('.') + 1)) ?? '';
}

const ATTRIBUTE = /(?<![\w:.-])([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

/** The attributes of each element of that name, under any prefix. Neither part has text or a DTD. */
function elementsOf(xml: string, name: string): Map<string, string>[] {
  return xml
    .split('<')
    .filter((tag) => /^(?:[\w.-]+:)?(\w+)/.exec(tag)?.[1] === name)
    .map(
      (tag) =>
        new Map(
          [...tag.matchAll(ATTRIBUTE)].map(([, key = '', double, single]) => [
            key,
            unescaped(double ?? single ?? ''),
          ]),
        ),
    );
}

function unescaped(value: string): string {
  return value
    .replace(/&#(?:x([\da-f]{1,4})|(\d{1,5}));/gi, (_, hex?: string, decimal?: string) =>
      String.fromCharCode(hex === undefined ? Number(decimal) : parseInt(hex, 16)),
    )
    .replaceAll('&amp;', '&');
}

/** More than the two parts ever have; an answer must not unpack more. */
const MAX_PART_BYTES = 1024 * 1024;

/** Empty: the part is missing, damaged, encrypted or too large. */
function xmlOf(bytes: Buffer, entry: Entry | undefined): string {
  const content = entry === undefined ? null : contentOf(bytes, entry);
  if (content === null) return '';
  return withoutComments(textOf(content));
}

function withoutComments(xml: string): string {
  const [before = '', ...comments] = xml.split('<!--');
  const after = comments.map((text) =>
    text.includes('-->') ? text.slice(text.indexOf('-->')) : '',
  );
  return [before, ...after].join('');
}

/** UTF-8 or UTF-16, as ECMA-376 allows. */
function textOf(content: Buffer): string {
  const mark = content.toString('latin1', 0, 2);
  if (mark === '\xff\xfe') return content.toString('utf16le', 2);
  if (mark !== '\xfe\xff') return content.toString('utf8');
  return Buffer.from(content.subarray(2, content.length - (content.length % 2)))
    .swap16()
    .toString('utf16le');
}

/** APPNOTE.TXT 4.3: the directory at the end of a ZIP, found by its end record. */
const LOCAL = { signature: 0x04034b50, size: 30, name: 26, extra: 28 };
const ENTRY = {
  signature: 0x02014b50,
  size: 46,
  flags: 8,
  method: 10,
  packed: 20,
  name: 28,
  extra: 30,
  comment: 32,
  offset: 42,
};
const END = { signature: Buffer.from('PK\x05\x06', 'latin1'), size: 22, count: 10, offset: 16 };
const LONGEST_COMMENT = 65_535;
/** More entries than any document has. */
const MAX_ENTRIES = 10_000;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;

interface Entry {
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly packedBytes: number;
  readonly offset: number;
}

/** By name, as `/word/document.xml` in lower case. Empty: not a ZIP, damaged, or a name comes twice. */
function entriesOf(bytes: Buffer): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  const none = new Map<string, Entry>();
  if (bytes.length < END.size || bytes.readUInt32LE(0) !== LOCAL.signature) return none;
  const end = bytes.lastIndexOf(END.signature, bytes.length - END.size);
  if (end < 0 || end < bytes.length - END.size - LONGEST_COMMENT) return none;
  const count = bytes.readUInt16LE(end + END.count);
  if (count > MAX_ENTRIES) return none;
  let at = bytes.readUInt32LE(end + END.offset);
  for (let number = 0; number < count; number += 1) {
    if (at + ENTRY.size > end || bytes.readUInt32LE(at) !== ENTRY.signature) return none;
    const nameAt = at + ENTRY.size;
    const nameEnd = nameAt + bytes.readUInt16LE(at + ENTRY.name);
    const name = `/${bytes.toString('latin1', nameAt, nameEnd).toLowerCase()}`;
    // Readers differ in which of two they take.
    if (entries.has(name)) return none;
    entries.set(name, {
      isEncrypted: (bytes.readUInt16LE(at + ENTRY.flags) & ENCRYPTED) !== 0,
      method: bytes.readUInt16LE(at + ENTRY.method),
      packedBytes: bytes.readUInt32LE(at + ENTRY.packed),
      offset: bytes.readUInt32LE(at + ENTRY.offset),
    });
    at = nameEnd + bytes.readUInt16LE(at + ENTRY.extra) + bytes.readUInt16LE(at + ENTRY.comment);
  }
  return entries;
}

function contentOf(bytes: Buffer, entry: Entry): Buffer | null {
  const { isEncrypted, method, packedBytes, offset } = entry;
  if (isEncrypted || packedBytes > MAX_PART_BYTES || offset + LOCAL.size > bytes.length)
    return null;
  if (bytes.readUInt32LE(offset) !== LOCAL.signature) return null;
  const names = bytes.readUInt16LE(offset + LOCAL.name) + bytes.readUInt16LE(offset + LOCAL.extra);
  const at = offset + LOCAL.size + names;
  const packed = bytes.subarray(at, at + packedBytes);
  if (method === STORED) return packed;
  return method === DEFLATED ? inflated(packed) : null;
}

function inflated(packed: Buffer): Buffer | null {
  try {
    return inflateRawSync(packed, { maxOutputLength: MAX_PART_BYTES });
  } catch {
    return null;
  }
}
