/**
 * Runs the browser suites, or those whose names are given, and ends with one line
 * `N passed, N failed` from their closing lines. A suite without one has failed. Two run at a time,
 * because each of them waits half of its time; the output of a suite is printed when it has ended.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SUITES = [
  'interview',
  'voice',
  'files',
  'clients',
  'transcript',
  'telegram-demo',
  'notion-demo',
];
const AT_A_TIME = 2;
const CLOSING_LINE = /^(\d+) passed, (\d+) failed$/;

const chosen = process.argv.slice(2);
const total = { passed: 0, failed: 0 };

async function run(suite) {
  const lines = [];
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
  console.log([`\n${suite}`, ...lines].join('\n'));
  const failed = Number(closing?.[2] ?? 1);
  total.passed += Number(closing?.[1] ?? 0);
  total.failed += status === 0 ? failed : Math.max(failed, 1);
}

const waiting = chosen.length > 0 ? chosen : [...SUITES];
async function work() {
  for (let suite = waiting.shift(); suite !== undefined; suite = waiting.shift()) await run(suite);
}
await Promise.all(Array.from({ length: AT_A_TIME }, work));
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
