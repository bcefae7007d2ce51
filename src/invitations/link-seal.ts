import {
  type KeyObject,
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
} from 'node:crypto';
import type { Pin } from '../vacancies';

/**
 * What an import keeps of each new invitation's link and PIN: sealed to a key that only the caller has. The
 * server stores the public half and seals; it can neither open what is stored nor show it without the key.
 * The scheme is that of a sealed box: a key pair for each text, X25519, HKDF with SHA-256, AES-256-GCM.
 */
export interface LinkKeys {
  /** For the caller, who gets it once: 32 bytes as 43 characters of base64url. */
  readonly linkKey: string;
  /** Is stored. */
  readonly sealingKey: Buffer;
}

/** What is sealed of a row, as JSON. */
export interface SealedLink {
  readonly token: string;
  readonly pin: Pin;
}

export function newLinkKeys(): LinkKeys {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const linkKey = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-KEY_BYTES);
  return { linkKey: linkKey.toString('base64url'), sealingKey: rawOf(publicKey) };
}

/** The text, which only `open` with the link key of this sealing key reads. */
export function seal(sealingKey: Buffer, text: string): Buffer {
  const { privateKey, publicKey } = generateKeyPairSync('x25519');
  const sender = rawOf(publicKey);
  const key = sharedKey(privateKey, publicOf(sealingKey), [sender, sealingKey]);
  const cipher = createCipheriv(CIPHER, key, NONCE);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([sender, sealed, cipher.getAuthTag()]);
}

/** Opens what was sealed to its sealing key; null: the text is not the link key of the sealing key. */
export function linkOpener(
  linkKey: string,
  sealingKey: Buffer,
): ((sealed: Buffer) => string) | null {
  const own = Buffer.from(LINK_KEY.test(linkKey) ? linkKey : '', 'base64url');
  if (own.length !== KEY_BYTES) return null;
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8, own]),
    format: 'der',
    type: 'pkcs8',
  });
  if (!rawOf(createPublicKey(privateKey)).equals(sealingKey)) return null;
  return (sealed) => {
    const sender = sealed.subarray(0, KEY_BYTES);
    const key = sharedKey(privateKey, publicOf(sender), [sender, sealingKey]);
    const decipher = createDecipheriv(CIPHER, key, NONCE);
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const text = decipher.update(sealed.subarray(KEY_BYTES, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  };
}

const KEY_BYTES = 32;
const TAG_BYTES = 16;
const LINK_KEY = /^[\w-]{43}$/;
const CIPHER = 'aes-256-gcm';
/** Each key seals one text, so that the nonce may be the same. */
const NONCE = Buffer.alloc(12);
/** What stands before the 32 bytes of a key of X25519 in DER (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex');
const SPKI = Buffer.from('302a300506032b656e032100', 'hex');

function sharedKey(
  privateKey: KeyObject,
  publicKey: KeyObject,
  salt: readonly [Buffer, Buffer],
): Uint8Array {
  const secret = diffieHellman({ privateKey, publicKey });
  const info = 'colloquy links of an import';
  return new Uint8Array(hkdfSync('sha256', secret, Buffer.concat(salt), info, KEY_BYTES));
}

function publicOf(raw: Buffer): KeyObject {
  return createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' });
}

function rawOf(publicKey: KeyObject): Buffer {
  return Buffer.from(publicKey.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES));
}
