/**
 * For the process that runs commands: counts the intervals that have begun since the process started,
 * also while modules were loaded, and the connections of one command to the port of DATABASE_URL.
 */
const net = require('node:net');

let intervals = 0;
let connections = 0;

const { setInterval: begin } = globalThis;
globalThis.setInterval = (...args) => {
  intervals += 1;
  return begin(...args);
};

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  const [first] = args.flat();
  const to = typeof first === 'object' && first !== null ? first.port : first;
  if (Number(to) === databasePort()) connections += 1;
  return connect.apply(this, args);
};

function databasePort() {
  const url = process.env.DATABASE_URL;
  return url === undefined ? null : Number(new URL(url).port || 5432);
}

/** Returns a function that returns the counts: of all intervals, and of the connections from now on. */
exports.countStarts = () => {
  connections = 0;
  return () => ({ intervals, connections });
};
