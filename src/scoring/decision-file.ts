import { type KeyObject, createHash, createPublicKey, sign, verify } from 'node:crypto';
import { ColloquyError } from '../common/errors';

/**
 * A decision file is one line of JSON:
 *
 *   {"format":"colloquy-decision/1","payload":{…},"signature":"<128 hex digits>"}\n
 *   └────────────── signed, byte by byte ────────┘└──── a fixed shape ──────────┘
 *
 * The signature is Ed25519 (RFC 8032) over exactly the bytes before `,"signature"`. What follows has
 * one spelling only: so every byte of the file is either signed, or the signature, or fixed.
 * `payload.previous` is the SHA-256 of the whole file before it, which makes the chain.
 */
const FORMAT = 'colloquy-decision/1';
const HEAD = Buffer.from(`{"format":"${FORMAT}","payload":`);
const TAIL_LENGTH = ',"signature":""}\n'.length + 128;
const TAIL = /^,"signature":"([0-9a-f]{128})"\}\n$/;

export interface ChainLink {
  /** From 1. */
  readonly n: number;
  /** SHA-256 of the file before, as hex; null for the first. */
  readonly previous: string | null;
}

/** The file is not what was signed, or it is no decision file. The message says which. */
export class DecisionFileError extends ColloquyError {
  readonly code = 'decision_file_invalid';
  readonly retryable = false;
}

/** The bytes of the file. */
export function signedFile(
  payload: ChainLink & Readonly<Record<string, unknown>>,
  privateKey: KeyObject,
): Buffer {
  const signed = Buffer.from(`${HEAD.toString()}${JSON.stringify(payload)}`);
  const signature = sign(null, signed, privateKey).toString('hex');
  return Buffer.concat([signed, Buffer.from(`,"signature":"${signature}"}\n`)]);
}

/** Throws DecisionFileError unless these are the very bytes that were signed. */
export function verifiedFile(bytes: Buffer, publicKeyPem: string): ChainLink & { hash: string } {
  const signed = bytes.subarray(0, Math.max(0, bytes.length - TAIL_LENGTH));
  const [, hex] = TAIL.exec(bytes.subarray(signed.length).toString('latin1')) ?? [];
  if (hex === undefined || !signed.subarray(0, HEAD.length).equals(HEAD)) {
    throw new DecisionFileError('this is no decision file, or its beginning or end was changed');
  }
  if (!verify(null, signed, keyIn(publicKeyPem), Buffer.from(hex, 'hex'))) {
    throw new DecisionFileError(
      'the signature does not fit: the file was changed, or signed with another key',
    );
  }
  const { n, previous } = JSON.parse(signed.subarray(HEAD.length).toString()) as ChainLink;
  return { n, previous, hash: hashOfFile(bytes) };
}

/** Throws DecisionFileError unless each file names the hash of the one before it. */
export function assertChain(files: readonly (ChainLink & { readonly hash: string })[]): void {
  const sorted = files.toSorted((a, b) => a.n - b.n);
  for (const [index, { n, previous }] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before === undefined || before.n !== n - 1 || before.hash === previous) continue;
    throw new DecisionFileError(
      `file ${String(n)} does not follow file ${String(before.n)}: it names another file before it`,
    );
  }
}

export function hashOfFile(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function keyIn(pem: string): KeyObject {
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Said below: also a file that is no key.
  }
  throw new DecisionFileError('the public key is not an Ed25519 key in PEM');
}
