/**
 * Prints the path of the browser for the browser tests. When it is missing and this runs as root on
 * Debian, its package is installed first; otherwise one sentence on stderr says what to do. stdout has
 * nothing but the path.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';

const CHROMIUM = '/usr/bin/chromium';

function isInstalled() {
  try {
    accessSync(CHROMIUM, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** @returns whether the command succeeded; its output goes to stderr */
function run(command, ...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status } = spawnSync(command, args, { env, stdio: ['ignore', 2, 2] });
  return status === 0;
}

function install() {
  if (process.getuid?.() !== 0) return 'install Debian\'s package "chromium" (only root may)';
  if (!run('apt-get', 'update')) return '"apt-get update" failed';
  if (!run('apt-get', 'install', '-y', '--no-install-recommends', 'chromium')) {
    return '"apt-get install chromium" failed';
  }
  return isInstalled() ? null : 'the package "chromium" was installed, but the file is missing';
}

const obstacle = isInstalled() ? null : install();
if (obstacle === null) {
  console.log(CHROMIUM);
} else {
  console.error(`The browser tests need ${CHROMIUM}: ${obstacle}.`);
  process.exitCode = 1;
}
