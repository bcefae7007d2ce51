'use strict';
/**
 * The cluster on disk: creates it once, completely or not at all, and removes what a killed supervisor
 * left. Only the holder of the folder's lock may call this. It never removes a finished cluster.
 */
const { spawn } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');

/**
 * @typedef {object} Settings
 * @property {string} home folder of the cluster, entered by the server's user
 * @property {string} binaries folder of postgres and initdb
 * @property {string} major PostgreSQL's major version, as PG_VERSION has it
 * @property {string} user the database superuser's name
 * @property {{ uid: number, gid: number } | null} owner whom the server runs as; null: as ourselves
 * @property {Record<string, string>} parameters server settings
 * @property {boolean} disposable no sync to disk at creation, removed at the end: for tests
 */

const UNFINISHED = 'unfinished-';
const PASSWORD_FILE = 'colloquy.password';
const LEFTOVER_POLL_MS = 20;
const LEFTOVER_POLLS_PER_SIGNAL = 1_000;

/** @param {Settings} settings */
const clusterPath = (settings) => path.join(settings.home, 'cluster');

/**
 * The binaries get no environment of the caller (PGPORT, PGDATA, a locale) that would change what they do.
 * @param {Settings} settings
 */
function spawnOptions(settings) {
  return {
    cwd: settings.home,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    ...(settings.owner ?? {}),
  };
}

/**
 * @param {string} file
 * @param {Settings} settings
 */
function giveToOwner(file, settings) {
  if (settings.owner !== null) fs.chownSync(file, settings.owner.uid, settings.owner.gid);
}

/**
 * @param {Settings} settings
 * @param {string} fresh
 * @param {AbortSignal} gone
 * @returns {Promise<boolean>} false when it was stopped before the end
 */
async function runInitdb(settings, fresh, gone) {
  // Darwin's C library has no C.UTF-8. The builtin provider, which is used, does not need it.
  const libcLocale = process.platform === 'darwin' ? 'C' : 'C.UTF-8';
  const args = [
    ...['-D', path.join(fresh, 'data'), '-U', settings.user, '-A', 'scram-sha-256'],
    ...['--pwfile', path.join(fresh, 'password'), '--encoding=UTF8'],
    ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8', `--locale=${libcLocale}`],
    ...(settings.disposable ? ['--no-sync'] : []),
  ];
  const initdb = spawn(path.join(settings.binaries, 'initdb'), args, {
    ...spawnOptions(settings),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let words = '';
  initdb.stderr.on('data', (chunk) => (words = (words + chunk).slice(-4_000)));
  const interrupt = () => initdb.kill('SIGTERM');
  gone.addEventListener('abort', interrupt);
  const code = await new Promise((resolve, reject) => {
    initdb.on('error', reject).on('close', resolve);
  });
  gone.removeEventListener('abort', interrupt);
  if (gone.aborted) return false;
  if (code !== 0) throw new Error(`initdb failed (${code}): ${words.trim()}`);
  return true;
}

/** @param {string} folder */
function syncFolder(folder) {
  const fd = fs.openSync(folder, 'r');
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}

/**
 * @param {Settings} settings
 * @param {AbortSignal} gone
 * @returns {Promise<string | undefined>} the password; undefined: stopped before the end
 */
async function createCluster(settings, gone) {
  const fresh = fs.mkdtempSync(path.join(settings.home, UNFINISHED));
  giveToOwner(fresh, settings);
  const password = randomBytes(24).toString('hex');
  const passwordFile = path.join(fresh, 'password');
  fs.writeFileSync(passwordFile, password, { mode: 0o600 });
  giveToOwner(passwordFile, settings);
  const isComplete = await runInitdb(settings, fresh, gone);
  if (isComplete) {
    const data = path.join(fresh, 'data');
    fs.renameSync(passwordFile, path.join(data, PASSWORD_FILE));
    syncFolder(data);
    fs.renameSync(data, clusterPath(settings));
    syncFolder(settings.home);
  }
  fs.rmSync(fresh, { recursive: true, force: true });
  return isComplete ? password : undefined;
}

/**
 * @param {Settings} settings
 * @param {AbortSignal} gone
 * @returns {Promise<string | undefined>} the superuser's password; undefined: stopped before the end
 */
async function prepareCluster(settings, gone) {
  for (const name of fs.readdirSync(settings.home)) {
    if (!name.startsWith(UNFINISHED)) continue;
    fs.rmSync(path.join(settings.home, name), { recursive: true, force: true, maxRetries: 5 });
  }
  const cluster = clusterPath(settings);
  if (!fs.existsSync(cluster)) return createCluster(settings, gone);
  const major = fs.readFileSync(path.join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (major !== settings.major) {
    throw new Error(
      `the data in ${cluster} are of PostgreSQL ${major}, and this version of Colloquy has ${settings.major}: ` +
        'dump them with the earlier version and restore the dump (docs/backup.md)',
    );
  }
  return fs.readFileSync(path.join(cluster, PASSWORD_FILE), 'utf8').trim();
}

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * @param {number} pid
 * @param {string} cluster
 * @returns {boolean | undefined} undefined when this system does not show it
 */
function isServerOf(pid, cluster) {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(cluster);
  } catch {
    return undefined;
  }
}

/**
 * @param {number} pid
 * @param {string} cluster
 */
async function endServer(pid, cluster) {
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL']) {
    for (let poll = 0; poll < LEFTOVER_POLLS_PER_SIGNAL; poll += 1) {
      // A pid in use proves nothing, because a dead process may stay after the death of its parent.
      if (isServerOf(pid, cluster) !== true) return;
      if (poll === 0) process.kill(pid, signal);
      await sleep(LEFTOVER_POLL_MS);
    }
  }
}

/**
 * After a kill -9 of a supervisor, its server may still run and is ended here. Or another program may
 * have got its pid, and PostgreSQL would take that program for a live server. In that case our own pid
 * replaces the pid in the lock file: PostgreSQL ignores the pid of its parent, and still checks its
 * shared memory.
 * @param {Settings} settings
 */
async function releaseLeftoverServer(settings) {
  const pidFile = path.join(clusterPath(settings), 'postmaster.pid');
  if (!fs.existsSync(pidFile)) return;
  const lines = fs.readFileSync(pidFile, 'utf8').split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 1 || !isAlive(pid)) return;
  const isOurs = isServerOf(pid, clusterPath(settings));
  if (isOurs === true) await endServer(pid, clusterPath(settings));
  if (isOurs === false) fs.writeFileSync(pidFile, [process.pid, ...lines.slice(1)].join('\n'));
}

module.exports = { clusterPath, prepareCluster, releaseLeftoverServer, spawnOptions };
