import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * A response is stored encrypted by the caller's token and the Idempotency-Key, of which only a hash is stored: it
 * may hold a link or a key that is shown once. Whoever has a dump and not the token reads none of it, even
 * where the Idempotency-Key is easy to guess.
 */
export function sealResponse(of: SealedBy, response: unknown): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(of), nonce);
  // A response without a body is `{}`.
  const sealed = [cipher.update(JSON.stringify({ body: response }), 'utf8'), cipher.final()];
  return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]);
}

/** Throws for another key. */
export function openResponse(of: SealedBy, sealed: Buffer): unknown {
  const decipher = createDecipheriv(CIPHER, keyOf(of), sealed.subarray(0, NONCE_BYTES));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  const text = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  const json = Buffer.concat([text, decipher.final()]).toString('utf8');
  return (JSON.parse(json) as { body?: unknown }).body;
}

/** What only the caller has, and the hash under which its response is stored. */
export interface SealedBy {
  readonly secret: string;
  readonly keyHash: string;
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function keyOf({ secret, keyHash }: SealedBy): Uint8Array {
  const info = 'colloquy idempotent response';
  return new Uint8Array(hkdfSync('sha256', secret, keyHash, info, KEY_BYTES));
}
