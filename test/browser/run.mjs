/**
 * Runs the browser suites one after another, or those whose names are given, and ends with one line
 * `N passed, N failed` from their closing lines. A suite without one has failed.
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
const CLOSING_LINE = /^(\d+) passed, (\d+) failed$/;

const chosen = process.argv.slice(2);
const total = { passed: 0, failed: 0 };

async function run(suite) {
  console.log(`\n${suite}`);
  const file = fileURLToPath(new URL(`${suite}.browser.mjs`, import.meta.url));
  const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  let closing = null;
  for await (const line of createInterface({ input: child.stdout })) {
    const isClosing = CLOSING_LINE.exec(line);
    if (isClosing === null) console.log(line);
    else closing = isClosing;
  }
  const status = await exited;
  const failed = Number(closing?.[2] ?? 1);
  total.passed += Number(closing?.[1] ?? 0);
  total.failed += status === 0 ? failed : Math.max(failed, 1);
}

for (const suite of chosen.length > 0 ? chosen : SUITES) await run(suite);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
