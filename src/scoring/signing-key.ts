import {
  type KeyObject,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
} from 'node:crypto';
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newId } from '../common/ids';

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
