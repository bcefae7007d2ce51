/**
 * Runs the browser suites, or those whose names are given, or with `--short` all but the long ones, and ends with
 * one line `N passed, N failed` from their closing lines. A suite without one has failed. Three run at a
 * time, because each of them also waits; the output of a suite is printed when it has ended.
 *
 * With CI=true each suite that failed is run once more, alone and from its start: browsers meet busy
 * machines. Both outputs are shown, and the second result counts.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** The longest first. */
const SUITES = [
  'interview',
  'pictures',
  'console-pictures',
  'clients',
  'keyboard',
  'voice',
  'demo',
  'web-client',
  'waiting',
  'transcript',
  'console',
  'live',
  'inbox',
  'invitations',
  'reading',
  'vacancies',
  'records',
  'by-keyboard',
  'handbook',
  'first-view',
  'files',
  'dead-ends',
  'notion-demo',
  'telegram-demo',
];
/** Walks through the console, and its pictures: CI leaves them out, `npm run verify:full` does not. */
const LONG = [
  'console-pictures',
  'live',
  'inbox',
  'invitations',
  'vacancies',
  'records',
  'by-keyboard',
];
const AT_A_TIME = 3;
const CLOSING_LINE = /^(\d+) passed, (\d+) failed$/;

const results = new Map();

/** Runs one suite, prints its output and keeps its result. */
async function run(suite) {
  const lines = [];
  const startedAt = Date.now();
  const file = fileURLToPath(new URL(`${suite}.browser.mjs`, import.meta.url));
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  let closing = null;
  for await (const line of createInterface({ input: child.stdout })) {
    const isClosing = CLOSING_LINE.exec(line);
    if (isClosing === null) lines.push(line);
    else closing = isClosing;
  }
  const status = await exited;
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
  console.log([`\n${suite} (${seconds} s)`, ...lines].join('\n'));
  const failed = Number(closing?.[2] ?? 1);
  const passed = Number(closing?.[1] ?? 0);
  results.set(suite, { passed, failed: status === 0 ? failed : Math.max(failed, 1) });
}

async function runAll(suites, atATime) {
  const waiting = [...suites];
  const work = async () => {
    for (let suite = waiting.shift(); suite !== undefined; suite = waiting.shift()) {
      await run(suite);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
}

const given = process.argv.slice(2);
const chosen = given.filter((one) => one !== '--short');
const all = given.includes('--short') ? SUITES.filter((one) => !LONG.includes(one)) : SUITES;
await runAll(chosen.length > 0 ? chosen : all, AT_A_TIME);
const failures = [...results].filter(([, { failed }]) => failed > 0).map(([suite]) => suite);
if (process.env.CI === 'true' && failures.length > 0) {
  console.log(`\nRun again from the start, because they failed: ${failures.join(', ')}`);
  await runAll(failures, 1);
}

const sum = (key) => [...results.values()].reduce((total, result) => total + result[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') === 0 && sum('passed') > 0 ? 0 : 1;
