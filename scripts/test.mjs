/**
 * Runs Jest and ends with `N passed, N failed` from its own counts, for readers that know no
 * runner's summary. Further arguments go to Jest.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'colloquy-jest-'));
const report = path.join(folder, 'report.json');

const { status } = spawnSync(
  process.execPath,
  [
    path.join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
    '--json',
    `--outputFile=${report}`,
    ...process.argv.slice(2),
  ],
  { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] },
);

function counts() {
  try {
    const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    // A file that does not even load has no failed test of its own.
    return { passed: numPassedTests, failed: Math.max(numFailedTests, numFailedTestSuites) };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

const { passed, failed } = counts();
rmSync(folder, { recursive: true, force: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(status === 0 && passed === 0 ? 1 : (status ?? 1));
