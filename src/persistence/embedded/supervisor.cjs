'use strict';
/**
 * The process that holds one PostgreSQL server for one application process.
 *
 * The application starts this process in a session of its own (Ctrl-C in the terminal reaches only the
 * application) and keeps the other end of its stdin. The application never writes there: it closes it,
 * by a stop, an exit or a kill -9, and that is the only request to this process. A stop ends each of
 * these stages early:
 *
 *   locking      one supervisor per data folder, by a socket name that the kernel frees with its holder
 *   initialising initdb writes to a temporary folder, which is renamed when it is complete
 *   running      the server accepts connections; a server that ends by itself is restarted
 *   stopping     fast shutdown, then immediate, then kill; a next supervisor waits for the lock
 *
 * It reports to stdout, one JSON object a line (see supervisor-handle.ts). It is plain CommonJS without
 * dependencies, so it runs without a build, from the sources and from dist. It must never load
 * application code, and never end while its server runs.
 */
const { once } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');
const { setTimeout: sleep } = require('node:timers/promises');
const { prepareCluster, releaseLeftoverServer } = require('./supervisor-cluster.cjs');
const { takeLock } = require('./supervisor-lock.cjs');
const { startServer, stopServer } = require('./supervisor-server.cjs');

/** An ending server of the folder can hold its shared memory for a moment, or a port can be taken. */
const START_ATTEMPTS = 20;
const RETRY_MS = 250;
/** Between tries to start a server again that has run before. */
const LONGEST_PAUSE_MS = 5000;

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
 * The first start: gives up after START_ATTEMPTS, so that the operator sees the error.
 * @param {Settings} settings
 * @param {AbortSignal} gone
 */
async function startPatiently(settings, gone) {
  for (let attempt = 1; ; attempt += 1) {
    const started = await startServer(settings, gone);
    if (started.server !== undefined || gone.aborted) return started.server;
    if (!started.transient || attempt === START_ATTEMPTS) {
      throw new Error(`PostgreSQL did not start: ${started.lastWords}`);
    }
    await sleep(RETRY_MS);
  }
}

/**
 * Starts a server again that was killed (out of memory), on its port. It never gives up, because the
 * application waits for it: the disk may be full for an hour.
 * @param {Settings} settings
 * @param {AbortSignal} gone
 * @param {number} port
 */
async function startAgain(settings, gone, port) {
  for (let pauseMs = RETRY_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    await sleep(pauseMs, undefined, { signal: gone }).catch(() => undefined);
    if (gone.aborted) return undefined;
    // Its pid may belong to another program by now.
    await releaseLeftoverServer(settings);
    const started = await startServer(settings, gone, port);
    if (started.server !== undefined || gone.aborted) return started.server;
    if (!started.transient) report({ event: 'lost', message: started.lastWords });
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
  let server = await startPatiently(settings, gone);
  if (server !== undefined) {
    report({ event: 'ready', port: server.port, password, pid: server.process.pid });
  }
  while (server !== undefined) {
    if (!gone.aborted) await Promise.race([server.exited, once(gone, 'abort')]);
    await stopServer(server);
    if (gone.aborted) return;
    report({ event: 'lost', message: server.lastWords() });
    server = await startAgain(settings, gone, server.port);
    if (server !== undefined) report({ event: 'recovered', pid: server.process.pid });
  }
}

/**
 * Removes the server's folder, and the data folder around it when that is empty then.
 * @param {string} home
 */
function disposeOf(home) {
  fs.rmSync(home, { recursive: true, force: true });
  try {
    fs.rmdirSync(path.dirname(home));
  } catch {
    // It is not empty, or it belongs to another user.
  }
}

async function main() {
  /** @type {Settings} */
  const settings = JSON.parse(process.argv[2] ?? '{}');
  // A service manager signals every process of a service, but the server must outlive the drain.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
  process.stdout.on('error', () => undefined); // the process that reads it may have ended
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
