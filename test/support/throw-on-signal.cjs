/**
 * Loaded into a server's process by `-r`. SIGUSR2 causes an unhandled rejection, SIGHUP an uncaught
 * exception. Both errors quote what a candidate wrote.
 */
process.on('SIGUSR2', () => {
  void Promise.reject(new SyntaxError('Unexpected token c, "canary-4711" is not JSON'));
});
process.on('SIGHUP', () => {
  throw Object.assign(new Error("invalid input: 'canary-4711'"), { parameters: ['canary-4711'] });
});
