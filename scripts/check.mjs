/**
 * Runs every static check of the project; CI runs the same list. The types of the API are written first, because
 * the checks read them. Two run at a time, the slowest first; the output of each is printed when it ends.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const AT_A_TIME = 2;

const root = fileURLToPath(new URL('..', import.meta.url));
const API_TYPES = [
  process.execPath,
  ...['-r', './tools/support/swc-register.cjs', 'tools/api-client/types-process.ts'],
];
const GATES = [
  ['oxlint', '--type-aware', '--deny-warnings', '.'],
  ['prettier', '--check', '--log-level', 'warn', '.'],
  ['tsc', '-p', 'tsconfig.json'],
  ['tsc', '-p', 'web/tsconfig.json'],
  ['depcruise', '--config', '.dependency-cruiser.cjs', 'src'],
  ['knip'],
  [process.execPath, 'scripts/config-doc.mjs', '--check'],
  [process.execPath, 'scripts/check-documents.mjs'],
  [process.execPath, 'scripts/verify.mjs', '--list', '--quiet'],
];

/** Runs one check; returns whether it passed. */
async function run([bin, ...args]) {
  const started = Date.now();
  const script = bin === process.execPath ? bin : path.join(root, 'node_modules', '.bin', bin);
  const child = spawn(script, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => output.push(part));
  const status = await new Promise((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
  const verdict = status === 0 ? 'ok' : 'FAILED';
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  process.stdout.write(Buffer.concat(output));
  console.log(`${verdict}  ${path.basename(bin)} ${args.join(' ')}  (${seconds} s)`);
  return status === 0;
}

if (!(await run(API_TYPES))) process.exit(1);
const waiting = [...GATES];
const results = [];
async function work() {
  for (let gate = waiting.shift(); gate !== undefined; gate = waiting.shift()) {
    results.push(await run(gate));
  }
}
await Promise.all(Array.from({ length: AT_A_TIME }, work));
process.exit(results.every(Boolean) ? 0 : 1);
