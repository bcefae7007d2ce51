/**
 * `npm run bench -- NAME…` runs benches one after the other; without a name, all of them. Everything
 * from the first `--option` on is passed to each bench. `npm run bench -- against COMMIT NAME` compares two
 * builds (bench/against.ts). A bench whose run was noisy stores nothing and ends with 75; the others still run.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const all = readdirSync(path.join(root, 'bench'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -3));
/** It compares with a commit, so it is not one of those that run by themselves. */
const AGAINST = 'against';
/** As bench/lib/report.ts ends a bench whose result is not stored. */
const NOISY = 75;
const given = process.argv.slice(2);
const firstOption = given.findIndex((argument) => argument.startsWith('--'));
const names = firstOption < 0 ? given : given.slice(0, firstOption);
const asked = names[0] === AGAINST ? [AGAINST] : names;
const options = given.slice(asked.length);
const unknown = asked.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`No such bench: ${unknown.join(', ')}. Available are ${all.join(', ')}.`);
  process.exit(1);
}

const noisy = [];
for (const name of asked.length > 0 ? asked : all.filter((one) => one !== AGAINST)) {
  const register = path.join(root, 'tools', 'support', 'swc-register.cjs');
  const { status } = spawnSync(
    process.execPath,
    ['-r', register, path.join(root, 'bench', `${name}.ts`), ...options],
    { cwd: root, stdio: 'inherit' },
  );
  if (status === NOISY) noisy.push(name);
  else if (status !== 0) process.exit(status ?? 1);
}
if (noisy.length > 0) {
  console.error(`Not stored, because the machine was busy: ${noisy.join(', ')}.`);
  process.exit(NOISY);
}
