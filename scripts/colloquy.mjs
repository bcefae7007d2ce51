#!/usr/bin/env node
/**
 * The command `colloquy`. In a checkout, where it is called as `./colloquy`, it builds first when a source is
 * newer than the last build, but not to print the release or a help; the image contains only the built files.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);
if (args.length === 1 && args[0] === '--version') printVersion();
else await runCommand();

function printVersion() {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  process.stdout.on('error', () => process.exit(0));
  process.stdout.write(`${version}\n`);
}

async function runCommand() {
  const command = path.join(root, 'dist', 'cli', 'colloquy.js');
  // The checkout's own database, also when the command is called from another folder.
  if (existsSync(path.join(root, 'src'))) {
    process.env.COLLOQUY_DATA_DIR ||= path.join(root, '.data');
    if (!asksForHelp() || !existsSync(command)) await buildIfStale();
  }
  if (!existsSync(command)) {
    process.stderr.write('Colloquy is not built: run "npm install" and "npm run build" first.\n');
    process.exit(1);
  }
  const { runColloquy } = createRequire(import.meta.url)(command);
  await runColloquy(args);
}

function asksForHelp() {
  return args[0] === 'help' || args.includes('--help') || args.includes('-h');
}

async function buildIfStale() {
  if (!existsSync(path.join(root, 'node_modules', '.bin', 'nest'))) return;
  const { isStale } = await import('./stale.mjs');
  if (!isStale()) return;
  const { spawnSync } = await import('node:child_process');
  const build = path.join(root, 'scripts', 'build.mjs');
  const { status } = spawnSync(process.execPath, [build, '--if-stale'], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
