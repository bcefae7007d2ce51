/**
 * `npm run verify:full`: runs every command of the documents, the storm, its deliberate bugs and the
 * fuzz, and stores what became of them with the commit in bench/results/verify.json.
 *
 *   npm run verify:full                     every part that has not passed yet; of suites, storm, bugs and
 *                                           fuzz only what has not passed. What has passed counts on
 *                                           later commits that change nothing but documents
 *   npm run verify:full -- commands         this part (commands, suites, bugs, storm, fuzz), all of it again
 *   npm run verify:full -- --list           every command of the documents and what is done with it; with
 *                                           --quiet those without a rule, of which there should be none
 *   npm run verify:full -- storm --seeds 3  with seeds 1 to 3; 10 by default, also for the fuzz
 *
 * The commands run in a fresh clone of the commit, so what is not committed is not verified.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from './documents.mjs';
import { documentedCommands, runCommands } from './verify/commands.mjs';

const RESULT = path.join(ROOT, 'bench/results/verify.json');
const LIMIT_MS = 30 * 60_000;
const FUZZ_REQUESTS = 20_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '10' },
    list: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
  },
});
const seeds = Array.from({ length: Number(values.seeds) }, (_, index) => index + 1);

function git(...args) {
  return spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout.trim();
}

/** Works in a fresh clone, which is removed afterwards. */
async function inFreshClone(work) {
  const copy = mkdtempSync(path.join(tmpdir(), 'colloquy-verify-'));
  // The user of the embedded PostgreSQL, who is not root, has to enter it.
  chmodSync(copy, 0o755);
  try {
    const cloned = spawnSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, copy]);
    if (cloned.status !== 0) throw new Error(String(cloned.stderr));
    spawnSync('git', ['checkout', '--quiet', '--detach', commit], { cwd: copy });
    return await work(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Documents, and what verifies them. The prompts of src are no documents. */
const DOCUMENTS = [
  ':(exclude,glob)*.md',
  ':(exclude,glob)docs/**/*.md',
  ':(exclude)bench/results',
  ':(exclude)scripts/verify',
  ':(exclude)scripts/verify.mjs',
];

/** Whether nothing but documents has changed since then. */
function countsStill(since) {
  if (since === commit) return true;
  const args = ['diff', '--quiet', since, commit, '--', '.', ...DOCUMENTS];
  return spawnSync('git', args, { cwd: ROOT }).status === 0;
}

/** Runs npm scripts one after the other, with their output on this terminal. */
function scripts(commands, passed) {
  const left = commands.filter((args) => !passed.has(`npm run ${args.join(' ')}`));
  return left.map((args) => {
    const started = Date.now();
    const options = { cwd: ROOT, stdio: 'inherit', timeout: LIMIT_MS };
    const { status } = spawnSync('npm', ['run', ...args], options);
    const seconds = Math.round((Date.now() - started) / 1000);
    const outcome = status === 0 ? 'passed' : 'failed';
    console.log(`  ${outcome} npm run ${args.join(' ')} (${seconds} s)`);
    return { command: `npm run ${args.join(' ')}`, outcome, seconds };
  });
}

const PARTS = {
  commands: () => inFreshClone((copy) => runCommands(copy, ['serve', 'run', 'skip'], console.log)),
  suites: (passed) =>
    inFreshClone((copy) => {
      const { status } = spawnSync('npm', ['ci'], { cwd: copy, stdio: 'inherit' });
      if (status !== 0) throw new Error('npm ci failed');
      return runCommands(copy, ['suite'], console.log, passed);
    }),
  bugs: (passed) => scripts([['storm:bugs']], passed),
  storm: (passed) =>
    scripts(
      seeds.map((seed) => ['storm', '--', '--seed', String(seed), '--minutes', '1']),
      passed,
    ),
  fuzz: (passed) =>
    scripts(
      seeds
        .slice(0, 1)
        .map((seed) => ['fuzz', '--', '--seed', String(seed), '--requests', String(FUZZ_REQUESTS)]),
      passed,
    ),
};

if (values.list) {
  for (const { command, places, rule } of documentedCommands()) {
    if (values.quiet && rule !== undefined) continue;
    const what =
      rule === undefined ? 'NO RULE' : `${rule.kind}${rule.reason ? `: ${rule.reason}` : ''}`;
    console.log(`${command}\n    ${places.join(', ')}\n    ${what}`);
  }
  process.exit(documentedCommands().every(({ rule }) => rule !== undefined) ? 0 : 1);
}

const unknown = positionals.find((part) => !(part in PARTS));
if (unknown !== undefined || !(seeds.length > 0)) {
  console.error(`Parts are ${Object.keys(PARTS).join(', ')}; --seeds is a number above 0.`);
  process.exit(2);
}

const commit = git('rev-parse', 'HEAD');
const hasChanges = git('status', '--porcelain', '--', ':!bench/results') !== '';
if (hasChanges)
  console.log('Some changes are not committed. They are not verified by the commands.');

const stored = existsSync(RESULT) ? JSON.parse(readFileSync(RESULT, 'utf8')) : {};
const parts = Object.fromEntries(
  Object.entries(stored.parts ?? {}).filter(([, part]) =>
    countsStill(part.commit ?? stored.commit),
  ),
);
const chosen =
  positionals.length > 0
    ? positionals
    : Object.keys(PARTS).filter((part) => parts[part] === undefined || parts[part].failed > 0);

for (const part of chosen) {
  console.log(part);
  const started = Date.now();
  const earlier = positionals.length > 0 || part === 'commands' ? [] : (parts[part]?.results ?? []);
  const kept = earlier.filter(({ outcome }) => outcome === 'passed');
  let results;
  try {
    const passed = new Set(kept.map(({ command }) => command));
    results = [...kept, ...(await PARTS[part](passed))];
  } catch (error) {
    const reason = String(error.message ?? error);
    results = [...kept, { command: part, outcome: 'failed', reason }];
  }
  const count = (outcome) => results.filter((result) => result.outcome === outcome).length;
  parts[part] = {
    commit,
    at: new Date().toISOString(),
    seconds: Math.round((Date.now() - started) / 1000),
    hasChanges,
    passed: count('passed'),
    failed: count('failed'),
    notRun: count('not run'),
    results,
  };
  writeFileSync(RESULT, `${JSON.stringify({ commit, parts }, null, 2)}\n`);
  const { passed, failed, notRun, seconds } = parts[part];
  console.log(`${part}: ${passed} passed, ${failed} failed, ${notRun} not run (${seconds} s)`);
}
const failed = chosen.filter((part) => parts[part].failed > 0);
console.log(
  `${chosen.length - failed.length} parts passed, ${failed.length} failed, commit ${commit}`,
);
process.exit(failed.length === 0 ? 0 : 1);
