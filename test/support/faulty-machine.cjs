/**
 * Loaded into a server's process by `-r`: a machine whose clock is an hour ahead (FAULTY_MACHINE=clock)
 * or whose disk is full (FAULTY_MACHINE=disk).
 */
const promises = require('node:fs/promises');

if (process.env.FAULTY_MACHINE === 'clock') {
  const RealDate = Date;
  const AHEAD_MS = 3_600_000;
  globalThis.Date = class extends RealDate {
    constructor(...args) {
      if (args.length === 0) super(RealDate.now() + AHEAD_MS);
      else super(...args);
    }

    static now() {
      return RealDate.now() + AHEAD_MS;
    }
  };
}
if (process.env.FAULTY_MACHINE === 'disk') {
  promises.statfs = () => Promise.resolve({ bavail: 10, bsize: 4096 });
}
