'use strict';
/**
 * One supervisor per data folder. The holder listens on a socket whose name is derived from the folder,
 * so the kernel frees the lock when the holder ends, and decides when two start at the same time. The
 * holder sends "running" or "stopping" to each connection. A new supervisor waits while the holder is
 * stopping (its application was just killed and is being restarted) and fails when the holder keeps
 * running.
 */
const { createHash } = require('node:crypto');
const { once } = require('node:events');
const fs = require('node:fs');
const net = require('node:net');

/** How long a holder may take to notice that its application was killed. */
const NOTICE_MS = 3_000;
/** Longer than all steps of stopping a server (supervisor-server.cjs) together. */
const LEAVE_MS = 45_000;

/** @param {string} home */
function lockAddress(home) {
  const digest = createHash('sha256').update(fs.realpathSync(home)).digest('hex').slice(0, 24);
  // On Linux the name is abstract: there is no file that could be left behind.
  if (process.platform === 'linux') return `\0colloquy-postgres-${digest}`;
  return `/tmp/colloquy-postgres-${digest}.sock`;
}

/**
 * @param {string} address
 * @returns {Promise<net.Server | undefined>} undefined when another process has the name
 */
async function listen(address) {
  const server = net.createServer();
  server.listen(address);
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'EADDRINUSE') return undefined;
    throw error;
  }
}

/**
 * @param {string} address
 * @returns {Promise<boolean>} true when the holder has gone, false when it stays
 */
function holderLeaves(address) {
  return new Promise((resolve) => {
    const socket = net.connect(address);
    /** @param {boolean} left */
    const finish = (left) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(left);
    };
    let timer = setTimeout(finish, NOTICE_MS, false);
    socket.on('data', (words) => {
      if (!words.toString().includes('stopping')) return;
      clearTimeout(timer);
      timer = setTimeout(finish, LEAVE_MS, false);
    });
    socket.on('close', () => finish(true));
    socket.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
      // A killed holder has left a socket file without a listener (not on Linux).
      if (error.code === 'ECONNREFUSED' && address.startsWith('/'))
        fs.rmSync(address, { force: true });
      finish(true);
    });
  });
}

/** @param {net.Server} server */
function heldBy(server) {
  /** @type {Set<net.Socket>} */
  const visitors = new Set();
  let word = 'running\n';
  server.on('connection', (socket) => {
    visitors.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => visitors.delete(socket));
    socket.write(word);
  });
  return {
    announceStop() {
      word = 'stopping\n';
      for (const visitor of visitors) visitor.write(word);
    },
  };
}

/**
 * @param {string} home
 * @returns {Promise<{ announceStop(): void } | undefined>} undefined when another one holds the folder
 */
async function takeLock(home) {
  const address = lockAddress(home);
  for (;;) {
    const server = await listen(address);
    if (server !== undefined) return heldBy(server);
    if (!(await holderLeaves(address))) return undefined;
  }
}

module.exports = { takeLock };
