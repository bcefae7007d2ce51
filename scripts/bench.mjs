/**
 * `npm run bench -- NAME…` runs benches one after the other; without a name, all of them. Everything
 * from the first `--option` on is passed to each bench.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const all = readdirSync(path.join(root, 'bench'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => name.slice(0, -3));
const given = process.argv.slice(2);
const firstOption = given.findIndex((argument) => argument.startsWith('--'));
const asked = firstOption < 0 ? given : given.slice(0, firstOption);
const options = given.slice(asked.length);
const unknown = asked.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`No such bench: ${unknown.join(', ')}. Available are ${all.join(', ')}.`);
  process.exit(1);
}

for (const name of asked.length > 0 ? asked : all) {
  const register = path.join(root, 'tools', 'support', 'swc-register.cjs');
  const { status } = spawnSync(
    process.execPath,
    ['-r', register, path.join(root, 'bench', `${name}.ts`), ...options],
    { cwd: root, stdio: 'inherit' },
  );
  if (status !== 0) process.exit(status ?? 1);
}
