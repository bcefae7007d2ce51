'use strict';
/**
 * One run of the server: starts it on a free port of 127.0.0.1 and stops it in steps of limited time.
 * A line of the server's log says when it is ready, so nothing is polled.
 */
const { spawn } = require('node:child_process');
const { once } = require('node:events');
const net = require('node:net');
const path = require('node:path');
const { clusterPath, spawnOptions } = require('./supervisor-cluster.cjs');

const READY = 'database system is ready to accept connections';
/** An old server of the folder is still ending, or another program took the port before the bind. */
const TRANSIENT = /pre-existing shared memory block|Address already in use/;
const LAST_WORDS_CHARS = 4_000;
const LAST_LINES = 5;
/** @type {[NodeJS.Signals, number][]} fast (checkpoint, clean), immediate (recovery at next start), kill */
const STOP_STEPS = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
];

/**
 * @typedef {object} Server
 * @property {import('node:child_process').ChildProcess} process
 * @property {number} port
 * @property {Promise<unknown>} exited
 * @property {() => string} lastWords
 */

/** @typedef {import('./supervisor-cluster.cjs').Settings} Settings */

/** @returns {Promise<number>} */
async function freePort() {
  const probe = net.createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = /** @type {net.AddressInfo} */ (probe.address());
  probe.close();
  await once(probe, 'close');
  return port;
}

/**
 * @param {Settings} settings
 * @param {number} port
 */
function serverArgs(settings, port) {
  const parameters = {
    // Below the lock_timeout of 1 s, so that a deadlock is reported as one and the work is done again.
    deadlock_timeout: '500ms',
    ...settings.parameters,
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    logging_collector: 'off',
    log_destination: 'stderr',
    timezone: 'UTC',
    log_timezone: 'UTC',
  };
  const pairs = Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', clusterPath(settings), ...pairs];
}

/**
 * @param {Settings} settings
 * @param {AbortSignal} gone
 * @param {number} [wantedPort]
 * @returns {Promise<{ server: Server } | { server?: undefined, transient: boolean, lastWords: string }>}
 */
async function startServer(settings, gone, wantedPort) {
  const port = wantedPort ?? (await freePort());
  const child = spawn(path.join(settings.binaries, 'postgres'), serverArgs(settings, port), {
    ...spawnOptions(settings),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let words = '';
  /** @type {Promise<'ready'>} */
  const ready = new Promise((resolve) => {
    child.stderr.on('data', (chunk) => {
      words = (words + chunk).slice(-LAST_WORDS_CHARS);
      if (words.includes(READY)) resolve('ready');
    });
  });
  const exited = new Promise((resolve) => {
    child.on('close', resolve).on('error', (error) => {
      words += error.message;
      resolve(error);
    });
  });
  const server = { process: child, port, exited, lastWords: () => lastLines(words) };
  const interrupt = () => void stopServer(server);
  gone.addEventListener('abort', interrupt);
  if (gone.aborted) interrupt();
  const isReady = (await Promise.race([ready, exited])) === 'ready';
  gone.removeEventListener('abort', interrupt);
  if (isReady) return { server };
  return { transient: TRANSIENT.test(words), lastWords: lastLines(words) };
}

/** @param {string} words */
function lastLines(words) {
  return words.trim().split('\n').slice(-LAST_LINES).join(' | ');
}

/**
 * @param {Server} server
 * @param {number} ms
 * @returns {Promise<boolean>}
 */
async function exitsWithin(server, ms) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, ms, 'late')));
  const first = await Promise.race([server.exited, late]);
  clearTimeout(timer);
  return first !== 'late';
}

/** @param {Server} server */
async function stopServer(server) {
  for (const [signal, boundMs] of STOP_STEPS) {
    server.process.kill(signal);
    if (await exitsWithin(server, boundMs)) return;
  }
}

module.exports = { startServer, stopServer };
