/**
 * The address of an embedded server that another process of this machine holds, for the commands
 * that work beside a running application. It only reads what the server itself keeps in its folder;
 * it never starts, stops or changes anything.
 */
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { ensureDatabase, urlOf } from './database';
import { homesOf } from './place';

/** Lines of postmaster.pid, counted from 0. */
const PORT_LINE = 3;
const STATUS_LINE = 7;

/** The URL of the server that runs on `dataDir` and answers; null without one. */
export async function findRunningEmbeddedPostgres(dataDir: string): Promise<string | null> {
  const asked = await realpath(dataDir).catch(() => null);
  if (asked === null) return null;
  for (const home of homesOf(asked)) {
    const url = await urlIn(path.join(home, 'cluster'));
    if (url !== null) return url;
  }
  return null;
}

async function urlIn(cluster: string): Promise<string | null> {
  try {
    const lines = (await readFile(path.join(cluster, 'postmaster.pid'), 'utf8')).split('\n');
    if (lines[STATUS_LINE]?.trim() !== 'ready') return null;
    const password = await readFile(path.join(cluster, 'colloquy.password'), 'utf8');
    const url = urlOf({ port: Number(lines[PORT_LINE]), password: password.trim() });
    await ensureDatabase(url);
    return url;
  } catch {
    // No such folder, or what a killed server left: nothing runs here.
    return null;
  }
}
