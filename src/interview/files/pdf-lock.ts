import { createCipheriv, createHash } from 'node:crypto';
import {
  type PdfDictionary,
  type PdfValue,
  PdfReader,
  isArray,
  isDictionary,
  isReference,
} from './pdf-value';

/**
 * Whether nobody can open the PDF without a password or a certificate. Most encrypted PDFs open
 * without any: only printing or copying has a password. A damaged PDF is not called locked.
 */
export function needsPassword(bytes: Buffer, headerAt: number): boolean {
  const trailer = trailerOf(bytes, headerAt);
  const encryption = resolved(bytes, trailer?.get('Encrypt'));
  if (trailer === undefined || !isDictionary(encryption)) return false;
  // The others want a certificate.
  if (encryption.get('Filter') !== '/Standard') return true;
  const id = resolved(bytes, trailer.get('ID'));
  const firstId = isArray(id) ? id[0] : undefined;
  return !opensWithoutPassword(encryption, Buffer.isBuffer(firstId) ? firstId : Buffer.alloc(0));
}

/** Enough for a trailer, a cross-reference stream's dictionary or an encryption dictionary. */
const WINDOW = 64 * 1024;

/** ISO 32000-2, 7.5.5 and 7.5.8: the last one, where `startxref` says, counted from the header or the file. */
function trailerOf(bytes: Buffer, headerAt: number): PdfDictionary | undefined {
  const startAt = bytes.lastIndexOf('startxref');
  const given = /^startxref\s+(\d{1,10})/.exec(bytes.toString('latin1', startAt, startAt + 64));
  const offset = startAt < 0 || given === null ? Infinity : Number(given[1]);
  for (const at of [offset + headerAt, offset]) {
    if (at >= bytes.length) continue;
    const head = bytes.toString('latin1', at, at + 64);
    const stream = /^\s*\d+\s+\d+\s+obj/.exec(head);
    if (stream !== null) return dictionaryAt(bytes, at + stream[0].length);
    if (/^\s*xref/.test(head)) return dictionaryAfter(bytes, bytes.indexOf('trailer', at));
  }
  return dictionaryAfter(bytes, bytes.lastIndexOf('trailer'));
}

function dictionaryAfter(bytes: Buffer, trailerAt: number): PdfDictionary | undefined {
  return trailerAt < 0 ? undefined : dictionaryAt(bytes, trailerAt + 'trailer'.length);
}

function dictionaryAt(bytes: Buffer, at: number): PdfDictionary | undefined {
  const value = new PdfReader(bytes.toString('latin1', at, at + WINDOW)).read();
  return isDictionary(value) ? value : undefined;
}

/** The newest object of a reference; it is never inside an object stream (ISO 32000-2, 7.5.7). */
function resolved(bytes: Buffer, value: PdfValue | undefined): PdfValue | undefined {
  if (!isReference(value)) return value;
  const opening = `${value.object} ${value.generation} obj`;
  let at = bytes.lastIndexOf(opening);
  while (at > 0 && isDigit(bytes[at - 1])) at = bytes.lastIndexOf(opening, at - 1);
  if (at < 0) return undefined;
  const from = at + opening.length;
  return new PdfReader(bytes.toString('latin1', from, from + WINDOW)).read();
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** ISO 32000-2, 7.6.4: the checks of a user's password, for the empty one. */
function opensWithoutPassword(encryption: PdfDictionary, id: Buffer): boolean {
  const version = numberOf(encryption, 'V', 0);
  if (version >= CRYPT_FILTERS && isPlain(encryption)) return true;
  const revision = numberOf(encryption, 'R', 0);
  const user = encryption.get('U');
  if (!Buffer.isBuffer(user)) return false;
  if (revision >= 5) {
    const salt = user.subarray(32, 40);
    return hardened(salt, revision).equals(user.subarray(0, 32));
  }
  const key = keyOf(encryption, { id, version, revision });
  if (revision === 2) return rc4(key, PADDING).equals(user.subarray(0, 32));
  let expected = md5(PADDING, id);
  for (let round = 0; round < 20; round += 1) {
    expected = rc4(
      key.map((byte) => byte ^ round),
      expected,
    );
  }
  return expected.equals(user.subarray(0, 16));
}

/** From this version on, a filter may leave the text as it is and encrypt attached files alone. */
const CRYPT_FILTERS = 4;

function isPlain(encryption: PdfDictionary): boolean {
  const isIdentity = (key: string) =>
    [undefined, '/Identity'].includes(nameOf(encryption.get(key)));
  return isIdentity('StmF') && isIdentity('StrF');
}

function nameOf(value: PdfValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(dictionary: PdfDictionary, key: string, otherwise: number): number {
  const value = dictionary.get(key);
  return typeof value === 'number' ? value : otherwise;
}

/** Stands for the password's missing bytes. */
const PADDING = Buffer.from(
  '28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a',
  'hex',
);

/** Algorithm 2. */
function keyOf(
  encryption: PdfDictionary,
  { id, version, revision }: { id: Buffer; version: number; revision: number },
): Buffer {
  const owner = encryption.get('O');
  const permissions = Buffer.alloc(4);
  permissions.writeInt32LE(numberOf(encryption, 'P', 0) | 0);
  const isMetadataPlain = revision >= 4 && encryption.get('EncryptMetadata') === false;
  const bits = version >= CRYPT_FILTERS ? 128 : numberOf(encryption, 'Length', 40);
  const length = revision === 2 ? 5 : Math.min(Math.max(bits >> 3, 5), 16);
  let key = md5(
    PADDING,
    Buffer.isBuffer(owner) ? owner.subarray(0, 32) : PADDING.subarray(0, 0),
    permissions,
    id,
    Buffer.alloc(isMetadataPlain ? 4 : 0, 0xff),
  );
  for (let round = 0; revision >= 3 && round < 50; round += 1) key = md5(key.subarray(0, length));
  return key.subarray(0, length);
}

/** Algorithm 2.B; revision 5, which came before the standard, hashes once. */
function hardened(salt: Buffer, revision: number): Buffer {
  let key = hashed('sha256', salt);
  if (revision === 5) return key;
  for (let round = 0, last = 0; round < 64 || last > round - 32; round += 1) {
    const cipher = createCipheriv('aes-128-cbc', key.subarray(0, 16), key.subarray(16, 32));
    const encrypted = cipher
      .setAutoPadding(false)
      .update(Buffer.concat(Array<Buffer>(64).fill(key)));
    // The first 16 bytes as one number, modulo 3: 256 leaves 1.
    const rest = encrypted.subarray(0, 16).reduce((sum, byte) => sum + byte, 0) % 3;
    key = hashed(['sha256', 'sha384', 'sha512'][rest] ?? 'sha256', encrypted);
    last = encrypted.at(-1) ?? 0;
  }
  return key.subarray(0, 32);
}

function md5(...parts: readonly Buffer[]): Buffer {
  return hashed('md5', Buffer.concat(parts));
}

function hashed(algorithm: string, bytes: Buffer): Buffer {
  return createHash(algorithm).update(bytes).digest();
}

/** By hand, because OpenSSL 3 has it only in a provider that is not loaded. */
function rc4(key: Uint8Array, bytes: Buffer): Buffer {
  const state = Uint8Array.from({ length: 256 }, (_, index) => index);
  const swap = (a: number, b: number) => {
    [state[a], state[b]] = [state[b] ?? 0, state[a] ?? 0];
  };
  const at = (index: number) => state[index & 255] ?? 0;
  for (let i = 0, j = 0; i < 256; i += 1) {
    j = (j + at(i) + (key[i % key.length] ?? 0)) & 255;
    swap(i, j);
  }
  let [i, j] = [0, 0];
  return Buffer.from(
    bytes.map((byte) => {
      i = (i + 1) & 255;
      j = (j + at(i)) & 255;
      swap(i, j);
      return byte ^ at(at(i) + at(j));
    }),
  );
}
