/**
 * Builds the server (nest, SWC), the pages and the console (vite) and the handbook into dist/.
 * `--if-stale` builds only when a source is newer than the last build, and leaves out the list of licences
 * and the bill of materials (release-files.mjs), which only a release needs.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { STAMP, isStale } from './stale.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
function run(bin, args) {
  const script = path.join(root, 'node_modules', '.bin', bin);
  const { status } = spawnSync(script, args, {
    cwd: root,
    // stdout belongs to the command that builds first (`npm run … -- --json | jq`): print to stderr.
    stdio: ['ignore', 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
}

/** Copies files that are used without compilation. */
function copyScripts(from) {
  for (const entry of readdirSync(path.join(root, from), { withFileTypes: true })) {
    const place = path.join(from, entry.name);
    if (entry.isDirectory()) copyScripts(place);
    else if (/\.(cjs|sql|md)$/.test(entry.name)) {
      cpSync(path.join(root, place), path.join(root, 'dist', path.relative('src', place)));
    }
  }
}

/** Writes a `.br` and a `.gz` next to each file of the page, where that is smaller than the file. */
function compress(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !/\.(js|css|svg)$/.test(entry.name)) continue;
    const file = path.join(entry.parentPath, entry.name);
    const plain = readFileSync(file);
    for (const [suffix, packed] of [
      ['.br', brotliCompressSync(plain)],
      ['.gz', gzipSync(plain, { level: 9 })],
    ]) {
      if (packed.length < plain.length) writeFileSync(file + suffix, packed);
    }
  }
}

const isForRelease = !process.argv.includes('--if-stale');
if (!isForRelease && !isStale()) process.exit(0);
run('nest', ['build']);
copyScripts('src');
run('vite', ['build', 'web', '--logLevel', 'warn']);
run('vite', ['build', 'web', '--mode', 'console', '--logLevel', 'warn']);
run('vite', ['build', 'web', '--ssr', 'src/server.tsx', '--logLevel', 'warn']);
compress(path.join(root, 'dist', 'web'));
// Loaded only here, because each start asks for a build that it mostly does not need.
const { writeHandbook } = await import('./handbook.mjs');
const template = path.join(root, 'dist', 'web', 'handbook.html');
writeHandbook(path.join(root, 'dist', 'handbook'), readFileSync(template, 'utf8'));
if (isForRelease) {
  const script = path.join(root, 'scripts', 'release-files.mjs');
  const { status } = spawnSync(process.execPath, [script], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}
writeFileSync(STAMP, '');
