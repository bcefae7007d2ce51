/**
 * Runs commands of src/cli one after the other in this process, whose modules stay loaded. Each
 * message from the parent is one command (run-cli.ts: CliCommand); its answer is what the command
 * wrote, and its exit code (CliRun). A command is loaded anew each time, and so runs anew.
 */
const path = require('node:path');
const { Readable } = require('node:stream');

const CLI = path.resolve(__dirname, '../../src/cli') + path.sep;
const COMMAND = path.join(CLI, 'output.ts');

function forgetCommands() {
  for (const file of Object.keys(require.cache)) {
    if (file.startsWith(CLI)) delete require.cache[file];
  }
}

/** Loading a command runs it; resolves when it has come to its end. */
async function runToItsEnd(name) {
  forgetCommands();
  const actual = require(COMMAND);
  let ended;
  require.cache[COMMAND].exports = {
    ...actual,
    runCommand: (...args) => (ended = actual.runCommand(...args)),
  };
  require(path.join(CLI, `${name}.ts`));
  if (ended === undefined) throw new Error(`${name} did not call runCommand`);
  await ended;
}

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

async function run({ name, args, env, input }) {
  process.argv = [process.execPath, path.join(CLI, `${name}.ts`), ...args];
  process.env = { ...env };
  process.exitCode = 0;
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true });
  const out = capture(process.stdout);
  const err = capture(process.stderr);
  try {
    await runToItsEnd(name);
  } finally {
    out.release();
    err.release();
    process.stdout.removeAllListeners('error');
  }
  return { code: process.exitCode, out: out.text, err: err.text };
}

process.on('message', (command) => {
  run(command).then(
    (answer) => process.send(answer),
    (error) => {
      throw error;
    },
  );
});
process.on('disconnect', () => process.exit(0));
