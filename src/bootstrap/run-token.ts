import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { newToken } from '../common/ids';

/** At least as long as `newToken` makes them. */
const TOKEN = /^[\w-]{20,200}$/;

const fileIn = (dataDir: string): string => path.join(dataDir, 'admin-token');

/** The admin token that an earlier start left in the data folder, or a new one. */
export async function runTokenOf(dataDir: string): Promise<string> {
  const kept = await readFile(fileIn(dataDir), 'utf8').catch(() => '');
  return TOKEN.test(kept.trim()) ? kept.trim() : newToken();
}

/** Keeps it for the next start; only this user may read it. */
export async function keepRunToken(dataDir: string, token: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  await writeFile(fileIn(dataDir), `${token}\n`, { mode: 0o600 });
}
