/** Plants each fault of sql-faults.mjs in a copy of the project and runs the tests of its room there. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ROOT } from '../documents.mjs';
import { SQL_FAULTS } from './sql-faults.mjs';

const LEFT_OUT = new Set(['node_modules', '.git', '.data', '.tmp', 'dist', 'findings']);

/**
 * How many faults no test noticed. Each is tried so many times, because one that luck alone finds is not noticed.
 * `only`: faults whose name or room has this text.
 */
export function plantSqlFaults({ times, only }) {
  const copy = mkdtempSync(path.join(tmpdir(), 'colloquy-mutate-'));
  // The user of the embedded PostgreSQL, who is not root, has to enter it.
  chmodSync(copy, 0o755);
  try {
    cpSync(ROOT, copy, {
      recursive: true,
      filter: (file) => !LEFT_OUT.has(path.relative(ROOT, file)),
    });
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
    const faults = SQL_FAULTS.filter(({ name, room }) => `${room}: ${name}`.includes(only));
    return faults.filter((fault) => !isNoticed(copy, fault, times)).length;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function isNoticed(copy, { name, room, spec, file, from, to }, times) {
  const target = path.join(copy, file);
  const text = readFileSync(target, 'utf8');
  if (text.split(from).length !== 2)
    throw new Error(`${file} has not exactly one place for: ${name}`);
  writeFileSync(
    target,
    text.replace(from, () => to),
  );
  try {
    const noticed = Array.from(
      { length: times },
      () => failingTest(copy, `test/${room}/${spec}.spec.ts`) ?? failingTest(copy, `test/${room}/`),
    );
    const missed = noticed.filter((test) => test === null).length;
    const [test] = noticed;
    console.log(missed === 0 ? `ok       ${room}: ${name}\n         by: ${test}` : '');
    if (missed > 0) console.log(`MISSED   ${room}: ${name} (${missed} of ${times} times)`);
    return missed === 0;
  } finally {
    writeFileSync(target, text);
  }
}

/** The first test of this file or folder that fails; null: all passed. */
function failingTest(copy, tests) {
  const args = ['scripts/test.mjs', tests, '--bail'];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const output = stdout + stderr;
  const [, failed = '0'] = /^\d+ passed, (\d+) failed$/m.exec(output) ?? [];
  if (failed === '0') return null;
  const [, test] = /^ {2}● (.+)$/m.exec(output) ?? [];
  if (test === undefined) throw new Error(`no test of ${tests} could run:\n${output.slice(-2000)}`);
  return test;
}
