'use strict';
/**
 * The process that holds one PostgreSQL server for one application process.
 *
 * The application starts it in a session of its own (Ctrl-C in the terminal reaches the application
 * only) and keeps the other end of its stdin. Nothing is ever written there: its closing, by a stop,
 * an exit or a kill -9, is the only request to this process. Stages, each ended early by a stop:
 *
 *   locking      one supervisor per data folder, by a socket name that dies with its holder
 *   initialising initdb into a temporary folder, renamed into place when it is complete
 *   running      the server accepts connections; a server that ends by itself is restarted
 *   stopping     fast shutdown, then immediate, then kill; a successor waits for the lock meanwhile
 *
 * Reports go to stdout, one JSON object a line (see supervisor-handle.ts).
 * Plain CommonJS without dependencies: it runs unbuilt, from the sources and from dist alike.
 * It must never load application code, and never end while its server runs.
 */
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { prepareCluster, releaseLeftoverServer } = require('./supervisor-cluster.cjs');
const { takeLock } = require('./supervisor-lock.cjs');
const { startServer, stopServer } = require('./supervisor-server.cjs');

/** A dying server of the same folder can hold its shared memory for a moment; a port can be taken. */
const START_ATTEMPTS = 20;
const RETRY_MS = 250;
/** A killed server (out of memory) is restarted, a limited number of times. */
const MAX_RUNS = 20;

/** @typedef {import('./supervisor-cluster.cjs').Settings} Settings */

/** @param {Record<string, unknown>} event */
function report(event) {
  process.stdout.write(`${JSON.stringify(event)}\n`);
}

/** @returns {AbortSignal} aborted when the application is gone or asks for a stop */
function applicationGone() {
  const gone = new AbortController();
  const abort = () => gone.abort();
  process.stdin.on('end', abort).on('close', abort).on('error', abort).resume();
  return gone.signal;
}

/**
 * @param {Settings} settings
 * @param {AbortSignal} gone
 * @param {number} [port] the one to keep; without it any free one
 */
async function startPatiently(settings, gone, port) {
  for (let attempt = 1; ; attempt += 1) {
    const started = await startServer(settings, gone, port);
    if (started.server !== undefined || gone.aborted) return started.server;
    if (!started.transient || attempt === START_ATTEMPTS) {
      throw new Error(`PostgreSQL did not start: ${started.lastWords}`);
    }
    await sleep(RETRY_MS);
  }
}

/**
 * @param {Settings} settings
 * @param {AbortSignal} gone
 */
async function holdServer(settings, gone) {
  await releaseLeftoverServer(settings);
  const password = await prepareCluster(settings, gone);
  if (password === undefined) return;
  let port;
  for (let run = 1; run <= MAX_RUNS && !gone.aborted; run += 1) {
    const server = await startPatiently(settings, gone, port);
    if (server === undefined) return;
    const { pid } = server.process;
    port = server.port;
    report(run === 1 ? { event: 'ready', port, password, pid } : { event: 'recovered', pid });
    if (!gone.aborted) await Promise.race([server.exited, once(gone, 'abort')]);
    await stopServer(server);
    if (gone.aborted) return;
    report({ event: 'lost', message: server.lastWords() });
    await sleep(RETRY_MS);
  }
  throw new Error('PostgreSQL stopped too often');
}

/**
 * The server's folder, and the data folder around it unless somebody keeps other things there.
 * @param {string} home
 */
function disposeOf(home) {
  fs.rmSync(home, { recursive: true, force: true });
  try {
    fs.rmdirSync(path.dirname(home));
  } catch {
    // Not empty, or not ours.
  }
}

async function main() {
  /** @type {Settings} */
  const settings = JSON.parse(process.argv[2] ?? '{}');
  // A service manager signals every process of a service: the server outlives the application's drain.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  process.stdout.on('error', () => undefined); // the reader may be dead
  const gone = applicationGone();
  const lock = await takeLock(settings.home);
  if (lock === undefined) {
    report({ event: 'in-use' });
    return;
  }
  gone.addEventListener('abort', () => lock.announceStop());
  if (gone.aborted) return;
  await holdServer(settings, gone);
  if (settings.disposable) disposeOf(settings.home);
}

main()
  .catch((error) => report({ event: 'failed', message: String(error?.message ?? error) }))
  .finally(() => process.exit(0));
