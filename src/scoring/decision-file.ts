import {
  type KeyObject,
  createPublicKey,
  sign,
  verify,
  createPrivateKey,
  generateKeyPairSync,
} from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { ColloquyError } from '../common/errors';
import { newId, sha256 } from '../common/ids';

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
  return { ...placeIn(signed.subarray(HEAD.length).toString()), hash: hashOfFile(bytes) };
}

const place = z.object({
  n: z.int().positive(),
  previous: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
});

function placeIn(payload: string): ChainLink {
  const read = place.safeParse(JSON.parse(payload));
  if (read.success) return read.data;
  throw new DecisionFileError('this file has no place in a chain: its number is missing or wrong');
}

/** A file whose signature fits, by the name that it was given under. */
export interface NamedLink extends ChainLink {
  readonly file: string;
  /** SHA-256 of the file, as hex. */
  readonly hash: string;
}

/**
 * Throws DecisionFileError with a sentence for each fault, unless the files are one unbroken piece of a
 * chain, each of them once: no number is missing or there twice, and each file names the hash of the one
 * before it. The order in which they are given does not matter. The piece may begin at any number.
 */
export function assertChain(files: readonly NamedLink[]): void {
  const sorted = files.toSorted((a, b) => a.n - b.n);
  const faults = sorted.flatMap((link, index) => {
    const before = sorted[index - 1];
    const fault = before === undefined ? faultOfFirst(link) : faultBetween(before, link);
    return fault === null ? [] : [fault];
  });
  if (faults.length > 0) throw new DecisionFileError(faults.join('\n'));
}

/** Only the first file of a chain names none before it. */
function faultOfFirst({ file, n, previous }: NamedLink): string | null {
  if ((n === 1) === (previous === null)) return null;
  return n === 1
    ? `${file}: number 1 of the chain names a file before it`
    : `${file}: number ${String(n)} of the chain names no file before it`;
}

function faultBetween(before: NamedLink, { file, n, previous, hash }: NamedLink): string | null {
  if (hash === before.hash) {
    return `${file}: a repeat of ${before.file}, number ${String(n)} of the chain`;
  }
  if (n === before.n) {
    return `${file}: the chain forks, because ${before.file} is number ${String(n)} too and another file`;
  }
  if (n > before.n + 1) {
    const [from, to] = [before.n + 1, n - 1].map(String);
    const missing = from === to ? `number ${String(from)} is` : `numbers ${from} to ${to} are`;
    return `${file}: ${missing} missing between ${before.file}, number ${String(before.n)} of the chain, and this file, number ${String(n)}`;
  }
  if (previous === before.hash) return null;
  return `${file}: number ${String(n)} of the chain does not follow ${before.file}, number ${String(before.n)}: it names another file before it`;
}

export function hashOfFile(bytes: Buffer): string {
  return sha256(bytes);
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

const PRIVATE = 'decision-key.pem';
const PUBLIC = 'decision-key.pub.pem';

/** Where the public key of the files of this data folder stands. */
export function publicKeyFile(dataDir: string): string {
  return path.join(dataDir, PUBLIC);
}

/**
 * The key that signs decision files: `decision-key.pem` in the data folder, readable by its owner
 * only, made on first use, with the public key beside it. Of two processes that make it at once, the
 * first wins and both read its key.
 */
export async function signingKey(dataDir: string): Promise<KeyObject> {
  const file = path.join(dataDir, PRIVATE);
  const pem = (await readIfThere(file)) ?? (await make(dataDir, file));
  const key = createPrivateKey(pem);
  const publicPem = createPublicKey(key).export({ type: 'spki', format: 'pem' });
  await writeFile(publicKeyFile(dataDir), publicPem);
  return key;
}

/** The key, which is not made; null: the data folder has none. */
export async function existingKey(dataDir: string): Promise<KeyObject | null> {
  const pem = await readIfThere(path.join(dataDir, PRIVATE));
  return pem === null ? null : createPrivateKey(pem);
}

async function make(dataDir: string, file: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const { privateKey } = generateKeyPairSync('ed25519');
  const draft = `${file}.${newId()}`;
  await writeFile(draft, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  await chmod(draft, 0o600);
  // A link fails where the name is taken, so a key is never replaced.
  await link(draft, file).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  await rm(draft);
  return readFile(file, 'utf8');
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
