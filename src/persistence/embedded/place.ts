/**
 * Decides where the server's binaries and data live and whom it runs as. PostgreSQL refuses to run
 * as root, so root lends it another user, who must be able to enter both folders; where that user
 * cannot (a checkout under root's home), they move to a folder of the system.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, chown, mkdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { completeLinks, copyBinaries, type Binaries } from './binaries';
import { EmbeddedPostgresError } from './errors';

const run = promisify(execFile);

/** Where everything moves that the server's user could not enter otherwise. */
const SYSTEM_FOLDER = '/var/lib/colloquy';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export interface Place {
  readonly dataDir: string;
  /** The data are not where they were asked for. */
  readonly relocated: boolean;
  /** The server's own folder inside `dataDir`; nothing else in there changes hands. */
  readonly home: string;
  readonly binaries: Binaries;
  /** Null: the server runs as the user of this process. */
  readonly owner: Owner | null;
}

export async function preparePlace(asked: string, installed: Binaries): Promise<Place> {
  try {
    await mkdir(asked, { recursive: true });
    const dataDir = await realpath(asked);
    if (process.getuid?.() === 0) return await preparePlaceAsRoot(dataDir, installed);
    const home = homeIn(dataDir);
    await mkdir(home, { recursive: true, mode: 0o700 });
    await refuseForeign(home);
    const isUsable = await completeLinks(installed);
    const binaries = isUsable ? installed : await copyBinaries(installed, dataDir);
    return { dataDir, relocated: false, home, binaries, owner: null };
  } catch (cause) {
    if (cause instanceof EmbeddedPostgresError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new EmbeddedPostgresError(`its folder cannot be prepared (${reason})`, { cause });
  }
}

async function refuseForeign(home: string): Promise<void> {
  if ((await stat(home)).uid === process.getuid?.()) return;
  throw new EmbeddedPostgresError(`${home} belongs to another user`);
}

/** Named after the folder that was asked for: two checkouts never share data. */
function systemDataDirOf(asked: string): string {
  const digest = createHash('sha256').update(asked).digest('hex').slice(0, 12);
  return path.join(SYSTEM_FOLDER, `data-${digest}`);
}

/** Where the server's folder of `asked` (a real path) may be: in place, or relocated. */
export function homesOf(asked: string): readonly string[] {
  return [asked, systemDataDirOf(asked)].map(homeIn);
}

function homeIn(dataDir: string): string {
  return path.join(dataDir, 'postgres');
}

async function preparePlaceAsRoot(asked: string, installed: Binaries): Promise<Place> {
  const owner = await ownerOf(homeIn(asked));
  const canEnter = await succeeds('/bin/sh', ['-c', 'cd "$0"', asked], owner);
  const dataDir = canEnter ? asked : await systemDataDir(asked);
  const home = homeIn(dataDir);
  await mkdir(home, { recursive: true });
  await chown(home, owner.uid, owner.gid);
  await chmod(home, 0o700);
  const isUsable = (await completeLinks(installed)) && (await canExecute(installed, owner));
  const binaries = isUsable ? installed : await copyBinaries(installed, SYSTEM_FOLDER);
  return { dataDir, relocated: !canEnter, home, binaries, owner };
}

/** Data that an ordinary user began stay that user's; otherwise `nobody` owns them. */
async function ownerOf(home: string): Promise<Owner> {
  const existing = await stat(home).catch(() => null);
  if (existing !== null && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid };
  const [uid, gid] = await Promise.all([idOfNobody('-u'), idOfNobody('-g')]);
  return { uid, gid };
}

async function idOfNobody(which: '-u' | '-g'): Promise<number> {
  try {
    const { stdout } = await run('id', [which, 'nobody']);
    return Number(stdout.trim());
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root, and there is no user nobody to run it as',
      { cause },
    );
  }
}

async function systemDataDir(asked: string): Promise<string> {
  const dataDir = systemDataDirOf(asked);
  await mkdir(dataDir, { recursive: true });
  await chmod(SYSTEM_FOLDER, 0o755);
  await chmod(dataDir, 0o755);
  return dataDir;
}

async function canExecute(binaries: Binaries, owner: Owner): Promise<boolean> {
  const bin = path.join(binaries.folder, 'bin');
  const initdb = succeeds(path.join(bin, 'initdb'), ['--version'], owner);
  const server = succeeds(path.join(bin, 'postgres'), ['--version'], owner);
  return (await initdb) && (await server);
}

/** Asked of the system rather than computed from modes: access lists and mounts count too. */
async function succeeds(file: string, args: string[], owner: Owner): Promise<boolean> {
  return run(file, args, { ...owner, cwd: '/' }).then(
    () => true,
    () => false,
  );
}
