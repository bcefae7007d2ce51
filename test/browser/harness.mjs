/**
 * Shared by the browser suites: a server (a given one, or one with an embedded database that is started
 * here), Chromium, counted checks, and `look`, which takes screenshots of a page and runs axe on it, as
 * a phone and as a desktop, light and dark. `close` stops everything that was started here.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { axeOutcomes } from './axe.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SCREENSHOTS = path.join(ROOT, '.tmp', 'browser');
/** Some suites start several servers, on machines that do other things too. */
const BOOT_TIMEOUT_MS = 180_000;
export const CHROMIUM_ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 800 };
const VIEWS = [
  ['phone-light', PHONE, 'light'],
  ['phone-dark', PHONE, 'dark'],
  ['desktop-light', DESKTOP, 'light'],
  ['desktop-dark', DESKTOP, 'dark'],
];

/** The admin token of the server under test. For a given server, the environment has it. */
export const ADMIN_TOKEN = process.env.ADMIN_TOKEN ?? 'of-the-browser-tests-0123456789abcdef';

const results = { passed: 0, failed: 0 };

/** Runs one claim. A failure is printed and counted; the next claims still run. */
export async function check(claim, work) {
  try {
    await work();
    results.passed += 1;
    console.log(`  ok      ${claim}`);
  } catch (error) {
    results.failed += 1;
    console.log(`  FAILED  ${claim}\n${String(error.stack ?? error)}`);
  }
}

/** Runs a sequence of checks. Returns false, and counts one failure, when it throws between them. */
export async function part(name, work) {
  console.log(name);
  try {
    await work();
    return true;
  } catch (error) {
    await check(`${name}: all steps were run`, () => Promise.reject(error));
    return false;
  }
}

export function report() {
  console.log(`${results.passed} passed, ${results.failed} failed`);
  return results.failed === 0 && results.passed > 0;
}

export function equal(actual, expected, what) {
  const [a, b] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (a !== b) throw new Error(`${what}: expected ${b}, got ${a}`);
}

/** Waits until `probe` returns a truthy value, and returns it. Tests use this in place of pauses. */
export async function until(what, probe, timeoutMs = 20_000) {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await probe();
    if (value) return value;
    if (Date.now() > deadline)
      throw new Error(`timed out after ${timeoutMs} ms while waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Takes a screenshot and runs axe in every size and colour scheme, then restores the page. */
export async function look(page, name, count = VIEWS.length) {
  fs.mkdirSync(SCREENSHOTS, { recursive: true });
  const before = page.viewportSize();
  for (const [suffix, size, colorScheme] of VIEWS.slice(0, count)) {
    if (page.viewportSize().width !== size.width) await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.screenshot({ path: path.join(SCREENSHOTS, `${name}-${suffix}.png`) });
    await check(`${name}, ${suffix}: axe finds nothing`, async () => {
      equal(await axeOutcomes(page, { onlyColours: colorScheme === 'dark' }), [], 'findings');
    });
  }
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
}

/**
 * Changes what the page learns about its link. The document says it too, so that the page need not
 * ask; without that it asks the API, whose response is changed here.
 */
export async function changeInvite(page, change) {
  const [document, api] = ['**/i/*', '**/api/v1/invites/*'];
  await page.unroute(document);
  await page.unroute(api);
  await page.route(document, async (route) => {
    const response = await route.fetch();
    const html = await response.text();
    const body = html.replace(/<script type="application\/json".*?<\/script>/, '');
    await route.fulfill({ response, body });
  });
  await page.route(api, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ json: { ...(await response.json()), ...change } });
  });
}

export async function openBrowser(args = []) {
  const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
  if (!fs.existsSync(executablePath)) {
    throw new Error(`${executablePath}: no such file. Install chromium or set CHROMIUM_PATH.`);
  }
  return chromium.launch({ executablePath, args: [...CHROMIUM_ARGS, ...args] });
}

/**
 * Settings under which an answer is taken only when its candidate says Done. Without them a busy machine
 * may take one between two messages of an answer.
 */
export const TAKEN_BY_DONE = {
  INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '60',
  INTERVIEW_TYPING_DEBOUNCE_TIMEOUT: '60',
};

/** Returns the server under test and a candidate link to it. */
export async function openServer() {
  const { BASE_URL, INVITE_PATH } = process.env;
  if (BASE_URL && INVITE_PATH) {
    return { base: BASE_URL, invite: INVITE_PATH, close: async () => undefined };
  }
  return startServer({
    ...TAKEN_BY_DONE,
    TELEGRAM_BOT_NAME: 'colloquy_browser_bot',
    ADMIN_TOKEN,
  });
}

/** Starts dist/main.js on a database of its own, with these settings beside the test's own. */
export async function startServer(settings = {}) {
  const port = await freePort();
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'colloquy-browser-'));
  const env = {
    ...process.env,
    PORT: String(port),
    COLLOQUY_DATA_DIR: data,
    // All pages come from one address.
    RATE_LIMIT_PER_MINUTE: '100000',
    RATE_LIMIT_OF_KEY_PER_MINUTE: '100000',
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '1',
    INTERVIEW_TYPING_DEBOUNCE_TIMEOUT: '1',
    ...settings,
  };
  delete env.DATABASE_URL;
  const child = spawn(process.execPath, ['dist/main.js'], { cwd: ROOT, env });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => (output += String(chunk)));
  }
  const close = async () => {
    child.kill('SIGTERM');
    await exited;
    fs.rmSync(data, { recursive: true, force: true });
  };
  try {
    const link = await until(
      'a candidate link on stdout',
      () => {
        if (child.exitCode !== null) throw new Error(`the server ended:\n${output.slice(-2000)}`);
        return new RegExp(`http://localhost:${port}(/i/[\\w-]+)`).exec(output);
      },
      BOOT_TIMEOUT_MS,
    );
    return { base: `http://localhost:${port}`, invite: link[1], data, output: () => output, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = net.createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
