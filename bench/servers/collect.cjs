/** Loaded before a server that is measured: SIGUSR2 collects garbage. Needs `--expose-gc`. */
process.on('SIGUSR2', () => globalThis.gc());
