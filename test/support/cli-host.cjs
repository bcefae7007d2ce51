/**
 * Runs calls of `colloquy` one after the other in this process, whose modules stay loaded. Each message
 * from the parent is one call (CliCommand in run-cli.ts). The message back holds what the command
 * wrote, its exit code and what it has begun (CountedRun).
 */
const path = require('node:path');
const { Readable } = require('node:stream');
// Before Colloquy is loaded, so that nothing begins uncounted.
const { countStarts } = require('./count-starts.cjs');
const { runColloquy } = require(path.resolve(__dirname, '../../src/cli/colloquy.ts'));

/** Keeps what is written to a stream until `release`. */
function capture(stream) {
  const { write } = stream;
  const captured = { text: '', release: () => (stream.write = write) };
  stream.write = (chunk) => {
    captured.text += chunk.toString();
    return true;
  };
  return captured;
}

async function run({ args, env, input }) {
  process.env = { ...env };
  process.exitCode = 0;
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true });
  const out = capture(process.stdout);
  const err = capture(process.stderr);
  const starts = countStarts();
  try {
    await runColloquy(args);
  } finally {
    out.release();
    err.release();
    process.stdout.removeAllListeners('error');
  }
  return { code: process.exitCode, out: out.text, err: err.text, starts: starts() };
}

process.on('message', (command) => {
  run(command).then(
    (result) => process.send(result),
    (error) => {
      throw error;
    },
  );
});
process.on('disconnect', () => process.exit(0));
