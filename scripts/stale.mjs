/** Whether a source is newer than the last build. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Written at the end of a build. */
export const STAMP = path.join(root, 'dist', '.built');
const SOURCES = [
  'src',
  'web',
  'examples',
  'package-lock.json',
  '.swcrc',
  'nest-cli.json',
  'tsconfig.build.json',
  'scripts/build.mjs',
  'scripts/handbook.mjs',
  'scripts/documents.mjs',
  'docs',
  'README.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'deploy/monitoring/alerts.yml',
];

export function isStale() {
  const builtAt = statSync(STAMP, { throwIfNoEntry: false })?.mtimeMs;
  if (builtAt === undefined) return true;
  return SOURCES.some((name) => {
    const place = path.join(root, name);
    return existsSync(place) && isNewer(place, builtAt);
  });
}

/** A folder's own time tells that a file in it was added, renamed or removed. */
function isNewer(place, builtAt) {
  const stats = statSync(place);
  if (stats.mtimeMs > builtAt) return true;
  if (!stats.isDirectory()) return false;
  return readdirSync(place).some(
    (name) => name !== 'node_modules' && isNewer(path.join(place, name), builtAt),
  );
}
