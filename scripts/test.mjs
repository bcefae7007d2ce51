/**
 * Runs Jest and prints `N passed, N failed` as the last line, from Jest's own counts, for scripts that
 * read it. Before that it lists the ten slowest files, and the tests that were skipped.
 *
 *   npm test                 all but the long tests
 *   npm run test:long        the long tests only (`*.long.spec.ts`)
 *   npm test -- PATTERN      further arguments go to Jest
 *
 * With CI=true each failed file is run once more, alone and from the start, because a busy machine can
 * make tests of real processes fail. Both results are shown, and the second one counts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** When more files fail than this, the machine is not the reason: they are not run again. */
const MOST_RETRIES = 10;
const SLOWEST = 10;
/** How long Jest may take, and how long it may go on after it has written its report. */
const LIMIT_MS = 40 * 60_000;
const EXIT_MS = 20_000;
const CHECK_MS = 1000;

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'colloquy-jest-'));
const given = process.argv.slice(2);
const isLong = given.includes('--long');
const filters = given.filter((argument) => argument !== '--long');

/** How many times Jest had to be ended; each counts as a failure. */
let stuck = 0;

/** Runs Jest; returns its results by file, or an empty map when it wrote no report. */
async function run(args) {
  const report = path.join(folder, 'report.json');
  rmSync(report, { force: true });
  const jest = spawn(
    process.execPath,
    [
      path.join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
      '--json',
      `--outputFile=${report}`,
      ...args,
    ],
    {
      cwd: root,
      env: { ...process.env, COLLOQUY_TESTS: isLong ? 'long' : 'short' },
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
  await ended(jest, report);
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    return new Map(testResults.map((result) => [path.relative(root, result.name), result]));
  } catch {
    return new Map();
  }
}

/**
 * Waits until Jest has ended, and ends it when it takes too long. A test that leaves a server or a timer
 * open would otherwise keep a Jest without workers alive for good.
 */
async function ended(jest, report) {
  const startedAt = Date.now();
  let reportedAt = Infinity;
  const watch = setInterval(() => {
    if (reportedAt === Infinity && existsSync(report)) reportedAt = Date.now();
    const isReported = Date.now() - reportedAt > EXIT_MS;
    if (!isReported && Date.now() - startedAt < LIMIT_MS) return;
    clearInterval(watch);
    stuck += 1;
    console.log(
      isReported ? 'Jest did not exit and was ended.' : 'Jest took too long and was ended.',
    );
    jest.kill('SIGKILL');
  }, CHECK_MS);
  await once(jest, 'exit');
  clearInterval(watch);
}

/** A file that fails to load has no failed test in the report, so it counts as one failure. */
function countsOf({ status, assertionResults }) {
  const of = (wanted) => assertionResults.filter((test) => test.status === wanted).length;
  return {
    passed: of('passed'),
    failed: status === 'failed' ? Math.max(of('failed'), 1) : 0,
  };
}

const results = await run(filters);
const failures = [...results].filter(([, { status }]) => status === 'failed');
if (process.env.CI === 'true' && failures.length > 0 && failures.length <= MOST_RETRIES) {
  const names = failures.map(([name]) => name);
  console.log(`These files failed and are run once more:\n  ${names.join('\n  ')}`);
  const again = await run(['--runInBand', '--runTestsByPath', ...names]);
  for (const [name, result] of again) results.set(name, result);
}
rmSync(folder, { recursive: true, force: true });

const slowest = [...results]
  .map(([name, { startTime, endTime }]) => ({ name, seconds: (endTime - startTime) / 1000 }))
  .sort((a, b) => b.seconds - a.seconds)
  .slice(0, SLOWEST);
console.log('The slowest files:');
for (const { name, seconds } of slowest)
  console.log(`${seconds.toFixed(1).padStart(7)} s  ${name}`);

for (const [name, { assertionResults }] of results) {
  const skipped = assertionResults.filter(({ status }) => status === 'pending');
  const [first, ...others] = skipped;
  if (first === undefined) continue;
  const titles = `${first.fullName}${others.length > 0 ? `, and ${others.length} more` : ''}`;
  const many = others.length > 0 ? `${skipped.length} tests were` : '1 test was';
  console.log(`${many} skipped: ${name} (${titles})`);
}

const counts = [...results.values()].map(countsOf);
const sum = (key) => counts.reduce((total, count) => total + count[key], 0);
const passed = sum('passed');
const failed = results.size === 0 ? 1 : sum('failed') + stuck;
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
