#!/usr/bin/env node
/**
 * The command `colloquy`. In a checkout, where it is called as `./colloquy`, it builds first when a source is
 * newer than the last build; the image contains only the built files.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const command = path.join(root, 'dist', 'cli', 'colloquy.js');
const isCheckout = existsSync(path.join(root, 'src'));
const canBuild = existsSync(path.join(root, 'node_modules', '.bin', 'nest'));

// The checkout's own database, also when the command is called from another folder.
if (isCheckout) process.env.COLLOQUY_DATA_DIR ||= path.join(root, '.data');
if (isCheckout && canBuild) {
  const build = path.join(root, 'scripts', 'build.mjs');
  const { status } = spawnSync(process.execPath, [build, '--if-stale'], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
if (!existsSync(command)) {
  process.stderr.write('Colloquy is not built: run "npm install" and "npm run build" first.\n');
  process.exit(1);
}
const { runColloquy } = createRequire(import.meta.url)(command);
await runColloquy(process.argv.slice(2));
