/** Small files of the types that people send. Most hold only enough bytes to be recognised. */
import { deflateRawSync } from 'node:zlib';

export const PDF = Buffer.from('%PDF-1.7\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n');
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
export const JPG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, ...Buffer.from('JFIF\0')]);
export const GIF = Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1');
export const WEBP = Buffer.from('RIFF\x1a\0\0\0WEBPVP8L', 'latin1');
export const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
export const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
export const MAIN_TYPE =
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml';
export const OFFICE_DOCUMENT =
  'http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument';

/** `_rels/.rels`, which leads to the main part. */
export function relationships(target: string, type = OFFICE_DOCUMENT): string {
  return (
    `${XML}<Relationships xmlns="${PACKAGE}/relationships">` +
    `<Relationship Id="rId1" Type="${type}" Target="${target}"/></Relationships>`
  );
}

/** `[Content_Types].xml`: by the part's name, `/word/document.xml`, or by an ending, `bin`. */
export function contentTypes(types: Readonly<Record<string, string>>): string {
  const rows = Object.entries(types).map(([of, type]) =>
    of.startsWith('/')
      ? `<Override PartName="${of}" ContentType="${type}"/>`
      : `<Default Extension="${of}" ContentType="${type}"/>`,
  );
  return `${XML}<Types xmlns="${PACKAGE}/content-types">${rows.join('')}</Types>`;
}

const WORD = {
  '[Content_Types].xml': contentTypes({
    rels: 'application/vnd.openxmlformats-package.relationships+xml',
    xml: 'application/xml',
    '/word/document.xml': MAIN_TYPE,
  }),
  '_rels/.rels': relationships('word/document.xml'),
  'word/document.xml': '<w:document/>',
};

/** A Word document as Word on the desktop writes it, with other or more parts. */
export function docx(parts: Readonly<Record<string, string | Buffer>> = {}): Buffer {
  return zip({ ...WORD, ...parts });
}

const DEFLATED = 8;

/** A ZIP with these entries, packed as office programs pack them unless `isPacked` is false. */
export function zip(parts: Readonly<Record<string, string | Buffer>>, isPacked = true): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, text] of Object.entries(parts)) {
    const whole = Buffer.from(text);
    const content = isPacked ? deflateRawSync(whole) : whole;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(isPacked ? DEFLATED : 0, 8);
    local.writeUInt32LE(content.length, 18);
    local.writeUInt32LE(whole.length, 22);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    local.copy(entry, 10, 8, 10);
    local.copy(entry, 20, 18, 28);
    entry.writeUInt32LE(at, 42);
    directory.push(entry, Buffer.from(name));
    locals.push(local, Buffer.from(name), content);
    at += local.length + name.length + content.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(parts).length, 8);
  end.writeUInt16LE(Object.keys(parts).length, 10);
  end.writeUInt32LE(entries.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, entries, end]);
}
