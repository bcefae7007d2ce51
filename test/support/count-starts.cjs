/**
 * Preloaded into a command (NODE_OPTIONS): writes to COUNT_STARTS_TO, when the process ends, how many
 * intervals it began and how many connections to the port of DATABASE_URL it opened.
 */
const { writeFileSync } = require('node:fs');
const net = require('node:net');

const port = Number(new URL(process.env.DATABASE_URL).port || 5432);
const counts = { intervals: 0, connections: 0 };

const { setInterval: begin } = globalThis;
globalThis.setInterval = (...args) => {
  counts.intervals += 1;
  return begin(...args);
};

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  const [first] = args.flat();
  const to = typeof first === 'object' && first !== null ? first.port : first;
  if (Number(to) === port) counts.connections += 1;
  return connect.apply(this, args);
};

process.on('exit', () => writeFileSync(process.env.COUNT_STARTS_TO, JSON.stringify(counts)));
