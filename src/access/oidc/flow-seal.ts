import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { OidcSettings } from '../../common/config';

/** What is kept of a sign-in while the person is at the provider. */
export interface Flow {
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
  readonly returnTo: string;
  /** Wall time of the replica that began it. */
  readonly beganAtMs: number;
  /** The person is signed in, and shows that they are still the same. */
  readonly isConfirmation: boolean;
}

const FLOW = z.object({
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  beganAtMs: z.number(),
  isConfirmation: z.boolean(),
});

/**
 * Seals a flow for the browser's cookie, by AES-256-GCM and for its `state` only. It is sealed and not just
 * signed: the browser must neither choose when the flow began nor know the verifier.
 */
export function sealFlow(key: Buffer, state: string, flow: Flow): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(state));
  const sealed = [cipher.update(JSON.stringify(flow), 'utf8'), cipher.final()];
  return Buffer.concat([nonce, ...sealed, cipher.getAuthTag()]).toString('base64url');
}

/** Null: it was not sealed by this key for this `state`. */
export function openFlow(key: Buffer, state: string, sealed: string): Flow | null {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(state)).setAuthTag(bytes.subarray(-TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    const json = Buffer.concat([text, decipher.final()]).toString('utf8');
    return FLOW.parse(JSON.parse(json));
  } catch {
    return null;
  }
}

/**
 * The key of all replicas, from the secret that they share. Anybody can get a sealed flow and guess the secret from
 * it, so the key is made slowly: a secret that an operator has made up may be short.
 */
export function flowKeyOf({ clientSecret, issuer }: OidcSettings): Promise<Buffer> {
  const make = promisify<string, string, number, Buffer>(scrypt);
  return make(clientSecret, `colloquy sign-in at ${issuer}`, KEY_BYTES);
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
