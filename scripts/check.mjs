/** Every gate of the project, in the order of their speed; the same list runs in CI. */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const GATES = [
  ['prettier', '--check', '--log-level', 'warn', '.'],
  ['tsc', '-p', 'tsconfig.json'],
  ['tsc', '-p', 'web/tsconfig.json'],
  ['eslint', '--max-warnings', '0', '.'],
  ['depcruise', '--config', '.dependency-cruiser.cjs', 'src'],
  ['knip'],
  [process.execPath, 'scripts/config-doc.mjs', '--check'],
];

let failed = 0;
for (const [bin, ...args] of GATES) {
  const started = Date.now();
  const script = bin === process.execPath ? bin : path.join(root, 'node_modules', '.bin', bin);
  const { status } = spawnSync(script, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const verdict = status === 0 ? 'ok' : 'FAILED';
  console.log(
    `${verdict}  ${path.basename(bin)} ${args.join(' ')}  (${((Date.now() - started) / 1000).toFixed(1)} s)`,
  );
  if (status !== 0) failed += 1;
}
process.exit(failed === 0 ? 0 : 1);
