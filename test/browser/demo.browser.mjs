/**
 * `npm run demo` as a person starts it: candidates who are played are interviewed, the index page
 * leads to everything, and Ctrl-C ends every process.
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { check, DESKTOP, equal, look, openBrowser, part, report, until } from './harness.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const START_TIMEOUT_MS = 90_000;
const INTERVIEW_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 40_000;

const dataDir = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'colloquy-demo-')));
// Open to the user of a database that root starts, which would otherwise use another folder.
chmodSync(dataDir, 0o755);
/** A process group of its own, which gets the signal of Ctrl-C as from a terminal. */
const demo = spawn('npm', ['run', '--silent', 'demo'], {
  cwd: ROOT,
  detached: true,
  stdio: ['ignore', 'pipe', 'pipe'],
  env: {
    ...process.env,
    COLLOQUY_DATA_DIR: dataDir,
    DEMO_SPEED: '25',
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT: '0.2',
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.2',
    INTERVIEW_SCRIPTED_PACE: '0',
  },
});
const ended = new Promise((resolve) => demo.once('exit', resolve));
let output = '';
for (const stream of [demo.stdout, demo.stderr]) {
  stream.on('data', (chunk) => (output += String(chunk)));
}
const browser = await openBrowser();
const page = await (await browser.newContext({ viewport: DESKTOP, locale: 'en-US' })).newPage();
const problems = [];
page.on('pageerror', (error) => problems.push(String(error)));
page.on('console', (line) => line.type() === 'error' && problems.push(line.text()));

/** The processes of the demo: those of its group, and the database, which has a group of its own. */
function processes() {
  const { stdout } = spawnSync('ps', ['-A', '-ww', '-o', 'pgid=,command='], { encoding: 'utf8' });
  const lines = stdout.split('\n').map((line) => line.trim());
  return lines.filter((line) => line.startsWith(`${demo.pid} `) || line.includes(dataDir));
}

async function start() {
  const [, address] = await until(
    'the address of the index page',
    () => {
      if (demo.exitCode !== null) throw new Error(`the demo ended:\n${output.slice(-2000)}`);
      return /Start here +(http:\S+)/.exec(output);
    },
    START_TIMEOUT_MS,
  );
  await page.goto(address);
  await page.locator('#crowd li').first().waitFor();
  await check('thirty candidates are expected, on the page and on Telegram', async () => {
    const rows = await page.locator('#crowd li').allTextContents();
    equal(rows.length, 30, 'candidates');
    equal(
      rows.some((row) => row.includes('Telegram · Russian')),
      true,
      'Telegram',
    );
    equal(
      rows.some((row) => row.includes('page · English')),
      true,
      'the page',
    );
  });
  await check('the links of the index page respond', async () => {
    const links = await page.locator('#links a').evaluateAll((all) => all.map(({ href }) => href));
    equal(links.length, 8, 'links');
    for (const link of links) equal((await fetch(link)).status, 200, link);
  });
  await check('the shown token opens the admin API', async () => {
    const token = await page.locator('#token').textContent();
    const base = /Metrics +(http:\S+)\/metrics/.exec(output)?.[1];
    const headers = { authorization: `Bearer ${token}` };
    equal((await fetch(`${base}/api/v1/admin/attention`, { headers })).status, 200, 'status');
  });
}

async function crowd() {
  await check('a candidate finishes the interview', () =>
    page
      .locator('#crowd .pill.good', { hasText: 'finished' })
      .first()
      .waitFor({ timeout: INTERVIEW_TIMEOUT_MS }),
  );
  await check('whoever asks for a person is in the attention list', () =>
    page
      .locator('#attention li', { hasText: 'asked for a person' })
      .first()
      .waitFor({ timeout: INTERVIEW_TIMEOUT_MS }),
  );
  await check('no interview is lost', async () => {
    equal(await page.locator('#crowd .pill.risk').allTextContents(), [], 'lost interviews');
  });
  await look(page, 'demo-index');
  await check('the index page had no errors', () => equal(problems, [], 'errors'));
}

async function stop() {
  const before = processes();
  equal(
    before.some((line) => line.includes('postgres -D')),
    true,
    'the database is seen',
  );
  await page.goto('about:blank');
  process.kill(-demo.pid, 'SIGINT');
  await check('Ctrl-C ends every process', () =>
    until('all processes to end', () => processes().length === 0, STOP_TIMEOUT_MS),
  );
  await check('the demo reports no error', () =>
    equal(/Error|lost|not start/.test(output), false, output.slice(-500)),
  );
}

try {
  await part('the demo starts', start);
  await part('candidates are interviewed', crowd);
  await part('Ctrl-C', stop);
} finally {
  await browser.close();
  if (processes().length > 0) process.kill(-demo.pid, 'SIGKILL');
  await ended;
  rmSync(dataDir, { recursive: true, force: true });
}
process.exitCode = report() ? 0 : 1;
